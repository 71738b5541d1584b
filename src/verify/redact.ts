import { HIDDEN } from "../emulator/masking.ts";
import type { Outcome } from "./run.ts";

/** Secrets that services make: tokens, credentials, and what signs the URL of a report. */
const SENT_BACK =
  /("(?:access_token|client_secret)":\s*"|[?&](?:[\w-]+-)?(?:Security-Token|Signature|Credential)=)[^"&\s]*/gi;

/** A function that hides these secrets, and tokens, wherever they occur in a text. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const all = [...secrets].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  // A secret may come back as it is, or as a part of JSON or a URL.
  const forms = all.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  return (text) => {
    let hidden = text.replaceAll(SENT_BACK, `$1${HIDDEN}`);
    for (const form of forms) hidden = hidden.replaceAll(form, HIDDEN);
    return hidden;
  };
}

/** An outcome whose report has no secrets. */
export function redacted(outcome: Outcome, hide: (text: string) => string): Outcome {
  if (outcome.result === "untried") return { ...outcome, why: hide(outcome.why) };
  if (outcome.result === "holds") return outcome;
  return {
    ...outcome,
    differences: outcome.differences.map(({ what, expected, got }) => ({
      what: hide(what),
      expected: hide(expected),
      got: hide(got),
    })),
  };
}
