import { isReady, reportCsv } from "../../domain/report.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { plainReply } from "../../responses/plain.ts";
import { noSuchKey } from "./error-documents.ts";
import { downloadChecks } from "./guards.ts";

/** `GET /reports/{database_id}/{file}.csv`: the report once it is ready. Protocol section 7. */
export const downloadReport = endpoint(
  "downloadReport",
  "GET",
  "/reports/{database_id}/{file:[^/]+\\.csv}",
  downloadChecks,
  async (context) => {
    const { services, now, params } = context;
    const { database_id = "", file = "" } = params;
    const report = await services.store.findReport(database_id, file.slice(0, -".csv".length));
    if (report !== undefined && isReady(report, now)) {
      return plainReply(context, 200, "text/plain", reportCsv(report));
    }
    const reason =
      report === undefined
        ? `no report ${show(file)} of that database was requested`
        : `the report is ready ${report.processingTimeSeconds} s after it was requested`;
    return refuse(noSuchKey(`${database_id}/${file}`), reason);
  },
);
