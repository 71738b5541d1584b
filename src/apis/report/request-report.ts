import { reportFile, reportRows } from "../../domain/report.ts";
import { endpoint } from "../../http/endpoint.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { requestChecks } from "./guards.ts";
import { presignedUrl } from "./presigned-url.ts";

/** `POST …/reports/recoCounts`: makes the report, if there is none of that name yet, and says where it will be. Protocol section 7. */
export const requestReport = endpoint(
  "requestReport",
  "POST",
  "/imagetargets/databases/{database_id}/reports/recoCounts",
  requestChecks,
  async (context) => {
    const { database, month, now, services } = context;
    const { store, settings } = services;
    const file = reportFile(month, now);
    await store.openReport({
      databaseId: database.id,
      file,
      rows: reportRows(await store.listTargets(database.name), month),
      requestedAt: now,
      processingTimeSeconds: settings.processingTimeSeconds,
      processed: false,
    });
    return targetApiJson(context, 200, {
      result_code: "Success",
      transaction_id: transactionId(context),
      presigned_url: presignedUrl(context, settings.reportBaseUrl, database.id, file),
    });
  },
);
