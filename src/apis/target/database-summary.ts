import { statusAt } from "../../domain/target.ts";
import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { databaseChecks } from "./guards.ts";

/** `GET /summary`: the database's quotas and how many targets are in which state. Protocol section 5. */
export const databaseSummary = endpoint(
  "databaseSummary",
  "GET",
  "/summary",
  databaseChecks,
  async (context) => {
    const { database, services, now } = context;
    const counts = { active: 0, inactive: 0, failed: 0, processing: 0 };
    for (const target of await services.store.listTargets(database.name)) {
      const status = statusAt(target, now);
      if (status !== "success") counts[status] += 1;
      else if (target.active) counts.active += 1;
      else counts.inactive += 1;
    }
    return targetApiJson(context, 200, {
      result_code: "Success",
      transaction_id: transactionId(context),
      name: database.name,
      active_images: counts.active,
      inactive_images: counts.inactive,
      failed_images: counts.failed,
      target_quota: database.targetQuota,
      total_recos: database.totalRecos,
      current_month_recos: database.currentMonthRecos,
      previous_month_recos: database.previousMonthRecos,
      processing_images: counts.processing,
      reco_threshold: database.recoThreshold,
      request_quota: database.requestQuota,
      request_usage: 0,
      request_count: 0,
    });
  },
);
