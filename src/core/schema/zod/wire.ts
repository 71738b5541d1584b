import * as z from "zod/mini";
import type { JsonObject } from "../../general/json.ts";
import { Base64Text } from "../base64.ts";
import { defOf, kind, list, words, wordsOf } from "./values.ts";

interface WireOptions {
  /** Names in JSON that are not the field's name in snake case. */
  readonly names?: Readonly<Record<string, string>>;
  /** The full resource, whose other fields are ignored. */
  readonly resource?: { fieldNames(): readonly string[] };
  /** Other fields of the resource that are refused. */
  readonly except?: readonly string[];
}

/** A resource in JSON: names in snake case, values encoded by their codecs; bytes as {@link Base64Text}. */
export interface WireForm<T> {
  readonly schema: z.ZodMiniType<T>;
  /** Writes a value of this package, unchecked. */
  write(value: T): JsonObject;
  fieldNames(): readonly string[];
}

export function wireForm<T>(schema: z.ZodMiniType<T>, options: WireOptions = {}): WireForm<T> {
  /** Built once: one listing may write thousands of targets. */
  let write: ValueWriter | undefined;
  return {
    schema: z.lazy(() => reader(schema, options) as z.ZodMiniType<T>),
    write: (value) => {
      write ??= writer(schema, options);
      return write(value) as JsonObject;
    },
    fieldNames: () => {
      const def = defOf(schema);
      const shape = defOf(def.type === "lazy" ? def.getter() : schema);
      return shape.type === "object" ? Object.keys(shape.shape).map((name) => jsonName(name, options)) : [];
    },
  };
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const jsonName = (name: string, { names }: WireOptions): string => names?.[name] ?? snakeCase(name);

function reader(schema: z.core.SomeType, options: WireOptions): z.core.$ZodType {
  const { resource, except = [], ...inherited } = options;
  const inner = (one: z.core.SomeType) => reader(one, inherited);
  const def = defOf(schema);
  switch (def.type) {
    case "object": {
      const own = new Map(Object.keys(def.shape).map((name) => [jsonName(name, options), name]));
      const fields = Object.entries(def.shape).map(([name, field]) => [
        jsonName(name, options),
        inner(field),
      ]);
      const ignored = resource?.fieldNames().filter((name) => !own.has(name) && !except.includes(name)) ?? [];
      const others = ignored.map((name) => [name, kind("Ignored.", z.optional(z.unknown()))]);
      const object = kind(wordsOf(schema), z.strictObject(Object.fromEntries([...fields, ...others])));
      const renamed = (given: Readonly<Record<string, unknown>>): unknown =>
        Object.fromEntries(
          Object.entries(given).flatMap(([json, value]) => {
            const name = own.get(json);
            return name === undefined ? [] : [[name, value]];
          }),
        );
      const checks = (def.checks ?? []) as z.core.$ZodCheck<unknown>[];
      return z.pipe(z.pipe(object, z.transform(renamed)), z.unknown().check(...checks));
    }
    case "array":
      return kind(wordsOf(schema), list(inner(def.element)));
    case "union":
      return kind(wordsOf(schema), z.union(def.options.map(inner)));
    case "nullable":
      return z.nullable(inner(def.innerType));
    case "optional":
      return z.optional(inner(def.innerType));
    case "default":
      return z._default(inner(def.innerType), def.defaultValue);
    case "lazy":
      return reader(def.getter(), options);
    default:
      return schema as z.core.$ZodType;
  }
}

type ValueWriter = (value: unknown) => unknown;

function writer(schema: z.core.SomeType, options: WireOptions): ValueWriter {
  const def = defOf(schema);
  const inner = (one: z.core.SomeType) => writer(one, options);
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).map(([name, field]) => ({
        name,
        json: jsonName(name, options),
        write: inner(field),
      }));
      return (value) =>
        Object.fromEntries(fields.map(({ name, json, write }) => [json, write(Object(value)[name])]));
    }
    case "array": {
      const write = inner(def.element);
      return (value) => Array.from(value as readonly unknown[], write);
    }
    case "union": {
      const forms = def.options.map((form) => ({
        kept: z.output(form as z.ZodMiniType),
        write: inner(form),
      }));
      return (value) => forms.find(({ kept }) => kept.safeParse(value).success)?.write(value);
    }
    case "nullable": {
      const write = inner(def.innerType);
      return (value) => (value === null || value === undefined ? null : write(value));
    }
    case "optional":
    case "default": {
      const write = inner(def.innerType);
      return (value) => (value === undefined ? value : write(value));
    }
    case "lazy":
      return inner(def.getter());
    case "pipe": {
      const { reverseTransform } = def;
      if (reverseTransform === undefined) break;
      const context: z.core.ParsePayload = { value: undefined, issues: [] };
      const isBase64 = words.get(def.in as z.core.$ZodType)?.contentEncoding === "base64";
      return (value) => (isBase64 ? new Base64Text(value as Uint8Array) : reverseTransform(value, context));
    }
  }
  return (value) => value;
}
