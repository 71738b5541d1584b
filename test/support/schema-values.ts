import fc from "fast-check";
import * as z from "zod/mini";
import { codePoint } from "./code-point.ts";

type Def = z.core.$ZodTypes["_zod"]["def"];
const defOf = (schema: z.core.SomeType): Def => (schema as z.core.$ZodTypes)._zod.def;

/** Sample values of every kind that records contain; each schema uses those that it accepts. */
const POOLS: { readonly [Type in Def["type"]]?: fc.Arbitrary<unknown> } = {
  string: fc.oneof(
    fc.string({ unit: codePoint }),
    fc.base64String(),
    fc.constantFrom("", "\0", "a", "\\u0000"),
  ),
  number: fc.oneof(fc.nat(5), fc.maxSafeNat(), fc.integer(), fc.double({ noNaN: true }), fc.constant(5e-324)),
  boolean: fc.boolean(),
  custom: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("constructor", "2", "image")), fc.jsonValue()),
};

/** Names of the fields that a record must have. */
export function requiredFieldsOf(schema: z.core.SomeType): readonly string[] {
  const def = defOf(schema);
  if (def.type === "lazy") return requiredFieldsOf(def.getter());
  if (def.type !== "object") throw new TypeError(`a ${def.type} has no fields`);
  return Object.entries(def.shape).flatMap(([name, field]) =>
    defOf(field).type === "optional" ? [] : [name],
  );
}

/** Values that a schema accepts without changing them, so that tests need not repeat the fields of a record. */
export function valuesOf<T>(schema: z.ZodMiniType<T>): fc.Arbitrary<T>;
export function valuesOf(schema: z.core.SomeType): fc.Arbitrary<unknown>;
export function valuesOf(schema: z.core.SomeType): fc.Arbitrary<unknown> {
  const def = defOf(schema);
  switch (def.type) {
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, valuesOf(field)])),
      );
    case "array":
      return fc.array(valuesOf(def.element), { maxLength: 5 });
    case "nullable":
      return fc.option(valuesOf(def.innerType));
    case "optional":
      return fc.option(valuesOf(def.innerType), { nil: undefined });
    case "default":
      return valuesOf(def.innerType);
    case "lazy":
      return valuesOf(def.getter());
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
  }
  const pool = POOLS[def.type];
  if (pool === undefined) throw new TypeError(`no values of type ${def.type} are known`);
  return pool.filter((value) => Object.is(z.safeParse(schema as z.core.$ZodType, value).data, value));
}
