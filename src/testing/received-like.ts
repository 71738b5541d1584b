import { inspect, isDeepStrictEqual, types } from "node:util";
import type { JournalEntry } from "../index.ts";

/** What a value must be: the same; for text also a pattern; or what a matcher such as `expect.any(Number)` says. */
export type Wanted = unknown;

/** How often a request is expected, and what was sent in it. */
export interface ReceivedLike {
  /** Exactly so many times, 0 or more. Default: at least once. */
  readonly times?: number;
  /** Fields of the form that was sent: text, a pattern, or the bytes of a file; other fields may have been sent too. */
  readonly fields?: Readonly<Record<string, Wanted>>;
  /** Headers that were sent, by name without case: text or a pattern. */
  readonly headers?: Readonly<Record<string, Wanted>>;
  /** The JSON that was sent; objects may have had further keys. */
  readonly json?: Wanted;
}

const NAMES: readonly string[] = ["times", "fields", "headers", "json"] satisfies (keyof ReceivedLike)[];

/** @throws TypeError naming what is wrong. */
export function checkLike(like: ReceivedLike): void {
  const mistyped = Object.keys(like).find((name) => !NAMES.includes(name));
  if (mistyped !== undefined) {
    throw new TypeError(
      `${mistyped} is no option of toHaveReceived: expected ${NAMES.join(", ")}, and filters go into the first argument`,
    );
  }
  const { times } = like;
  if (times !== undefined && (!Number.isInteger(times) || times < 0)) {
    throw new TypeError(`times must be a whole number from 0 on, got ${inspect(times)}`);
  }
  for (const name of ["fields", "headers"] as const) {
    const given: unknown = like[name];
    if (given !== undefined && (typeof given !== "object" || given === null)) {
      throw new TypeError(`${name} must be an object of names and values, got ${inspect(given)}`);
    }
  }
}

/** Whether what was sent in a request is like this. */
export function isLike({ request }: JournalEntry, { fields, headers, json }: ReceivedLike): boolean {
  const { body } = request;
  return (
    matches(request.headers, headers && withLowerCaseNames(headers)) &&
    matches(fields && withoutFiles(body.fields), fields) &&
    matches(json === undefined ? undefined : body.json, json)
  );
}

/** Files by their bytes. */
const withoutFiles = (fields: JournalEntry["request"]["body"]["fields"]) =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : value.bytes]),
  );

const withLowerCaseNames = (headers: Readonly<Record<string, Wanted>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Undefined asks for nothing. */
function matches(given: unknown, wanted: Wanted): boolean {
  if (wanted === undefined) return true;
  if (types.isRegExp(wanted)) return typeof given === "string" && new RegExp(wanted).test(given);
  if (types.isUint8Array(wanted)) return types.isUint8Array(given) && Buffer.from(wanted).equals(given);
  if (typeof wanted !== "object" || wanted === null) return isDeepStrictEqual(given, wanted);
  const asymmetricMatch: unknown = Reflect.get(wanted, "asymmetricMatch");
  if (typeof asymmetricMatch === "function") return asymmetricMatch.call(wanted, given) === true;
  if (typeof given !== "object" || given === null || Array.isArray(given) !== Array.isArray(wanted))
    return false;
  if (Array.isArray(wanted) && Array.isArray(given) && wanted.length !== given.length) return false;
  return Object.entries(wanted).every(([name, value]) => matches(Reflect.get(given, name), value));
}
