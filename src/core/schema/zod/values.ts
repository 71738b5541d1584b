import { types } from "node:util";
import { parseISO } from "date-fns/parseISO";
import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../../general/json.ts";
import { decodeServiceBase64 } from "../base64.ts";

/* Kinds of single values. If JSON represents a value differently, its kind is a codec. */

/** Words that follow "expected", and further keywords for the JSON Schema. */
interface Words {
  readonly description: string;
  readonly [keyword: string]: unknown;
}

/** Not zod's own registry, which other copies of zod in the process share. */
export const words = z.registry<Words>();

/** A schema that is made on first use: making all of them would double the time of importing this package. */
export const deferred = <S extends z.core.$ZodType>(description: string, make: () => S, more?: object) =>
  kind(
    description,
    z.lazy(() => kind(description, make(), more)),
    more,
  );

export const kind = <S extends z.core.$ZodType>(description: string, schema: S, more: object = {}): S => {
  words.add(schema, { description, ...more });
  return schema;
};

export const wordsOf = (schema: z.core.SomeType): string =>
  words.get(schema as z.core.$ZodType)?.description ?? "something else";

/** `"a", "b" or "c"`. */
export const quoted = (names: readonly string[]): string =>
  names
    .map((name) => `"${name}"`)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

export const trueOrFalse = deferred("true or false", () => z.boolean());
export const anyText = deferred("text", () => z.string());
export const text = deferred("non-empty text", () => z.string().check(z.minLength(1)));

const MAX_KEY_LENGTH = 4096;

/** An access or secret key: others could not be sent in an `Authorization` header. */
export const key = deferred(
  `a key of 1 to ${MAX_KEY_LENGTH} visible ASCII characters without ":"`,
  () => z.string().check(z.regex(new RegExp(`^[!-9;-~]{1,${MAX_KEY_LENGTH}}$`))),
  { minLength: 1, maxLength: MAX_KEY_LENGTH },
);

const MAX_NAME_LENGTH = 255;
/** Half of a surrogate pair, which UTF-8 has no bytes for. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Clients resolve the segments `.` and `..`, even percent-encoded. */
const fitsIntoPath = (name: string): boolean =>
  [...name].length <= MAX_NAME_LENGTH && !LONE_SURROGATE.test(name) && name !== "." && name !== "..";

/** A name or an id that is part of paths. */
export const pathName = deferred(
  `a name of 1 to ${MAX_NAME_LENGTH} characters that can be a path segment`,
  () => z.string().check(z.minLength(1), z.refine(fitsIntoPath)),
  { maxLength: MAX_NAME_LENGTH },
);

const integer = () => z.int().check(z.overwrite((value) => value + 0));
export const wholeNumberFrom = (least: number, most?: number) =>
  most === undefined
    ? deferred(`a whole number, ${least} or more`, () => integer().check(z.gte(least)))
    : deferred(`a whole number from ${least} to ${most}`, () => integer().check(z.gte(least), z.lte(most)));
export const wholeNumber = wholeNumberFrom(0);

export const aboveZero = deferred("a number above 0", () => z.number().check(z.gt(0)));
export const fromZeroToOne = deferred("a number from 0 to 1", () => z.number().check(z.gte(0), z.lte(1)));
export const seconds = deferred("a number of seconds, 0 or more", () => z.number().check(z.gte(0)));

export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  kind(quoted(names), z.enum(names));

/* The only access to zod's internals. */

export const defOf = (schema: z.core.SomeType): z.core.$ZodTypes["_zod"]["def"] =>
  (schema as z.core.$ZodTypes)._zod.def;

/** How many invalid values are named; the others are counted. */
export const MOST_PROBLEMS = 100;

/*
 * zod keeps an issue for each invalid element of an array or a record, and throws a RangeError at 130,000. These schemas keep the
 * first issues, and one that counts the others.
 */

function keepFirst(issues: z.core.$ZodRawIssue[], inst: z.core.$ZodType): void {
  if (issues.length <= MOST_PROBLEMS) return;
  const more = issues.splice(MOST_PROBLEMS).reduce((sum, issue) => sum + (furtherIssues(issue) ?? 1), 0);
  issues.push({ code: "custom", path: [], input: undefined, inst, params: { more } });
}

/** How many issues this one stands for; undefined if it is one of its own. */
export const furtherIssues = (issue: z.core.$ZodRawIssue | z.core.$ZodIssue): number | undefined =>
  issue.code === "custom" ? issue.params?.more : undefined;

const ZodArray: z.core.$constructor<z.ZodMiniArray> = z.ZodMiniArray;
const List = z.core.$constructor<z.ZodMiniArray>("List", (schema, def) => {
  ZodArray.init(schema, def);
  const { parse } = schema._zod;
  schema._zod.parse = (payload, context) => {
    const { value, issues } = payload;
    if (!Array.isArray(value)) return parse(payload, context);
    payload.value = Array.from(value, (item, index) => {
      // No schema of this package is asynchronous.
      const result = def.element._zod.run({ value: item, issues: [] }, context) as z.core.ParsePayload;
      issues.push(...z.core.util.prefixIssues(index, result.issues));
      // As they come: millions of them would take gigabytes.
      if (result.issues.length > 0) keepFirst(issues, schema);
      return result.value;
    });
    return payload;
  };
});

