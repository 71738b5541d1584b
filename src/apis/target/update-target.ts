import { statusAt } from "../../domain/target.ts";
import { imageOf, nameTaken } from "../../guards/target-fields.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/guard.ts";
import { failure, targetApiJson, transactionId } from "../../responses/target-api.ts";
import { targetChecks } from "./guards.ts";

/** `PUT /targets/{id}`: changes what is given and starts processing again. Protocol sections 4 and 5. */
export const updateTarget = endpoint(
  "updateTarget",
  "PUT",
  "/targets/{id}",
  targetChecks,
  async (context) => {
    const { database, target, services, now, profile, body } = context;
    const { name, width, active_flag, application_metadata } = body.fields;
    const status = statusAt(target, now);
    const updatable = profile.failedTargetsCanBeUpdated
      ? (["success", "failed"] as const)
      : (["success"] as const);
    const wrongStatus = refuse(
      failure("TargetStatusNotSuccess"),
      `the target's status is ${status}; it can be updated when it is ${updatable.join(" or ")}`,
    );
    if (!updatable.some((accepted) => accepted === status)) return wrongStatus;
    for (const [key, value] of Object.entries({ active_flag, application_metadata })) {
      if (value === null) return refuse(failure("Fail"), `${key} is null, which an update does not accept`);
    }
    const image = imageOf(context);
    const updated = await services.store.updateTarget(
      database.name,
      target.id,
      {
        ...(typeof name === "string" && { name }),
        ...(typeof width === "number" && { width }),
        ...(image !== undefined && { image }),
        ...(typeof active_flag === "boolean" && { active: active_flag }),
        ...(typeof application_metadata === "string" && { metadata: application_metadata }),
      },
      now,
      updatable,
    );
    if (updated === "unknown")
      return refuse(failure("UnknownTarget"), "the target was deleted in the meantime");
    if (updated === "nameTaken") return nameTaken(name);
    if (updated === "wrongStatus") return wrongStatus;
    return targetApiJson(context, 200, { result_code: "Success", transaction_id: transactionId(context) });
  },
);
