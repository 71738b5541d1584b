import type { Profile } from "../emulator/profiles.ts";
import { asciiJson } from "../emulator/text.ts";
import { type Expected, type Fact, type Situation, slug } from "./fact.ts";
import { ok, TARGET } from "./kinds.ts";
import { acceptedImage, type Draft, fields, header, path, set } from "./requests.ts";
import {
  ASSUMED,
  type Change,
  DOCUMENTED,
  factsOf,
  type More,
  RECORDED,
  type Row,
  requestTo,
} from "./row.ts";
import { base64 } from "./target-refusals.ts";

const counts = (...names: readonly string[]): string => names.map((name) => `"${name}":<integer>`).join(",");
const RECOS = ["total_recos", "current_month_recos", "previous_month_recos"];
const IMAGES = ["active_images", "inactive_images", "failed_images"];
const SUMMARY = ok(({ profile }) =>
  profile.successBodies === "recorded"
    ? `{"name":"<text>","result_code":"Success","transaction_id":"<id>",${counts(...IMAGES, "processing_images", "target_quota", "request_quota", "reco_threshold", "request_usage", ...RECOS)}}`
    : `{"result_code":"Success","transaction_id":"<id>","name":"<text>",${counts(...IMAGES, "target_quota", ...RECOS, "processing_images", "reco_threshold", "request_quota", "request_usage", "request_count")}}`,
);
const LIST = ok('{"transaction_id":"<id>","result_code":"Success","results":[<any>]}');
const CREATED = ok('{"transaction_id":"<id>","result_code":"TargetCreated","target_id":"<id>"}', 201);
const DONE = ok('{"result_code":"Success","transaction_id":"<id>"}');
const DELETED = ok('{"transaction_id":"<id>","result_code":"Success"}');
const DUPLICATES = ok('{"transaction_id":"<id>","result_code":"Success","similar_targets":[<any>]}');
const NOT_SUCCESS = "TargetStatusNotSuccess 403";
const FAILED_UPDATE = (at: Situation) =>
  at.profile.failedTargetsCanBeUpdated ? DONE(at) : TARGET.named(NOT_SUCCESS, at);
const recordOf = (target: string, status: string, rating: string, width = 1): string =>
  `{"result_code":"Success","transaction_id":"<id>","target_record":{${target},"width":${width},"tracking_rating":${rating},"reco_rating":""},"status":"${status}"}`;
const record = (status: string, rating = "<integer>") =>
  ok(({ targetId, targetName }) =>
    recordOf(`"target_id":"${targetId}","active_flag":true,"name":"${targetName}"`, status, rating),
  );
const TARGET_SUMMARY = ok(
  ({ targetName }) =>
    `{"status":"success","transaction_id":"<id>","result_code":"Success","database_name":"<text>","target_name":"${targetName}",` +
    '"upload_date":"<text>","active_flag":true,"tracking_rating":<integer>,"total_recos":<integer>,' +
    '"current_month_recos":<integer>,"previous_month_recos":<integer>}',
);

const metadata = (application_metadata: unknown) => fields({ application_metadata });
const LONGEST = base64(Buffer.alloc(1_048_575));
const flag = (active_flag: unknown) => fields({ active_flag });
const width = (width: number) => fields({ width });
const expectContinue = header("Expect", "100-continue");
const CONTINUED: More = { ...ASSUMED, alsoExpected: { continued: true } };
const percentEncoded = path(({ targetId: id }) => `/targets/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`);
const linesOf60 = fields({ image: acceptedImage().replace(/.{1,60}/g, "$&\n") });
const linesOfMime = fields({ image: acceptedImage().replace(/.{76}/g, "$&\r\n") });
const lines = metadata("YWJj\r\nYWJj");
const longLine = header("X-Long", "x".repeat(8182));
const overHttp2 = set({ offersHttp2: true });
const OVER_LIMIT = "over the limit";
const STILL_PROCESSING = "TargetStatusProcessing 403";
const NEW_RECORD = record("processing", "-1");
const HTTP_2: More = { ...ASSUMED, overTls: true, alsoExpected: { protocol: "http/1.1" } };
const OF_INACTIVE: More = { database: { state_name: "PROJECT_INACTIVE" } };
const NEW: More = { uses: "new" };
const FAILED: More = { uses: "failed" };
const OWN: More = { uses: "own" };
const before = (on: string, ...changes: readonly Change<Draft>[]): More => ({
  before: [requestTo(TARGET, on, ...changes)],
});

/** Two lists at the end of a minute, and one more 15 seconds later. */
const listAt = (second: number, quiet = false) => set({ moment: { second, quiet } });
const OVER_THE_MINUTE: More = {
  ...{ needs: "spending", isUsual: true },
  database: { request_rate_limits: { list_targets: { max_requests: 2, window_seconds: 60 } } },
  before: [requestTo(TARGET, "list", listAt(50, true)), requestTo(TARGET, "list", listAt(51))],
};

