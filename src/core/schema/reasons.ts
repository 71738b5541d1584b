/*
 * Parts of reasons that the live page shows in another way. Here their text and what finds it in a reason are side by side.
 * Imports nothing: the page uses it in browsers.
 */

const STILL_PROCESSING = "still processing";
const FINISH = "; finishProcessing() ends it at once";

/** Why no query finds a target, as parts of a sentence; lists that count targets by their reason use `why` alone. */
export interface WhyNotFound {
  readonly why: string;
  readonly detail: string;
  readonly advice: string;
}

/** @param leftMs - remaining processing time. */
export const stillProcessing = (leftMs: number): WhyNotFound => ({
  why: STILL_PROCESSING,
  detail: `, for ${Math.ceil(leftMs) / 1000} s more`,
  advice: FINISH,
});

/** Whether a query does not find a target because it is being processed: the page has a button that ends it. */
export const isStillProcessing = (reason: string): boolean => reason.startsWith(STILL_PROCESSING);

/** A reason without the call that helps a test. */
export const withoutAdvice = (reason: string): string => reason.replace(FINISH, "");

/** The string to sign that was expected follows, then the one that was signed. */
export const STRINGS_TO_SIGN = "String to sign, expected: ";
/** The string to sign follows. */
export const LINES_TO_SIGN = "(method, MD5 of the body, content type, date, path)";

/** A reason without strings to sign: the page shows them line by line. */
export function withoutStringsToSign(reason: string): string {
  const [told = ""] = reason.split(STRINGS_TO_SIGN, 1);
  const [before = "", after] = told.trimEnd().split(LINES_TO_SIGN, 2);
  return after === undefined ? before : before + LINES_TO_SIGN + after.replace(/^: ".*"/s, "");
}
