import { asciiJson } from "../emulator/text.ts";
import {
  assumed,
  documented,
  type Fact,
  type Known,
  type MakeRequest,
  observed,
  type Situation,
} from "./fact.ts";
import { draftOf, signed } from "./requests.ts";
import { refused, success } from "./target-answer.ts";
import { jsonHeaders, targetAnswer } from "./target-facts.ts";

export const SUMMARY =
  '{"result_code":"Success","transaction_id":"<id>","name":"<text>","active_images":<integer>,"inactive_images":<integer>,' +
  '"failed_images":<integer>,"target_quota":<integer>,"total_recos":<integer>,"current_month_recos":<integer>,' +
  '"previous_month_recos":<integer>,"processing_images":<integer>,"reco_threshold":<integer>,"request_quota":<integer>,' +
  '"request_usage":<integer>,"request_count":<integer>}';
export const CREATED = '{"transaction_id":"<id>","result_code":"TargetCreated","target_id":"<id>"}';
const DONE = '{"result_code":"Success","transaction_id":"<id>"}';
export const record = (status: string, rating: string) => (at: Situation) =>
  `{"result_code":"Success","transaction_id":"<id>","target_record":{"target_id":"${at.targetId}","active_flag":true,` +
  `"name":"${at.targetName}","width":1,"tracking_rating":${rating},"reco_rating":""},"status":"${status}"}`;

const deleteIt: MakeRequest = (at) => signed(draftOf("delete", at), at);
const updateIt: MakeRequest = (at) => signed({ ...draftOf("update", at), fields: { width: 2 } }, at);
const summaryOf = (status: string, name: string): string =>
  `{"status":"${status}","transaction_id":"<id>","result_code":"Success","database_name":"<text>","target_name":"${name}",` +
  '"upload_date":"<text>","active_flag":true,"tracking_rating":<integer>,"total_recos":<integer>,' +
  '"current_month_recos":<integer>,"previous_month_recos":<integer>}';

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
  success({ id: "add", says: "adds a target", on: "add", status: 201, body: CREATED }),
  accepted("metadata-without-padding", "base64 metadata without padding", { application_metadata: "XN" }),
  accepted("null-flag", "null as active_flag, which means true", { active_flag: null }),
  accepted("null-metadata", "null as application_metadata", { application_metadata: null }),
  accepted(
    "metadata-1048575",
    "metadata of 1048575 bytes",
    { application_metadata: Buffer.alloc(1_048_575).toString("base64") },
    documented,
  ),
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
    body: ({ targetName }) => summaryOf("success", targetName),
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
  ...["active_flag", "application_metadata"].map((field) =>
    success({
      id: `update-null-${field.replace("_", "-")}`,
      says: `refuses null as ${field}`,
      on: "update",
      uses: "own",
      fields: { [field]: null },
      status: 400,
      body: refused("Fail"),
    }),
  ),
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
    before: [updateIt],
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
    before: [deleteIt],
    status: 404,
    body: refused("UnknownTarget"),
  }),
];

/** What an addition keeps, as the record of the new target shows. */
const kept = (
  id: string,
  what: string,
  fields: (at: Situation) => Readonly<Record<string, unknown>>,
  record: (at: Situation) => string,
  known: Known,
): Fact => ({
  ...success({ id: `keeps-${id}`, says: `shows ${what}`, on: "get", body: "", known }),
  before: [
    (at) => {
      const draft = draftOf("add", at);
      return signed({ ...draft, fields: { ...draft.fields, ...fields(at) } }, at);
    },
  ],
  request: (at) => signed({ ...draftOf("get", at), path: `/targets/${at.given("target_id")}` }, at),
  expected: (at) => ({
    status: 200,
    headers: jsonHeaders(at.profile),
    body: `{"result_code":"Success","transaction_id":"<id>","target_record":{"target_id":"<id>",${record(at)},"width":1,"tracking_rating":<integer>,"reco_rating":""},"status":"<text>"}`,
  }),
});
const flag = (given: 0 | 1 | null, shown: boolean, known: Known): Fact =>
  kept(
    `flag-${given}`,
    `active_flag ${given} of a new target as ${shown}`,
    () => ({ active_flag: given }),
    () => `"active_flag":${shown},"name":"<text>"`,
    known,
  );
const name = (id: string, character: string): Fact => {
  const named = (at: Situation) => at.named(`${id} `).padEnd(64, character);
  return kept(
    `name-${id}`,
    `a name of 64 characters (${id})`,
    (at) => ({ name: named(at) }),
    (at) => `"active_flag":true,"name":${asciiJson(named(at))}`,
    documented,
  );
};
const additions: readonly Fact[] = [
  flag(null, true, observed),
  flag(1, true, assumed),
  flag(0, false, assumed),
  name("x", "x"),
  name("e-acute", "é"),
  name("u-ffff", "\uffff"),
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

export const TARGET_ANSWERS: readonly Fact[] = [...answers, ...additions, updateOfFailed];
