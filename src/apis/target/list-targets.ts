import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { databaseChecks } from "./guards.ts";

/** `GET /targets`: the ids of all targets, in order of creation. Protocol section 5. */
export const listTargets = endpoint("listTargets", "GET", "/targets", databaseChecks, async (context) => {
  const targets = await context.services.store.listTargets(context.database.name);
  return targetApiJson(context, 200, {
    transaction_id: transactionId(context),
    result_code: "Success",
    results: targets.map(({ id }) => id),
  });
});