const ZodRecord: z.core.$constructor<z.ZodMiniRecord> = z.ZodMiniRecord;
const Table = z.core.$constructor<z.ZodMiniRecord>("Table", (schema, def) => {
  ZodRecord.init(schema, def);
  const { parse } = schema._zod;
  schema._zod.parse = (payload, context) => {
    const parsed = parse(payload, context);
    keepFirst(payload.issues, schema);
    return parsed;
  };
});

export const list = <Element extends z.core.$ZodType>(element: Element) =>
  new List({ type: "array", element }) as z.ZodMiniArray<Element>;

/** An object with any keys. */
export const table = <Key extends z.core.$ZodRecordKey, Value extends z.core.$ZodType>(
  keyType: Key,
  valueType: Value,
) => new Table({ type: "record", keyType, valueType }) as z.ZodMiniRecord<Key, Value>;

/** The same values, described in other words. */
export const described = <T>(description: string, schema: z.ZodMiniType<T>): z.ZodMiniType<T> =>
  deferred(description, () => {
    const def = defOf(schema);
    return (def.type === "lazy" ? (def.getter() as z.ZodMiniType<T>) : schema).clone();
  });

export const orNull = <T>(inner: z.ZodMiniType<T>) =>
  z.nullable(described(`${wordsOf(inner)}, or null`, inner));

export const listOf = <T>(item: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> =>
  deferred(`a list, each ${wordsOf(item)}`, () => list(item));

/** Valid HTTP headers: others could split the response. */
export const headers = deferred("header names such as X-Name, with text values", () =>
  table(
    kind("header names such as X-Name", z.string().check(z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/))),
    kind(
      "text of Latin-1 characters without line breaks",
      z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/)),
    ),
  ),
);

export const aFunction = <F extends (...args: never[]) => unknown>(signature: string) =>
  deferred(`a function ${signature}`, () => z.custom<F>((value) => typeof value === "function"));

export const binary = deferred("bytes (Uint8Array)", () => z.custom<Uint8Array>(types.isUint8Array));
export const textOrBytes = deferred("text or bytes (Uint8Array)", () => z.union([z.string(), binary]));
export const textOrNumber = deferred("text or a number", () => z.union([z.string(), z.number()]));

const MAX_NESTING = 100;

/** Whether objects and arrays are nested at most {@link MAX_NESTING} deep. */
function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    level = level.filter((one) => typeof one === "object" && one !== null);
    if (level.length === 0) return true;
    level = level.flatMap((one) => Object.values(Object(one)));
  }
  return false;
}

export const anyObject = deferred("an object", () => z.custom<JsonObject>(isJsonObject), { type: "object" });

/** An object that is stored as it is and never read. */
export const jsonObject = deferred(
  `an object, nested at most ${MAX_NESTING} deep`,
  () => z.custom<JsonObject>((value) => isJsonObject(value) && isShallow(value)),
  { type: "object" },
);

const BASE64 = "base64 (A-Z, a-z, 0-9, + and /, padding at the end)";

/** Base64 as the service reads it, stored as it was sent. */
const base64 = (description: string, mostBytes = Number.MAX_SAFE_INTEGER) => {
  const fits = (given: string) => (decodeServiceBase64(given)?.length ?? Infinity) <= mostBytes;
  return deferred(description, () => z.string().check(z.refine(fits)), { contentEncoding: "base64" });
};
export const base64UpTo = (bytes: number) => base64(`${BASE64} of at most ${bytes} bytes`, bytes);

/** Bytes, which JSON holds as base64. */
export const bytes = z.lazy(() =>
  z.codec(base64(BASE64), binary, {
    decode: (given) => decodeServiceBase64(given) ?? z.NEVER,
    encode: (value) => Buffer.from(value).toString("base64"),
  }),
);

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;
/** Microseconds are dropped; a time without a zone is UTC. */
const millisecondsOf = (given: string): number =>
  parseISO(/(Z|[+-]\d\d:\d\d)$/.test(given) ? given : `${given}Z`).getTime();

/** Limit of `Date`, before and after the epoch. */
export const MOST_MILLISECONDS = 8.64e15;
const EXAMPLE = "2026-11-21T10:42:00.000Z";
const milliseconds = deferred("a moment, in milliseconds since 1970", () =>
  z.number().check(z.gte(-MOST_MILLISECONDS), z.lte(MOST_MILLISECONDS)),
);

/** Milliseconds since the epoch, which JSON holds as ISO 8601. */
const timestampFor = (description: string, accepts: (milliseconds: number) => boolean) =>
  z.lazy(() => {
    const fits = (given: string) => ISO_8601.test(given) && accepts(millisecondsOf(given));
    const written = deferred(description, () => z.string().check(z.refine(fits)), { format: "date-time" });
    const encode = (time: number) => new Date(time).toISOString();
    return z.codec(written, milliseconds, { decode: millisecondsOf, encode });
  });
export const timestamp = timestampFor(`a date and time such as ${EXAMPLE}`, (time) => !Number.isNaN(time));

/** The last millisecond of the year 9999. */
export const END_OF_CLOCKS = Date.UTC(10_000, 0) - 1;

/** Every date format can write these years. */
export const isClockTimestamp = (time: number): boolean => time >= 0 && time <= END_OF_CLOCKS;
export const CLOCK_YEARS = "in the years 1970 to 9999";

export const clockTimestamp = timestampFor(
  `a date and time ${CLOCK_YEARS}, such as ${EXAMPLE}`,
  isClockTimestamp,
);