/** Of a target that was added with a flag, the record. */
const ADDED = path(({ given }) => `/targets/${given("target_id")}`);
const kept = (shown: (at: Situation) => string, width = 1) =>
  ok((at) => recordOf(`"target_id":"<id>",${shown(at)}`, "<text>", "<integer>", width));
const keptFlag = (shown: boolean) => kept(() => `"active_flag":${shown},"name":"<text>"`);
const kept50 = kept(() => `"active_flag":<flag>,"name":"<text>"`, 50);
const width50: Change<Draft> = (draft) => {
  draft.bytes = Buffer.from(JSON.stringify(draft.fields).replace('"width":1', '"width":50.0'));
};
const longName = (start: string, character: string) => (at: Situation) =>
  at.named(start).padEnd(64, character);
const name = (id: string, character: string): Row<Draft> => {
  const named = longName(`${id} `, character);
  const added = before(
    "add",
    fields((at) => ({ name: named(at) })),
  );
  const answer = kept((at) => `"active_flag":true,"name":${asciiJson(named(at))}`);
  return ["get", `keeps-name-${id}: shows a name of 64 characters (${id})`, answer, ADDED, DOCUMENTED, added];
};

/** What the recordings show; `width` 50.0 came back as 50. */
const RECORDINGS: readonly Row<Draft>[] = [
  ["summary", "database-summary: answers with quotas and counts", SUMMARY],
  ["list", "list: answers with the ids of the targets", LIST],
  ["add", "add: adds a target", CREATED],
  ["get", "record: answers with the record of a target", record("success")],
  ["target summary", "summary: answers with the status and the counts of a target", TARGET_SUMMARY],
  ["duplicates", "duplicates: answers with the ids of similar targets", DUPLICATES],
  ["update", "update: updates a target", DONE, width(2)],
  ["delete", "delete: deletes a target", DELETED],
  ["add", "accepts-image-in-lines: accepts base64 in lines of 60 characters", CREATED, linesOf60],
  ["get", "keeps-width-50: shows a width of 50.0 as 50", kept50, ADDED, before("add", width50)],
];

const ANSWERS: readonly Row<Draft>[] = [
  ["summary", "query-string: ignores a query string, and does not sign it", SUMMARY, path("/summary?any=1")],
  ["summary", "header-line-8190: accepts a header line of 8190 bytes", SUMMARY, longLine],
  ["summary", "inactive-summary: is served for an inactive database", SUMMARY, OF_INACTIVE],
  ["add", "accepts-metadata-without-padding: accepts metadata without padding", CREATED, metadata("XN")],
  ["add", "accepts-null-flag: accepts null as active_flag, which means true", CREATED, flag(null)],
  ["add", "accepts-null-metadata: accepts null as application_metadata", CREATED, metadata(null)],
  [
    "add",
    "accepts-metadata-1048575: accepts so many bytes of metadata",
    CREATED,
    metadata(LONGEST),
    DOCUMENTED,
  ],
  ["add", "accepts-flag-1: accepts 1 as active_flag", CREATED, flag(1), ASSUMED],
  ["add", "accepts-flag-0: accepts 0 as active_flag", CREATED, flag(0), ASSUMED],
  ["get", "record-processing: gives a new target the rating -1", NEW_RECORD, NEW],
  ["get", "record-failed: fails an image of one colour", record("failed"), FAILED],
  ["update", "update-null-active-flag: refuses null as active_flag", "Fail 400", flag(null)],
  ["update", "update-null-application-metadata: refuses null as metadata", "Fail 400", metadata(null)],
  ["update", "update-processing: refuses a target that is being processed", NOT_SUCCESS, width(2), NEW],
  [
    "update",
    "update-starts-processing: refuses a target whose update is being processed",
    NOT_SUCCESS,
    width(3),
    OWN,
    before("update", width(2)),
  ],
  ["update", "update-failed: takes a failed target or not, by profile", FAILED_UPDATE, width(2), FAILED],
  ["delete", "delete-processing: refuses a target that is being processed", STILL_PROCESSING, NEW],
  ["get", "deleted: knows no deleted target", "UnknownTarget 404", OWN, before("delete")],
  ["get", "keeps-flag-null: shows the flag null as true", keptFlag(true), ADDED, before("add", flag(null))],
  ["get", "keeps-flag-1: shows the flag 1 as true", keptFlag(true), ADDED, before("add", flag(1)), ASSUMED],
  ["get", "keeps-flag-0: shows the flag 0 as false", keptFlag(false), ADDED, before("add", flag(0)), ASSUMED],
  name("x", "x"),
  name("e-acute", "é"),
  name("u-ffff", "\uffff"),
  [
    "summary",
    "expect-continue: answers `Expect: 100-continue` with 100 first",
    SUMMARY,
    expectContinue,
    CONTINUED,
  ],
  [
    "add",
    "expect-continue-add: answers `Expect: 100-continue` before the body",
    CREATED,
    expectContinue,
    CONTINUED,
  ],
  [
    "get",
    "percent-encoded-id: finds the id percent-encoded, as it is signed",
    record("success"),
    percentEncoded,
    ASSUMED,
  ],
  ["summary", "http-2: chooses HTTP/1.1 when HTTP/2 is offered too", SUMMARY, overHttp2, HTTP_2],
  ["add", "image-with-a-line-break: accepts base64 in lines of MIME", CREATED, linesOfMime, ASSUMED],
  [
    "update",
    "update-metadata-with-a-line-break: accepts a line break at its end",
    DONE,
    metadata("dGV4dA==\n"),
    OWN,
    ASSUMED,
  ],
  ["add", "accepts-metadata-in-lines: accepts metadata with a line break", CREATED, lines, ASSUMED],
];

