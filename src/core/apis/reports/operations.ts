import { withDescription } from "../../emulator/json-schemas.ts";
import { operation } from "../../emulator/operation.ts";
import { notYet, ok, refuse } from "../../emulator/response.ts";
import { show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import { isReady, reportCsv, reportFile, reportRows } from "../../schema/report.ts";
import * as changes from "../../store/changes.ts";
import * as reads from "../../store/reads.ts";
import { bodyWithKeys } from "../signed/responses.ts";
import { downloadTable, reportTable } from "./checks.ts";
import { noSuchKey, parametersUnder, presignedUrl, reportDownload, reportPlace } from "./responses.ts";

const requestReport = operation({
  name: "requestReport",
  method: "POST",
  path: "/imagetargets/databases/{database_id}/reports/recoCounts",
  summary: "Creates the recognition-counts report of the current or the previous month.",
  security: "serverKeys",
  checks: reportTable,
  body: bodyWithKeys({
    month: withDescription({ type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" }, "YYYY-MM, in UTC."),
  }),
  responses: [reportPlace],
  handle: async (context) => {
    const { database, records, month, now, services } = context;
    const { store, answerOptions } = services;
    const file = reportFile(month, now);
    await store.run(
      changes.openReport({
        databaseId: database.databaseId,
        file,
        rows: reportRows(records.listTargets(), month),
        requestedAt: now,
        processingTimeSeconds: answerOptions.processingTimeSeconds,
        processed: false,
      }),
    );
    const url = presignedUrl(context, answerOptions.reportBaseUrl, database.databaseId, file);
    return ok(reportPlace, { presigned_url: url });
  },
});

const downloadReport = operation({
  name: "downloadReport",
  method: "GET",
  path: "/reports/{database_id}/{file:[^/]+\\.csv}",
  summary: "Downloads a report that is ready.",
  query: parametersUnder,
  checks: downloadTable,
  responses: [reportDownload, noSuchKey],
  handle: async ({ services, now, params }) => {
    const { database_id = "", file = "" } = params;
    const found = await services.store.read(reads.report(database_id, file.slice(0, -".csv".length)));
    if (found !== undefined && isReady(found, now)) return ok(reportDownload, reportCsv(found));
    const key = `reports/${database_id}/${file}`;
    return found === undefined
      ? refuse(noSuchKey, cause("report.unknown", { file: show(file) }), key)
      : notYet(noSuchKey, cause("report.processing", { seconds: found.processingTimeSeconds }), key);
  },
});

export const reportOperations = [requestReport, downloadReport];
