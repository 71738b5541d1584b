import { guard, type Refusal, refuse } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { header } from "../../http/wire-message.ts";
import { serviceError, validationError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";

/** Deeper values are refused as the real service's parser refuses them: what reads them in turn would run out of stack. */
const DEEPEST_NESTING = 1000;

/** `Content-Type` names JSON. */
export const jsonContentType = guard<Call>("jsonContentType", ({ request }) => {
  const given = header(request, "content-type") ?? "";
  if (given.includes("application/json") || given.includes("text/json")) return undefined;
  const message = "Expecting text/json or application/json body";
  return refuse(
    serviceError(415, { code: "ERROR", message }),
    `the Content-Type header is ${show(given)}; accepted are application/json and text/json`,
  );
});

/** The body is JSON in UTF-8. How it is refused is up to the profile. */
export const validJson = guard<Call>("validJson", ({ body, profile }) => {
  const { json } = body;
  if (json.error !== undefined) return invalidJson(json.error);
  return isDeeperThan(DEEPEST_NESTING, json.value)
    ? invalidJson(`nested deeper than ${DEEPEST_NESTING} levels`)
    : undefined;

  function invalidJson(problem: string): Refusal {
    const message = `Invalid Json: ${problem}`;
    return refuse(
      profile.invalidDatasetJson === "error"
        ? serviceError(400, { code: "ERROR", message })
        : validationError([message]),
      "the body must be JSON in UTF-8; the response says where it is not",
    );
  }
});

function isDeeperThan(levels: number, value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((entry) =>
      typeof entry === "object" && entry !== null ? Object.values(entry) : [],
    );
  }
  return false;
}
