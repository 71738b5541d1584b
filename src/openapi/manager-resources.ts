import { described, flag, listOf, moment, object, oneOf, orNull, text } from "../core/json-schema.ts";
import { SERVICES } from "../core/operation-names.ts";

/** A request as the journal of the target manager lists it. */
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
  other_targets: orNull(described({ type: "object" }, "How many targets more were considered, by reason.")),
});
