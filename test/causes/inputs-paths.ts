import { request, type Sent, type Situation } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

const to =
  (method: string, path: string, body = "") =>
  (situation: Situation): Sent =>
    request(situation, method, path, Buffer.from(body), body === "" ? "" : "application/json");

/** A request that is sent to the host of the query API. */
const toQueryHost =
  (method: string, path: string) =>
  (situation: Situation): Sent => ({
    ...to(method, path)(situation),
    api: "query",
  });

const report =
  (id: (keys: Situation["keys"]) => string) =>
  (situation: Situation): Sent =>
    to(
      "POST",
      `/imagetargets/databases/${id(situation.keys)}/reports/recoCounts`,
      '{"month":"2000-01"}',
    )(situation);

const queryPost = { api: "query API", option: "queryUrl", accepted: "POST" };

export const PATHS: readonly Input[] = [
  ["a query by GET to the target host", to("GET", "/v1/query"), "path.other-api", queryPost],
  ["a query by PUT to the target host", to("PUT", "/v1/query"), "path.other-api", queryPost],
  ["a query to the target host", to("POST", "/v1/query"), "path.other-api", { option: "queryUrl" }],
  ["a query by GET", toQueryHost("GET", "/v1/query"), "method.unknown", { accepted: "POST (query)" }],
  ["the list at the query host", toQueryHost("GET", "/targets"), "path.other-api", { option: "targetUrl" }],
  [
    "an unsupported method of the target API at the query host",
    toQueryHost("PATCH", "/summary"),
    "path.other-api",
    { option: "targetUrl", accepted: "GET" },
  ],
  ["a token by GET", to("GET", "/oauth2/token"), "method.unknown", { accepted: "POST (token)" }],
  [
    "databases of the manager at the target host",
    to("GET", "/cloud_databases"),
    "path.other-api",
    { option: "managerUrl" },
  ],
  [
    "a report of the database's name",
    report(({ databaseName }) => databaseName),
    "database-id.wrong",
    { isName: true },
  ],
  ["a report of another database", report(() => "unknown"), "database-id.wrong"],
];
