import { ratingAt, statusAt } from "../../domain/target.ts";
import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { targetChecks } from "./guards.ts";

/** `GET /summary/{id}`: one target's state and recognition counts. Protocol section 5. */
export const targetSummary = endpoint("targetSummary", "GET", "/summary/{id}", targetChecks, (context) => {
  const { database, target, now } = context;
  return targetApiJson(context, 200, {
    status: statusAt(target, now),
    transaction_id: transactionId(context),
    result_code: "Success",
    database_name: database.name,
    target_name: target.name,
    upload_date: new Date(target.uploadedAt).toISOString().slice(0, 10),
    active_flag: target.active,
    tracking_rating: ratingAt(target, now),
    total_recos: target.totalRecos,
    current_month_recos: target.currentMonthRecos,
    previous_month_recos: target.previousMonthRecos,
  });
});
