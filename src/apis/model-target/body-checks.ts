import { check } from "../../emulator/check.ts";
import type { Context, OperationContext } from "../../emulator/context.ts";
import { header } from "../../emulator/message.ts";
import { type Refusal, refuse } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { contentLengthFit, contentLengthReason } from "../signed/framing.ts";
import { loadBalancerPage } from "../signed/pages.ts";
import { serviceError, validationError } from "./responses.ts";

/** `Content-Length`, where visible, is an integer; any integer will do. */
export const contentLengthIsInteger = check({
  name: "contentLengthIsInteger",
  refusals: [loadBalancerPage],
  test: ({ request }: Context) =>
    contentLengthFit(request) !== "notAnInteger" || contentLengthReason(request),
});

/** The same for requests that create a dataset; the profile decides the response. */
export const creationLengthIsInteger = check({
  name: "contentLengthIsInteger",
  refusals: ({ invalidDatasetLength }) => [
    invalidDatasetLength === "page" ? loadBalancerPage : validationError,
  ],
  test: ({ request, profile }: Context): true | Refusal => {
    if (contentLengthFit(request) !== "notAnInteger") return true;
    const reason = contentLengthReason(request);
    return profile.invalidDatasetLength === "page"
      ? refuse(loadBalancerPage, reason)
      : refuse(validationError, reason, ["The Content-Length header must be an integer"]);
  },
});

const EXPECTED_TYPE = "Expecting text/json or application/json body";
const wrongContentType = serviceError(415, "ERROR", "The content type is not JSON.", () => ({
  message: EXPECTED_TYPE,
}));

/** `Content-Type` names JSON. */
export const jsonContentType = check({
  name: "jsonContentType",
  refusals: [wrongContentType],
  test: ({ request }: Context) => {
    const given = header(request, "content-type") ?? "";
    return (
      given.includes("application/json") ||
      given.includes("text/json") ||
      `the Content-Type header is ${show(given)}; expected application/json or text/json`
    );
  },
});

const invalidJson = serviceError<string>(400, "ERROR", "The body is not valid JSON.", (message) => ({
  message,
}));

/** The body is JSON in UTF-8; the profile decides how it is refused. */
export const validJson = check({
  name: "validJson",
  refusals: ({ invalidDatasetJson }) => [invalidDatasetJson === "error" ? invalidJson : validationError],
  test: ({ body: { json }, profile }: OperationContext): true | Refusal => {
    if (json.error === undefined) return true;
    const message = `Invalid Json: ${json.error}`;
    const reason = `the body must be JSON in UTF-8; ${json.error}`;
    return profile.invalidDatasetJson === "error"
      ? refuse(invalidJson, reason, message)
      : refuse(validationError, reason, [message]);
  },
});
