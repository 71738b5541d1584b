import { inspect, isDeepStrictEqual, types } from "node:util";
import type { JournalEntry } from "../index.ts";

/** An expected value: an equal value, a pattern for text, or an asymmetric matcher such as `expect.any(Number)`. */
export type ExpectedValue = unknown;

/**
 * How often a request is expected, and with which content.
 *
 * @example { times: 1, headers: { "content-type": /^multipart/ }, fields: { max_num_results: "5" } }
 */
export interface ReceivedLike {
  /** Exact number of requests, 0 or more. Default: at least one. */
  readonly times?: number;
  /** Form fields: text, a pattern, or the bytes of a file. Other fields may be present. */
  readonly fields?: Readonly<Record<string, ExpectedValue>>;
  /** Headers by case-insensitive name: text or a pattern. Other headers may be present. */
  readonly headers?: Readonly<Record<string, ExpectedValue>>;
  /** JSON body; its objects may have further keys. */
  readonly json?: ExpectedValue;
}

const NAMES: readonly string[] = ["times", "fields", "headers", "json"] satisfies (keyof ReceivedLike)[];

/** @throws TypeError for an unknown option or an invalid value. */
export function checkLike(like: ReceivedLike): void {
  const mistyped = Object.keys(like).find((name) => !NAMES.includes(name));
  if (mistyped !== undefined) {
    throw new TypeError(
      `${mistyped} is not a toHaveReceived option: expected ${NAMES.join(", ")}; pass filters as the first argument`,
    );
  }
  const { times } = like;
  if (times !== undefined && (!Number.isInteger(times) || times < 0)) {
    throw new TypeError(`times must be a whole number, 0 or more; got ${inspect(times)}`);
  }
  for (const name of ["fields", "headers"] as const) {
    const given: unknown = like[name];
    if (given !== undefined && (typeof given !== "object" || given === null)) {
      throw new TypeError(`${name} must be an object of names and values; got ${inspect(given)}`);
    }
  }
}

/** Whether the content of a request is as expected. */
export function isLike({ request }: JournalEntry, { fields, headers, json }: ReceivedLike): boolean {
  const { body } = request;
  return (
    matches(request.headers, headers && withLowerCaseNames(headers)) &&
    matches(fields && withoutFiles(body.fields), fields) &&
    matches(json === undefined ? undefined : body.json, json)
  );
}

/** Form fields with files replaced by their bytes. */
const withoutFiles = (fields: JournalEntry["request"]["body"]["fields"]) =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : value.bytes]),
  );

const withLowerCaseNames = (headers: Readonly<Record<string, ExpectedValue>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Undefined matches anything. */
function matches(given: unknown, wanted: ExpectedValue): boolean {
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
