import { isJsonObject, type JsonObject } from "../../http/request-body.ts";
import { show } from "../../http/show.ts";

/** One field whose value is not accepted (protocol section 10); nested fields as `outer.inner`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly accepted: string;
}

/** What a field may hold. */
export interface Kind<T> {
  readonly accepted: string;
  /** The value, or undefined when it is not accepted, which is then in `errors`. */
  read(value: unknown, field: string, errors: FieldError[]): T | undefined;
  /** Holds the place of a refused value until all fields were read; such a record is never used. */
  readonly placeholder: T;
}

/** A JSON object's fields, read one by one; every value that is not accepted is remembered. */
export class Fields {
  constructor(
    private readonly object: JsonObject,
    private readonly errors: FieldError[],
    private readonly prefix = "",
  ) {}

  optional<T>(key: string, kind: Kind<T>): T | undefined {
    if (!Object.hasOwn(this.object, key)) return undefined;
    return kind.read(this.object[key], `${this.prefix}${key}`, this.errors);
  }

  required<T>(key: string, kind: Kind<T>): T {
    if (!Object.hasOwn(this.object, key)) {
      const field = `${this.prefix}${key}`;
      this.errors.push({ field, message: `${field} is missing`, accepted: kind.accepted });
    }
    return this.optional(key, kind) ?? kind.placeholder;
  }

  /** Refuses a field that is there although this kind of record has none. */
  absent(key: string, why: string): void {
    if (!Object.hasOwn(this.object, key)) return;
    const field = `${this.prefix}${key}`;
    this.errors.push({ field, message: `${field} is given`, accepted: why });
  }
}

/** A record read from a JSON object, or every field that is not accepted. */
export type Reading<T> = { readonly value: T } | { readonly errors: readonly FieldError[] };

export type Reader<T> = (fields: Fields) => T;

export function readObject<T>(value: unknown, read: Reader<T>): Reading<T> {
  const errors: FieldError[] = [];
  const record = objectOf("a JSON object", read).read(value, "", errors);
  return record === undefined || errors.length > 0 ? { errors } : { value: record };
}

/** An object with fields of its own. */
export function objectOf<T>(accepted: string, read: Reader<T>): Kind<T> {
  return {
    accepted,
    get placeholder() {
      return read(new Fields({}, []));
    },
    read(value, field, errors) {
      if (isJsonObject(value)) return read(new Fields(value, errors, field === "" ? "" : `${field}.`));
      errors.push(unacceptable(value, field === "" ? "body" : field, accepted));
      return undefined;
    },
  };
}

/**
 * A kind told by a type guard.
 *
 * @param describe - how a refused value is shown; a secret is not.
 */
export function kind<T>(
  accepted: string,
  placeholder: T,
  accepts: (value: unknown) => value is T,
  describe: (value: unknown) => string = described,
): Kind<T> {
  return {
    accepted,
    placeholder,
    read(value, field, errors) {
      if (accepts(value)) return value;
      errors.push(unacceptable(value, field, accepted, describe));
      return undefined;
    },
  };
}

/** The same kind, its values turned into something else; `undefined` is not accepted. */
export function converted<T, R>(
  { read }: Kind<T>,
  accepted: string,
  placeholder: R,
  convert: (value: T) => R | undefined,
): Kind<R> {
  return {
    accepted,
    placeholder,
    read(value, field, errors) {
      const inner = read(value, field, []);
      const result = inner === undefined ? undefined : convert(inner);
      if (result === undefined) errors.push(unacceptable(value, field, accepted));
      return result;
    },
  };
}

export function nullable<T>(inner: Kind<T>): Kind<T | null> {
  const accepted = `${inner.accepted}, or null`;
  return {
    accepted,
    placeholder: null,
    read(value, field, errors) {
      if (value === null) return null;
      const found: FieldError[] = [];
      const result = inner.read(value, field, found);
      errors.push(...found.map((error) => (error.field === field ? { ...error, accepted } : error)));
      return result;
    },
  };
}

const unacceptable = (value: unknown, field: string, accepted: string, describe = described): FieldError => ({
  field,
  message: `${field} is ${describe(value)}`,
  accepted,
});

const described = (value: unknown): string => (value === "" ? "an empty string" : show(value));
