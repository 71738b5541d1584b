import * as z from "zod/mini";
import { kind } from "./values.ts";

export type FieldsOf<T> = { readonly [Name in keyof T]-?: z.ZodMiniType<T[Name]> };

/** An object with exactly the fields of the interface. A field with the value undefined counts as not given. */
export function record<T>(fields: FieldsOf<T>): z.ZodMiniType<T>;
export function record(fields: z.core.$ZodShape): z.ZodMiniType {
  return kind("an object", z.strictObject(fields).check(z.overwrite(given)));
}

const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.values(fields).includes(undefined) ? withoutUndefined(fields) : fields;

/** A stored record: without codecs, whose JSON forms are for people. */
export const storedRecord = <T>(fields: FieldsOf<T>): z.ZodMiniType<T> =>
  kind("an object", z.output(record<T>(fields)));

/** One of several records, distinguished by `kind`. */
export const byKind = <T extends { readonly kind: string }>(
  description: string,
  forms: readonly z.ZodMiniType<T>[],
): z.ZodMiniType<T> =>
  kind(
    description,
    z.discriminatedUnion("kind", forms as unknown as [z.core.$ZodTypeDiscriminable]),
  ) as z.ZodMiniType<unknown> as z.ZodMiniType<T>;

type Optional<F, D> = {
  readonly [Name in keyof F]: F[Name] extends z.ZodMiniType<infer T>
    ? z.ZodMiniType<Name extends keyof D ? T : T | undefined>
    : never;
};

/** The same fields, each optional; `defaults` fill absent ones. */
export function optional<F extends z.core.$ZodLooseShape, D extends object = object>(
  fields: F,
  defaults?: D,
): Optional<F, D>;
export function optional(fields: z.core.$ZodShape, defaults: object = {}): z.core.$ZodShape {
  const values = new Map(Object.entries(defaults));
  const absent = (name: string, field: z.core.SomeType) =>
    values.has(name) ? z._default(field, values.get(name)) : z.optional(field);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, absent(name, field)]));
}

export type NullIfAbsent<T> = {
  readonly [Name in keyof T]: undefined extends T[Name] ? T[Name] | null : T[Name];
};

/** The same fields; those that may be absent are null instead. */
export function nullIfAbsent<T>(fields: FieldsOf<T>): FieldsOf<NullIfAbsent<T>>;
export function nullIfAbsent(fields: z.core.$ZodShape): object {
  const present = (field: z.core.SomeType) =>
    field instanceof z.ZodMiniOptional ? z.nullable(field.def.innerType) : field;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, present(field)]));
}

/** Drops undefined fields, which would overwrite values when they are spread over a record. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key] } & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
