import { parseISO } from "date-fns/parseISO";
import { DATABASE_STATES, type RequestRateLimit, type RequestRateLimits } from "../../domain/database.ts";
import { decodeServiceBase64 } from "../../domain/service-base64.ts";
import { isJsonObject, type JsonObject } from "../../http/request-body.ts";
import { converted, kind, nullable, objectOf } from "./fields.ts";

/** The accepted values of protocol section 10. */

export const text = kind("a non-empty string", "", isText);

/** Text that no message shows. */
export const secretText = kind("a non-empty string", "", isText, (value) =>
  value === "" ? "an empty string" : "no string",
);

export const anyText = kind("a string", "", (value): value is string => typeof value === "string");

export const flag = kind("true or false", false, (value): value is boolean => typeof value === "boolean");

export const wholeNumber = converted(
  kind("", 0, (value): value is number => typeof value === "number"),
  "a whole number of at least 0",
  0,
  // Negative zero becomes zero.
  (value) => (Number.isInteger(value) && value >= 0 ? Math.abs(value) : undefined),
);

export const seconds = kind("a number of seconds of at least 0", 0, isNotNegative);

export const anySeconds = kind("a finite number of seconds, below 0 too", 0, isNumber);

export const positiveNumber = kind("a number above 0", 1, isAboveZero);

export const stateName = oneOf(DATABASE_STATES);

export function oneOf<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const isName = (value: unknown): value is Name => names.some((name) => name === value);
  return kind(`one of ${names.join(", ")}`, names[0], isName);
}

export const jsonObject = kind<JsonObject>("a JSON object", {}, isJsonObject);

export const texts = kind<readonly string[]>("an array of non-empty strings", [], listOf(isText));

export const jsonObjects = kind<readonly JsonObject[]>("an array of JSON objects", [], listOf(isJsonObject));

/** Bytes of base64, in the service's reading of it. */
export const base64Bytes = converted(
  anyText,
  "base64 (A-Z, a-z, 0-9, + and /, padding at the end)",
  Buffer.alloc(0),
  decodeServiceBase64,
);

/** Base64 that is kept as it was sent. */
export const base64Text = converted(anyText, base64Bytes.accepted, "", (value) =>
  decodeServiceBase64(value) === undefined ? undefined : value,
);

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?<zone>Z|[+-]\d\d:\d\d)?$/;

/** A moment in milliseconds since the epoch; microseconds are dropped, and without a zone it is UTC. */
export const moment = converted(
  text,
  "a date and time like 2026-11-21T10:42:00.000Z or 2026-11-21T10:42:00.000000+00:00",
  0,
  (value) => {
    const shape = ISO_8601.exec(value);
    if (shape === null) return undefined;
    const time = parseISO(shape.groups?.zone === undefined ? `${value}Z` : value).getTime();
    return Number.isNaN(time) ? undefined : time;
  },
);

const rateLimit = objectOf<RequestRateLimit>("an object with max_requests and window_seconds", (fields) => ({
  maxRequests: fields.required("max_requests", wholeNumber),
  windowSeconds: fields.required("window_seconds", positiveNumber),
}));

export const rateLimits = objectOf<RequestRateLimits>(
  "an object with other, get_target, get_duplicates and list_targets",
  (fields) => ({
    other: fields.optional("other", nullable(rateLimit)) ?? null,
    getTarget: fields.optional("get_target", nullable(rateLimit)) ?? null,
    getDuplicates: fields.optional("get_duplicates", nullable(rateLimit)) ?? null,
    listTargets: fields.optional("list_targets", nullable(rateLimit)) ?? null,
  }),
);

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isNotNegative(value: unknown): value is number {
  return isNumber(value) && value >= 0;
}

function isAboveZero(value: unknown): value is number {
  return isNumber(value) && value > 0;
}

function listOf<T>(isItem: (value: unknown) => value is T) {
  return (value: unknown): value is readonly T[] => Array.isArray(value) && value.every(isItem);
}
