import { CheckTable, check } from "../../emulator/check.ts";
import { constant, described, text } from "../../emulator/json-schema.ts";
import { operation } from "../../emulator/operation.ts";
import { dated } from "../../emulator/plain.ts";
import { type DeclaredResponse, notYet, ok, refuse } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { isReady, monthName, reportCsv, reportFile, reportRows } from "../../schema/report.ts";
import type { ApiContext } from "../services.ts";
import { fail, jsonBody, resultCode, success, transaction } from "../signed/target-responses.ts";
import { targetTable } from "../signed/target-table.ts";
import { accessDenied, expired, noSuchKey } from "./error-documents.ts";
import { parameterName, presignedUrl, readValidity } from "./presigned-url.ts";

/** Row 26: `month` is the current or the previous month (UTC) as `YYYY-MM`. Finds which. */
const monthAccepted = check({
  name: "monthAccepted",
  concerns: ["requestReport"],
  refusals: [fail(400)],
  test: ({ body, now }: ApiContext) => {
    const given = body.fields.month;
    const months = ["current", "previous"] as const;
    const month = months.find((name) => monthName(name, now) === given);
    if (month !== undefined) return { month };
    const expected = months.map((name) => show(monthName(name, now))).join(" or ");
    return `month must be ${expected}; got ${show(given)}`;
  },
});

const reportPlace = success({
  ...resultCode(),
  ...transaction,
  presigned_url: described(
    { type: "string", format: "uri" },
    "Where to download the report once it is ready.",
  ),
});

export const requestReport = operation({
  name: "requestReport",
  method: "POST",
  path: "/imagetargets/databases/{database_id}/reports/recoCounts",
  summary: "Creates the recognition-counts report of the current or the previous month.",
  security: "serverKeys",
  checks: targetTable.row(monthAccepted),
  body: jsonBody({
    month: described({ type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" }, "YYYY-MM, in UTC."),
  }),
  responses: [reportPlace],
  handle: async (context) => {
    const { database, month, now, services } = context;
    const { store, settings } = services;
    const file = reportFile(month, now);
    await store.openReport({
      databaseId: database.databaseId,
      file,
      rows: reportRows(await store.listTargets(database.databaseName), month),
      requestedAt: now,
      processingTimeSeconds: settings.processingTimeSeconds,
      processed: false,
    });
    const url = presignedUrl(context, settings.reportBaseUrl, database.databaseId, file);
    return ok(reportPlace, { presigned_url: url });
  },
});

/** The URL has every parameter and has not expired. Its signature is not checked. */
const urlValid = check({
  name: "urlValid",
  refusals: [accessDenied, expired],
  test: ({ request, profile, now }: ApiContext) => {
    const validity = readValidity(profile, request.query);
    if ("problem" in validity) return refuse(accessDenied, validity.problem);
    return (
      now <= validity.expiresAt ||
      refuse(
        expired,
        `the URL expired ${(now - validity.expiresAt) / 1000} s ago; request the report again`,
        validity,
      )
    );
  },
});

const report: DeclaredResponse<string> = {
  status: 200,
  description: "CSV: target_id and reco_count.",
  headers: dated("text/plain"),
  schema: text,
  body: (_context, csv) => csv,
};

export const downloadReport = operation({
  name: "downloadReport",
  method: "GET",
  path: "/reports/{database_id}/{file:[^/]+\\.csv}",
  summary: "Downloads a report that is ready.",
  query: (profile) => ({
    [parameterName(profile, "Security-Token")]: text,
    [parameterName(profile, "Algorithm")]: constant(profile.reportAlgorithm),
    [parameterName(profile, "Date")]: { type: "string", pattern: "^[0-9]{8}T[0-9]{6}Z$" },
    [parameterName(profile, "SignedHeaders")]: text,
    [parameterName(profile, "Credential")]: text,
    [parameterName(profile, "Expires")]: {
      type: "string",
      pattern: "^-?[0-9]+$",
      description: "In seconds.",
    },
    [parameterName(profile, "Signature")]: text,
  }),
  checks: CheckTable.on<ApiContext, "downloadReport">().row(urlValid),
  responses: [report, noSuchKey],
  handle: async ({ services, now, params }) => {
    const { database_id = "", file = "" } = params;
    const found = await services.store.findReport(database_id, file.slice(0, -".csv".length));
    if (found !== undefined && isReady(found, now)) return ok(report, reportCsv(found));
    const key = `${database_id}/${file}`;
    return found === undefined
      ? refuse(noSuchKey, `no report ${show(file)} was requested for that database`, key)
      : notYet(
          noSuchKey,
          `not ready yet: the report is ready ${found.processingTimeSeconds} s after it was requested`,
          key,
        );
  },
});

export const reportOperations = [requestReport, downloadReport];
