import { profiles } from "../core/profiles.ts";
import { assumed, type Expected, type Fact, type Known, observed, type Situation } from "./fact.ts";
import { type Draft, draftOf, type OperationName, routeOf, signed } from "./requests.ts";
import { jsonHeaders, targetAnswer } from "./target-facts.ts";

interface Answer extends Partial<Pick<Fact, "uses" | "database" | "before">> {
  readonly id: string;
  readonly says: string;
  readonly on: OperationName;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly draft?: Partial<Draft>;
  readonly status?: number;
  readonly body: string | ((at: Situation) => string);
  readonly known?: Known;
}

const SUMMARY =
  '{"result_code":"Success","transaction_id":"<id>","name":"<text>","active_images":<integer>,"inactive_images":<integer>,' +
  '"failed_images":<integer>,"target_quota":<integer>,"total_recos":<integer>,"current_month_recos":<integer>,' +
  '"previous_month_recos":<integer>,"processing_images":<integer>,"reco_threshold":<integer>,"request_quota":<integer>,' +
  '"request_usage":<integer>,"request_count":<integer>}';
const CREATED = '{"transaction_id":"<id>","result_code":"TargetCreated","target_id":"<id>"}';
const DONE = '{"result_code":"Success","transaction_id":"<id>"}';
const refused = (code: string) => `{"transaction_id":"<id>","result_code":"${code}"}`;
const record = (status: string, rating: string) => (at: Situation) =>
  `{"result_code":"Success","transaction_id":"<id>","target_record":{"target_id":"${at.targetId}","active_flag":true,` +
  `"name":"${at.targetName}","width":1,"tracking_rating":${rating},"reco_rating":""},"status":"${status}"}`;

/** A correct request and its answer: section by section, what comes back when no check refuses. */
const success = ({
  id,
  says,
  on,
  fields,
  draft,
  status = 200,
  body,
  known = observed,
  ...rest
}: Answer): Fact => ({
  id: `target-${id}`,
  api: "target",
  sentence: `${routeOf(on)} ${says}.`,
  known,
  needs: on === "summary" || on === "list" ? "reading" : "writing",
  ...rest,
  request: (at) => {
    const right = draftOf(on, at);
    const all = fields === undefined ? right.fields : { ...right.fields, ...fields };
    return signed({ ...right, ...draft, ...(all !== undefined && { fields: all }) }, at);
  },
  expected: (at): Expected => ({
    status,
    headers: jsonHeaders(at.profile),
    body: typeof body === "string" ? body : body(at),
  }),
});

const deleteIt: Fact["before"] = (at) => [signed(draftOf("delete", at), at)];
const updateIt: Fact["before"] = (at) => [signed({ ...draftOf("update", at), fields: { width: 2 } }, at)];

const accepted = (id: string, what: string, fields: Readonly<Record<string, unknown>>, known?: Known): Fact =>
  success({
    id: `accepts-${id}`,
    says: `accepts ${what}`,
    on: "add",
    fields,
    status: 201,
    body: CREATED,
    ...(known !== undefined && { known }),
  });

