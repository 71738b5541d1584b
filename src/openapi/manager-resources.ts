import { DATABASE_STATES } from "../domain/database.ts";
import { DATASET_FAMILIES } from "../domain/dataset.ts";
import { SERVICES } from "../runtime/operation.ts";
import {
  constant,
  described,
  flag,
  listOf,
  moment,
  object,
  oneOf,
  openObject,
  orNull,
  seconds,
  someText,
  text,
  wholeNumber,
} from "./schema.ts";

/** What the target manager's API sends and takes (protocol section 10). */

const rateLimit = object({
  max_requests: wholeNumber,
  window_seconds: { type: "number", exclusiveMinimum: 0, description: "In seconds." },
});
const rateLimits = {
  other: orNull(rateLimit),
  get_target: orNull(rateLimit),
  get_duplicates: orNull(rateLimit),
  list_targets: orNull(rateLimit),
};
export const keys = {
  database_name: someText,
  server_access_key: someText,
  server_secret_key: someText,
};
export const cloudKeys = {
  database_id: someText,
  ...keys,
  client_access_key: someText,
  client_secret_key: someText,
  database_type_name: someText,
};
export const stateName = { state_name: oneOf(DATABASE_STATES) };
export const counts = {
  current_month_recos: wholeNumber,
  previous_month_recos: wholeNumber,
  total_recos: wholeNumber,
};
const quotas = {
  request_quota: wholeNumber,
  reco_threshold: wholeNumber,
  ...counts,
  target_quota: wholeNumber,
  requests_per_second_limit: orNull(wholeNumber),
};
export const databaseSettings = {
  ...stateName,
  ...quotas,
  request_rate_limits: orNull(openObject({}, rateLimits)),
};
export const target = object({
  name: text,
  width: { type: "number" },
  image_base64: text,
  active_flag: flag,
  processing_time_seconds: seconds,
  application_metadata: orNull(text),
  target_id: text,
  last_modified_date: moment,
  delete_date_optional: orNull(moment),
  upload_date: moment,
  tracking_rating: { type: "integer", minimum: -1, maximum: 5 },
  ...counts,
  reco_rating: constant(""),
});
export const cloudDatabase = object({
  ...cloudKeys,
  ...stateName,
  targets: listOf(target),
  ...quotas,
  request_rate_limits: orNull(object(rateLimits)),
});
export const templateTarget = object({
  target_id: text,
  name: text,
  processing_time_seconds: seconds,
  last_modified_date: moment,
  upload_date: moment,
});
export const vuMarkDatabase = object({ ...keys, ...stateName, vumark_targets: listOf(templateTarget) });
const warning = orNull(object({ message: text, details: listOf(openObject({})) }));
export const dataset = {
  request_body: openObject({}),
  dataset_type_name: oneOf(DATASET_FAMILIES),
  processing_time_seconds: seconds,
  generation_failure_message: orNull(text),
  generation_warning: warning,
  uuid: someText,
  created_at: moment,
};
export const credential = { client_id: someText, client_secret: someText, scopes: listOf(someText) };

export const request = object({
  number: { type: "integer", minimum: 1 },
  time: moment,
  api: oneOf(SERVICES),
  operation: orNull(text),
  method: text,
  path: text,
  status: orNull({ type: "integer", minimum: 200, maximum: 599 }),
  result_code: orNull(text),
  refused_by: orNull(text),
  fault: orNull(text),
  reason: orNull(text),
  database_name: orNull(text),
  duration_ms: { type: "number", minimum: 0 },
  considered: orNull(listOf(object({ target_id: text, name: text, matched: flag, why: text }))),
});

/** The one clock of all servers. */
export const clock = object({ now: moment, frozen: flag });

/** Its records are this project's own. */
export const snapshot = openObject({
  version: { type: "integer", const: 1 },
  databases: listOf({ type: "object" }),
  datasets: listOf({ type: "object" }),
  credentials: listOf({ type: "object" }),
  images: described({ type: "object" }, "Base64 by SHA-256."),
});