const LIMITED: readonly Row<Draft>[] = [
  // Seen at the real service on 2026-09-08.
  [
    "list",
    "list-over-the-minute: counts the last 60 s, or the clock's minute, by profile",
    (at) => (at.profile.alignedWindowSeconds === null ? TARGET.named(OVER_LIMIT, at) : LIST(at)),
    listAt(5),
    OVER_THE_MINUTE,
  ],
];

const page = (request: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n    <head>\n        <title>Not Found</title>\n    </head>\n    <body>\n        <h1>Not Found</h1>\n        <p id="detail">For request '${request}'</p>\n    </body>\n</html>\n`;

/** A page, or an empty body, by the prefixes of the profile. */
const pageAt =
  (path: string, shown: string, isGzipped = true) =>
  ({ profile }: { readonly profile: Profile }): Expected =>
    profile.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix))
      ? {
          status: 404,
          headers: [
            ["Content-Type", "text/html; charset=UTF-8"],
            ...(isGzipped || profile.notFoundPageEncoding === "always"
              ? [["Content-Encoding", "gzip"] as const]
              : []),
            [profile.upstreamTimeHeader, "<integer>"],
          ],
          body: page(shown),
        }
      : { status: 404, headers: [], body: "" };

const unserved = (on: string, ...more: readonly More[]): Row<Draft> => [
  "unserved",
  `${slug(on.replaceAll("/x", ""))}: PATCH ${on}, which nothing serves, is answered with 404, and with a page where the profile has one`,
  pageAt(on, `PATCH ${on}`),
  path(on),
  ...more,
];
const encoded = (accepted: string | null, isGzipped: boolean): Row<Draft> => [
  "unserved",
  `encoding-${slug(accepted?.replace("*", "any") ?? "none")}: PUT /summary, which nothing serves, is answered with a page whose encoding follows Accept-Encoding ${accepted}, or is always gzip, by profile`,
  pageAt("/summary", "PUT /summary", isGzipped),
  set({ method: "PUT", path: "/summary?x=1" }),
  header("Accept-Encoding", accepted),
];
const ESCAPED = "/targets/%3Cb%3E&%22'%2541";
const postEscaped = set({ method: "POST", path: ESCAPED });
const escapedPage = pageAt(ESCAPED, "POST /targets/&lt;b&gt;&amp;&quot;&#x27;%41");

const UNSERVED: readonly Row<Draft>[] = [
  unserved("/targets"),
  unserved("/summary"),
  unserved("/duplicates/x"),
  unserved("/targets/x/instances"),
  unserved("/imagetargets/databases/x/reports/recoCounts"),
  unserved("/oauth2/token"),
  unserved("/modeltargets/datasets"),
  // At the real service reports are on another host.
  unserved("/reports/x/2026-11.csv", ASSUMED),
  encoded(null, false),
  encoded("identity", false),
  encoded("br", false),
  encoded("gzip;q=0, *", false),
  encoded("br, gzip;q=0.1", true),
  encoded("*", true),
  ["unserved", "percent-encoded: shows the path decoded once and escaped", escapedPage, postEscaped, ASSUMED],
];

export const TARGET_ANSWERS: readonly Fact[] = [
  ...factsOf(TARGET, { ids: "target", more: RECORDED, rows: { served: RECORDINGS } }),
  ...factsOf(TARGET, { ids: "target", rows: { served: [...ANSWERS, ...LIMITED] } }),
  ...factsOf(TARGET, { ids: "target unserved", more: { needs: "reading" }, rows: { served: UNSERVED } }),
];
