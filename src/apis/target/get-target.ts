import { ratingAt, statusAt } from "../../domain/target.ts";
import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { targetChecks } from "./guards.ts";

/** `GET /targets/{id}`: the target's record. Protocol section 5. */
export const getTarget = endpoint("getTarget", "GET", "/targets/{id}", targetChecks, (context) => {
  const { target, now } = context;
  return targetApiJson(context, 200, {
    result_code: "Success",
    transaction_id: transactionId(context),
    target_record: {
      target_id: target.id,
      active_flag: target.active,
      name: target.name,
      width: target.width,
      tracking_rating: ratingAt(target, now),
      reco_rating: "",
    },
    status: statusAt(target, now),
  });
});
