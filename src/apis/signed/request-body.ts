import { check } from "../../emulator/check.ts";
import type { Context } from "../../emulator/context.ts";
import { isJsonObject } from "../../emulator/json.ts";
import { header } from "../../emulator/message.ts";
import { type DeclaredResponse, refuse } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import type { Operation } from "../../schema/operation-names.ts";
import { malformedDateReason, missingDateReason, skewReason } from "../explanations/date.ts";
import type { ApiContext } from "../services.ts";
import { parseDateHeader, TARGET_API_DATE_FORMS } from "./date-header.ts";
import { fail, failure, unexpectedBody } from "./target-responses.ts";

/** Row 12: no body on `GET` and `DELETE`. */
export const noUnexpectedBody = check({
  name: "noUnexpectedBody",
  concerns: ["listTargets", "getTarget", "deleteTarget", "getDuplicates", "databaseSummary", "targetSummary"],
  refusals: [unexpectedBody],
  test: ({ request, body }: ApiContext) =>
    body.isEmpty || `a ${request.method} request must not have a body; got ${body.bytes.length} bytes`,
});

const MAX_SKEW_MS = 5 * 60_000;

/** Row 13: `Date` is present, in the accepted form, and within 5 minutes of now (exactly 5 is out). */
export const dateCurrent = check({
  name: "dateCurrent",
  refusals: [fail(400), failure("RequestTimeTooSkewed")],
  test: ({ request, now }: Context) => {
    const date = header(request, "date");
    if (date === undefined) return refuse(fail(400), missingDateReason(request, now));
    const moment = parseDateHeader(date, TARGET_API_DATE_FORMS);
    if (moment === undefined) return refuse(fail(400), malformedDateReason(date, now));
    return (
      Math.abs(now - moment) < MAX_SKEW_MS ||
      refuse(failure("RequestTimeTooSkewed"), skewReason(date, moment, now, "5 minutes"))
    );
  },
});

/** Row 14: the body is not empty. */
const bodyGiven = <Name extends Operation>(concerns: readonly Name[], refusal: DeclaredResponse) =>
  check({
    name: "bodyGiven",
    concerns,
    refusals: [refusal],
    test: ({ body }: ApiContext) => !body.isEmpty || "the body is empty; expected a JSON object",
  });

export const targetBodyGiven = bodyGiven(["addTarget", "updateTarget"], fail(500));
export const reportBodyGiven = bodyGiven(["requestReport"], fail(400));
export const instanceBodyGiven = bodyGiven(["generateInstance"], failure("BadRequest"));

/** Row 15: the body is a JSON object. */
const bodyIsJsonObject = <Name extends Operation>(concerns: readonly Name[], refusal: DeclaredResponse) =>
  check({
    name: "bodyIsJsonObject",
    concerns,
    refusals: [refusal],
    test: ({ body: { json } }: ApiContext) => {
      if (json.error !== undefined) return `the body is not valid JSON: ${json.error}`;
      return isJsonObject(json.value) || `the body must be a JSON object; got ${show(json.value)}`;
    },
  });

export const bodyIsObject = bodyIsJsonObject(["addTarget", "updateTarget", "requestReport"], fail(400));
export const instanceBodyIsObject = bodyIsJsonObject(["generateInstance"], failure("BadRequest"));

/** Row 16: the body has every required key, and only allowed ones. */
const keysAllowed = <Name extends Operation>(concerns: readonly Name[], refusal: DeclaredResponse) =>
  check({
    name: "keysAllowed",
    concerns,
    refusals: [refusal],
    test: ({ operation, body: { fields } }: ApiContext) => {
      const { required = [], optional = [] } = operation.body?.keys ?? {};
      const missing = required.filter((key) => !Object.hasOwn(fields, key));
      if (missing.length > 0) return `the body lacks ${missing.join(", ")}`;
      const unknown = Object.keys(fields).filter((key) => !required.includes(key) && !optional.includes(key));
      return (
        unknown.length === 0 ||
        `the body has unknown keys (${show(unknown.join(", "))}); expected only ${[...required, ...optional].join(", ")}`
      );
    },
  });

export const bodyKeysAllowed = keysAllowed(["addTarget", "updateTarget", "requestReport"], fail(400));
export const instanceKeysAllowed = keysAllowed(["generateInstance"], failure("BadRequest"));

/** Row 24: requests with a body name a content type; any value is accepted. */
export const contentTypeGiven = check({
  name: "contentTypeGiven",
  concerns: ["addTarget", "updateTarget", "generateInstance", "requestReport"],
  refusals: [failure("AuthenticationFailure")],
  test: ({ request }: Context) =>
    Boolean(header(request, "content-type")) ||
    "the Content-Type header is missing or empty; expected any value",
});
