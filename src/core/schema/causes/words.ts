/* Words that several sentences have in common. Facts of a value are its text as a reason shows it: JSON, cut if long. */

/** Says that a value was not set. */
export function unset(what: string, text: string): string {
  if (text === "") return `the ${what} is empty: check the variable that holds it`;
  const why = text.startsWith("[") ? "await it first" : "check the variable that holds it";
  return `the ${what} is the text ${JSON.stringify(text)}: ${why}`;
}

/** Says that a text stands for a value that was not read. */
export function unread(text: string): string {
  if (text === "[object Promise]") return `it is the text "${text}": await the value first`;
  return text.startsWith("[object")
    ? `it is the text "${text}", in place of what the object contains`
    : `it is the text "${text}": check the variable that holds it`;
}

/** Advice for a request that arrived without the headers that clients always send. */
export const NO_HEADERS =
  "the request has no headers of its own; if the client set some, another interceptor (such as a second nock or MSW in the same " +
  "process) or this runtime lost them";

export const lostHeaders = (isLost: boolean | undefined): string =>
  isLost === true ? `; ${NO_HEADERS}` : "";

export const orMore = (count: number, one: string, many: string): string => (count === 1 ? one : many);

/** Says that a header's value was sent under another name. */
export const sentAs = (other: string | undefined, name: string): string =>
  other === undefined ? "" : `, but ${other}: name it ${name}`;

/** Why there is no `Date` header. */
export type NoDate = {
  readonly lost?: "headers" | "runtime" | undefined;
  /** The header that has a date instead, such as `X-Date`. */
  readonly other?: string | undefined;
};

export function noDate({ lost, other }: NoDate): string {
  const missing = `the request has no Date header${sentAs(other, "Date")}`;
  if (other !== undefined) return missing;
  if (lost === "headers") return `${missing}: ${NO_HEADERS}`;
  return lost === "runtime"
    ? `${missing}: this runtime's fetch drops it (as happy-dom and browsers do; run the test in the node environment)`
    : missing;
}
