import type { ProfileName } from "mock-cloud-reco";
import { asciiJson } from "../support/values.ts";
import type { Expected, Situation } from "./engine/fact.ts";
import { ANSWERS, type Answer, type Group, type OneAnswer } from "./rows.ts";
import { filled, lookupIn } from "./values.ts";

type Described = Exclude<OneAnswer, string>;

/** The body of a validation error with these messages; they may contain placeholders. */
const validationError = (messages: readonly string[]): string =>
  `{"error":{"code":"BAD_REQUEST","message":"Validation error for request <same>","target":"<same>","details":${asciiJson(
    messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
  )}}}`;

/** Finds an answer by its name, such as `created`, or by code and status: `Fail 400`. */
function described(answer: Answer, api: Group["api"], profile: ProfileName): Described {
  if (typeof answer === "object")
    return "status" in answer ? answer : described(answer[profile], api, profile);
  const named = ANSWERS.named[answer];
  if (named !== undefined) return described(named, api, profile);
  const [, code = "", status] = /^(\w+) (\d{3})$/.exec(answer) ?? [];
  if (status === undefined) throw new Error(`no answer ${answer}`);
  return { status: Number(status), body: ANSWERS.codes[api].replace("CODE", code) };
}

/** Returns the response that a row expects in a situation. */
export function answerOf(
  answer: Answer,
  api: Group["api"],
  at: Situation,
  own?: Readonly<Record<string, unknown>>,
): Expected {
  const { profile } = at;
  const {
    status,
    head = api,
    type = "application/json",
    headers = {},
    body,
    findings,
  } = described(answer, api, profile);
  const words: Readonly<Record<string, string>> = { ...ANSWERS.profiles[profile], type };
  const lookup = lookupIn(at, own);
  const inHeaders = (text: string) => filled(text, (name) => words[name] ?? lookup(name));
  const named = ANSWERS.heads[head];
  if (named === undefined) throw new Error(`no head ${head}`);
  const all = [...named.flatMap((one) => Object.entries(one)), ...Object.entries(headers)];
  const text = findings === undefined ? (body ?? "") : validationError(findings);
  return {
    status,
    // A header whose name is empty under this profile is not sent.
    headers: all
      .map(([name, value]) => [inHeaders(name), inHeaders(value)] as const)
      .filter(([name]) => name !== ""),
    body: filled(text, (name) => words[name] ?? asciiJson(lookup(name)).slice(1, -1)),
  };
}
