/* Words that several sentences have in common. Facts of a value are its text as a reason shows it: JSON, cut if long. */

/** Says that a text stands for a value that was not set or not read. */
export function unset(what: string, text: string): string {
  if (text === "") return `check the variable that holds ${what}: it is empty`;
  if (text === "[object Promise]") return `await ${what} first: it is the text "${text}"`;
  const advice = text.startsWith("[object")
    ? "send what the object contains as"
    : "check the variable that holds";
  return `${advice} ${what}: it is the text ${JSON.stringify(text)}`;
}

/** Advice for a request that arrived without the headers that clients always send. */
export const NO_HEADERS =
  "the request has no headers of its own; if the client set some, another interceptor (such as a second nock or MSW in the same " +
  "process) or this runtime lost them";

export const lostHeaders = (isLost: boolean | undefined): string =>
  isLost === true ? `; ${NO_HEADERS}` : "";

export const orMore = (count: number, one: string, many: string): string => (count === 1 ? one : many);

/** Why there is no `Date` header. */
export type NoDate = {
  readonly lost?: "headers" | "runtime" | undefined;
  /** The header that has a date instead, such as `X-Date`. */
  readonly other?: string | undefined;
};

export function noDate({ lost, other }: NoDate): string {
  const missing = "the request has no Date header";
  if (other !== undefined) return `name the header Date: ${missing}, but ${other}`;
  if (lost === "headers") return `send the Date header that is signed: ${NO_HEADERS}`;
  return lost === "runtime"
    ? `run the test in the node environment: ${missing}, because this runtime's fetch drops it, as happy-dom and browsers do`
    : `send the Date header that is signed: ${missing}`;
}
