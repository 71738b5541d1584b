/** What a value must be: the words for it, and the test. */
export interface Acceptable<T = unknown> {
  /** Completes "accepted is …". */
  readonly accepted: string;
  accepts(value: unknown): value is T;
}

const acceptable = <T>(accepted: string, accepts: (value: unknown) => value is T): Acceptable<T> => ({
  accepted,
  accepts,
});

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isFiller = (value: unknown): value is string => isText(value) && value !== "";

export const aFunction = (signature: string): Acceptable =>
  acceptable(`a function ${signature}`, (value): value is unknown => typeof value === "function");

export const aBoolean = acceptable("true or false", (value): value is boolean => typeof value === "boolean");

export const someText = acceptable("some text", isFiller);

export const seconds = acceptable(
  "a number of seconds, 0 or more",
  (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
);

export const wholeNumber = (least = 0, most = Number.MAX_SAFE_INTEGER): Acceptable<number> =>
  acceptable(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number, ${least} or more`
      : `a whole number from ${least} to ${most}`,
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most,
  );

export const numberAboveZero = acceptable(
  "a number above 0",
  (value): value is number => typeof value === "number" && Number.isFinite(value) && value > 0,
);

export const numberFromZeroToOne = acceptable(
  "a number from 0 to 1",
  (value): value is number => typeof value === "number" && value >= 0 && value <= 1,
);

/** A database of a mock, or its name. */
export const databaseOrName = acceptable("a database or its name", (value): value is unknown =>
  isText(nameOfDatabase(value)),
);

export const nameOfDatabase = (database: unknown): unknown =>
  isRecord(database) ? database.databaseName : database;

export const textOrNumber = acceptable(
  "text or a number",
  (value): value is string | number => isText(value) || (typeof value === "number" && Number.isFinite(value)),
);

export const textOrBytes = acceptable(
  "text or bytes (Uint8Array)",
  (value): value is string | Uint8Array => isText(value) || value instanceof Uint8Array,
);

export const oneOf = <const T extends string>(...values: readonly T[]): Acceptable<T> =>
  acceptable(
    values
      .map((value) => `"${value}"`)
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
    (value): value is T => values.some((known) => known === value),
  );

export const orNull = <T>(inner: Acceptable<T>): Acceptable<T | null> =>
  acceptable(
    `${inner.accepted}, or null`,
    (value): value is T | null => value === null || inner.accepts(value),
  );

export const listOf = <T>(inner: Acceptable<T>): Acceptable<readonly T[]> =>
  acceptable(
    `a list, each ${inner.accepted}`,
    (value): value is readonly T[] => Array.isArray(value) && value.every(inner.accepts),
  );

export const anObject = acceptable("an object", isRecord);

export const headerValues = acceptable(
  "an object of header names and text values",
  (value): value is Readonly<Record<string, string>> => isRecord(value) && Object.values(value).every(isText),
);

export const withMethod = (method: string, signature: string): Acceptable =>
  acceptable(
    `an object with ${method}${signature}`,
    (value): value is unknown =>
      typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function",
  );

/** The accepted fields of an object; a field not given is fine unless it is required. */
export interface Shape {
  readonly fields: Readonly<Record<string, Acceptable | Shape>>;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
}

/** A value that is not accepted: where it stands, what it is, and what is accepted there. */
export class InvalidOptionError extends TypeError {
  /** Tells the error from others. */
  override readonly name = "InvalidOptionError";

  constructor(
    /** Dotted path of the option or field. */
    readonly option: string,
    value: string,
    /** What would be accepted, in words. */
    readonly accepted: string,
  ) {
    super(`Invalid ${option}: got ${value}; accepted is ${accepted}.`);
  }
}

const SECRET = /secret|password/i;

/**
 * Checks an object against a shape.
 *
 * @param path - what the object is called in messages.
 * @throws InvalidOptionError naming the first field that is unknown, missing or not accepted. Secrets are not shown.
 */
export function checkShape(path: string, value: unknown, shape: Shape): void {
  if (value === null && shape.nullable === true) return;
  if (!isRecord(value)) {
    throw new InvalidOptionError(
      path,
      shown(value),
      shape.nullable === true ? "an object, or null" : "an object",
    );
  }
  const { fields, required = [] } = shape;
  for (const [name, given] of Object.entries(value)) {
    const at = `${path}.${name}`;
    const field = fields[name];
    if (field === undefined) {
      throw new InvalidOptionError(at, "an unknown name", `one of ${Object.keys(fields).join(", ")}`);
    }
    if (given === undefined) continue;
    if ("fields" in field) checkShape(at, given, field);
    else if (!field.accepts(given)) {
      throw new InvalidOptionError(
        at,
        SECRET.test(name) ? "a value that is not shown" : shown(given),
        field.accepted,
      );
    }
  }
  for (const name of required) {
    const field = fields[name];
    if (value[name] === undefined && field !== undefined) {
      throw new InvalidOptionError(
        `${path}.${name}`,
        "nothing",
        "fields" in field ? "an object" : field.accepted,
      );
    }
  }
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
