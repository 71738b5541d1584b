import type { Exchange, Respond } from "../http/exchange.ts";
import { guard, refuse } from "../http/guard.ts";
import { isJsonObject } from "../http/request-body.ts";
import { show } from "../http/show.ts";
import { header } from "../http/wire-message.ts";
import { failure, unexpectedBody } from "../responses/target-api.ts";
import type { Operation } from "../runtime/operation.ts";
import type { Call } from "../services.ts";
import { parseDateHeader, TARGET_API_DATE_FORMS } from "./date-header.ts";

/** The keys of each operation's body: required and optional. Operations without a body are not here. */
const BODY_KEYS: Partial<Record<Operation, { required: readonly string[]; optional: readonly string[] }>> = {
  addTarget: { required: ["name", "width", "image"], optional: ["active_flag", "application_metadata"] },
  updateTarget: { required: [], optional: ["name", "width", "image", "active_flag", "application_metadata"] },
  generateInstance: { required: ["instance_id"], optional: [] },
  requestReport: { required: ["month"], optional: [] },
};

const takesBody = ({ operation }: Call): boolean => BODY_KEYS[operation] !== undefined;

/** How a malformed body is refused. */
const malformed = ({ operation }: Call): Respond =>
  operation === "generateInstance" ? failure("BadRequest") : failure("Fail");

/** Row 12: no body on `GET` and `DELETE`. */
export const noUnexpectedBody = guard<Call>("noUnexpectedBody", (call) =>
  takesBody(call) || call.body.isEmpty
    ? undefined
    : refuse(
        unexpectedBody,
        `a ${call.request.method} request takes no body, got ${call.body.bytes.length} bytes`,
      ),
);

const MAX_SKEW_MS = 5 * 60_000;
const DATE_WANTED = 'it wants a form like "Sat, 21 Nov 2026 10:42:00 GMT"';

/** Row 13: `Date` is there, in the one form, within 5 minutes of now (exactly 5 is out). */
export const dateCurrent = guard<Exchange>("dateCurrent", ({ request, now }) => {
  const date = header(request, "date");
  if (date === undefined) return refuse(failure("Fail"), `the request has no Date header; ${DATE_WANTED}`);
  const moment = parseDateHeader(date, TARGET_API_DATE_FORMS);
  if (moment === undefined)
    return refuse(failure("Fail"), `the Date header is ${show(date)}; ${DATE_WANTED}`);
  return Math.abs(now - moment) < MAX_SKEW_MS
    ? undefined
    : refuse(failure("RequestTimeTooSkewed"), skewReason(date, now, "5 minutes"));
});

export const skewReason = (date: string, now: number, allowed: string): string =>
  `the Date header is ${show(date)}, but the service's clock says ${new Date(now).toUTCString()}; less than ${allowed} apart is accepted: ` +
  "correct the client's clock, or the mock's if a test set it";

/** Row 14: a body where one belongs. */
export const bodyGiven = guard<Call>("bodyGiven", (call) => {
  if (!takesBody(call) || !call.body.isEmpty) return undefined;
  const status = call.operation === "addTarget" || call.operation === "updateTarget" ? 500 : undefined;
  return refuse(
    status === undefined ? malformed(call) : failure("Fail", status),
    "the body is empty; it wants a JSON object",
  );
});

/** Row 15: the body is a JSON object. */
export const bodyIsJsonObject = guard<Call>("bodyIsJsonObject", (call) => {
  if (!takesBody(call)) return undefined;
  const { json } = call.body;
  if (json.error !== undefined) return refuse(malformed(call), `the body is no JSON: ${json.error}`);
  return isJsonObject(json.value)
    ? undefined
    : refuse(malformed(call), `the body must be a JSON object, got ${show(json.value)}`);
});

/** Row 16: only allowed keys, and every required one. */
export const keysAllowed = guard<Call>("keysAllowed", (call) => {
  const keys = BODY_KEYS[call.operation];
  if (keys === undefined) return undefined;
  const { required, optional } = keys;
  const { fields } = call.body;
  const missing = required.filter((key) => !Object.hasOwn(fields, key));
  if (missing.length > 0) return refuse(malformed(call), `the body lacks ${missing.join(", ")}`);
  const unknown = Object.keys(fields).filter((key) => !required.includes(key) && !optional.includes(key));
  return unknown.length === 0
    ? undefined
    : refuse(
        malformed(call),
        `the body has unknown keys (${show(unknown.join(", "))}); accepted are ${[...required, ...optional].join(", ")}`,
      );
});

/** Row 24: requests with a body name their content type; any value will do. */
export const contentTypeGiven = guard<Call>("contentTypeGiven", (call) =>
  takesBody(call) && !header(call.request, "content-type")
    ? refuse(
        failure("AuthenticationFailure"),
        "the Content-Type header is missing or empty; any value will do",
      )
    : undefined,
);
