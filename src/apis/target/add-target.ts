import { targetQuotaReached } from "../../guards/project-state.ts";
import { imageOf, nameTaken } from "../../guards/target-fields.ts";
import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { databaseChecks } from "./guards.ts";

/** `POST /targets`: adds a target. Protocol sections 4 and 5. */
export const addTarget = endpoint("addTarget", "POST", "/targets", databaseChecks, async (context) => {
  const { database, services, random, now, body } = context;
  const { name, width, active_flag, application_metadata } = body.fields;
  const created = await services.store.createTarget(
    database.name,
    {
      id: random.hex(32),
      name: String(name),
      width: Number(width),
      image: imageOf(context) ?? Buffer.alloc(0),
      active: active_flag !== false,
      metadata: typeof application_metadata === "string" ? application_metadata : null,
      processingTimeSeconds: services.settings.processingTimeSeconds,
    },
    now,
  );
  // What other requests did since the checks ran is decided by the store.
  if (created === "nameTaken") return nameTaken(name);
  if (created === "quotaReached") return targetQuotaReached(database.targetQuota);
  if (typeof created === "string") throw new Error(`the target could not be stored: ${created}`);
  return targetApiJson(context, 201, {
    transaction_id: transactionId(context),
    result_code: "TargetCreated",
    target_id: created.id,
  });
});
