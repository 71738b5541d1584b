import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/guard.ts";
import { failure, targetApiJson, transactionId } from "../../responses/target-api.ts";
import { targetChecks } from "./guards.ts";

/** `DELETE /targets/{id}`: deletes a target that is not being processed. Protocol sections 4 and 5. */
export const deleteTarget = endpoint(
  "deleteTarget",
  "DELETE",
  "/targets/{id}",
  targetChecks,
  async (context) => {
    const { database, target, services, now } = context;
    const deleted = await services.store.deleteTarget(database.name, target.id, now);
    if (deleted === "processing") {
      return refuse(
        failure("TargetStatusProcessing"),
        `the target is processing for ${target.processingTimeSeconds} s after its last change; delete it when that is over`,
      );
    }
    if (deleted === "unknown")
      return refuse(failure("UnknownTarget"), "the target was deleted in the meantime");
    return targetApiJson(context, 200, { transaction_id: transactionId(context), result_code: "Success" });
  },
);