const answers: readonly Fact[] = [
  success({ id: "database-summary", says: "answers with quotas and counts", on: "summary", body: SUMMARY }),
  success({
    id: "list",
    says: "answers with the ids of the targets",
    on: "list",
    body: '{"transaction_id":"<id>","result_code":"Success","results":[<any>]}',
  }),
  success({
    id: "query-string",
    says: "ignores a query string, which is not signed",
    on: "summary",
    draft: { path: "/summary?any=1" },
    body: SUMMARY,
  }),
  success({
    id: "header-line-8190",
    says: "accepts a header line of 8190 bytes",
    on: "summary",
    draft: { headers: { "X-Long": "x".repeat(8190 - "X-Long: ".length) } },
    body: SUMMARY,
  }),
  success({
    id: "inactive-summary",
    says: "is served for an inactive database",
    on: "summary",
    database: { state_name: "PROJECT_INACTIVE" },
    body: SUMMARY,
  }),
  success({
    id: "expect-continue",
    says: "is served with `Expect: 100-continue`",
    on: "summary",
    draft: { headers: { Expect: "100-continue" } },
    body: SUMMARY,
    known: assumed,
  }),
  success({ id: "add", says: "adds a target", on: "add", status: 201, body: CREATED }),
  accepted("metadata-without-padding", "base64 metadata without padding", { application_metadata: "XN" }),
  accepted("null-flag", "null as active_flag, which means true", { active_flag: null }),
  accepted("flag-1", "1 as active_flag", { active_flag: 1 }, assumed),
  accepted("flag-0", "0 as active_flag", { active_flag: 0 }, assumed),
  success({
    id: "record",
    says: "answers with the record of a target",
    on: "get",
    uses: "processed",
    body: record("success", "<integer>"),
  }),
  success({
    id: "record-processing",
    says: "gives a new target the status processing and the rating -1",
    on: "get",
    uses: "new",
    body: record("processing", "-1"),
  }),
  success({
    id: "record-failed",
    says: "gives a target of one colour the status failed",
    on: "get",
    uses: "failed",
    body: record("failed", "<integer>"),
  }),
  success({
    id: "summary",
    says: "answers with the status and the counts of a target",
    on: "target summary",
    uses: "processed",
    body: ({ targetName }) =>
      `{"status":"success","transaction_id":"<id>","result_code":"Success","database_name":"<text>","target_name":"${targetName}",` +
      '"upload_date":"<text>","active_flag":true,"tracking_rating":<integer>,"total_recos":<integer>,' +
      '"current_month_recos":<integer>,"previous_month_recos":<integer>}',
  }),
  success({
    id: "duplicates",
    says: "answers with the ids of similar targets",
    on: "duplicates",
    uses: "processed",
    body: '{"transaction_id":"<id>","result_code":"Success","similar_targets":[<any>]}',
  }),
  success({
    id: "update",
    says: "updates a target",
    on: "update",
    uses: "own",
    fields: { width: 2 },
    body: DONE,
  }),
  success({
    id: "update-null",
    says: "refuses null as active_flag",
    on: "update",
    uses: "own",
    fields: { active_flag: null },
    status: 400,
    body: refused("Fail"),
  }),
  success({
    id: "update-processing",
    says: "refuses to update a target that is being processed",
    on: "update",
    uses: "new",
    fields: { width: 2 },
    status: 403,
    body: refused("TargetStatusNotSuccess"),
  }),
  success({
    id: "update-starts-processing",
    says: "refuses to update a target again while its update is processed",
    on: "update",
    uses: "own",
    before: updateIt,
    fields: { width: 3 },
    status: 403,
    body: refused("TargetStatusNotSuccess"),
  }),
  success({
    id: "delete-processing",
    says: "refuses to delete a target that is being processed",
    on: "delete",
    uses: "new",
    status: 403,
    body: refused("TargetStatusProcessing"),
  }),
  success({
    id: "delete",
    says: "deletes a target",
    on: "delete",
    uses: "own",
    body: '{"transaction_id":"<id>","result_code":"Success"}',
  }),
  success({
    id: "deleted",
    says: "does not know a deleted target",
    on: "get",
    uses: "own",
    before: deleteIt,
    status: 404,
    body: refused("UnknownTarget"),
  }),
];

/** By profile. */
const updateOfFailed: Fact = {
  ...success({
    id: "update-failed",
    says: "with a failed target is answered by profile",
    on: "update",
    uses: "failed",
    fields: { width: 2 },
    body: DONE,
  }),
  expected: ({ profile }) =>
    profile.failedTargetsCanBeUpdated
      ? { status: 200, headers: jsonHeaders(profile), body: DONE }
      : targetAnswer("TargetStatusNotSuccess 403", profile),
};

const page = (request: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n    <head>\n        <title>Not Found</title>\n    </head>\n    <body>\n        <h1>Not Found</h1>\n        <p id="detail">For request '${request}'</p>\n    </body>\n</html>\n`;

/** An unserved method: a page, or an empty body, by the prefixes of the profile. */
const unserved = (path: string): Fact => ({
  id: `target-unserved-${path.split("/")[1]}`,
  api: "target",
  sentence: `PATCH ${path}, which nothing serves, is answered with 404, and with a page where the profile has one.`,
  known: path in ONLY_NEUTRAL ? assumed : observed,
  needs: "reading",
  request: () => ({ method: "PATCH", path, headers: { "Accept-Encoding": "gzip" } }),
  expected: ({ profile }) =>
    profile.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix))
      ? {
          status: 404,
          headers: [
            ["Content-Type", "text/html; charset=UTF-8"],
            ["Content-Encoding", "gzip"],
            [profile.upstreamTimeHeader, "<integer>"],
          ],
          body: page(`PATCH ${path}`),
        }
      : { status: 404, headers: [], body: "" },
});

const paths = ["/targets", "/summary", "/duplicates/x", "/oauth2/token", "/modeltargets/datasets"];
/** Paths whose page is of one profile only. */
const ONLY_NEUTRAL = Object.fromEntries(
  paths
    .filter(
      (path) =>
        !Object.values(profiles).every((one) =>
          one.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix)),
        ),
    )
    .map((path) => [path, true]),
);

export const TARGET_ANSWERS: readonly Fact[] = [...answers, updateOfFailed, ...paths.map(unserved)];
