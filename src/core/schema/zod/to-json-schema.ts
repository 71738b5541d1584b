import * as z from "zod/mini";
import { words } from "./values.ts";

/* In its own file: only the OpenAPI document needs the conversion, a tenth of what the package would load. */

type ZodJsonSchema = z.core.JSONSchema.BaseSchema;

export const requestSchema = convertedOnce(() => {});

/** The JSON Schema of a response body: every field is required. */
export const responseSchema = convertedOnce((part) => {
  delete part.default;
  if (part.properties !== undefined) part.required = Object.keys(part.properties);
});

/** Converting all schemas takes hundreds of milliseconds. */
function convertedOnce(change: (part: ZodJsonSchema) => void): (schema: z.ZodMiniType) => ZodJsonSchema {
  const converted = new WeakMap<z.ZodMiniType, ZodJsonSchema>();
  return (schema) => {
    const known = converted.get(schema) ?? jsonSchema(schema, change);
    converted.set(schema, known);
    return known;
  };
}

/** @param change - called with the schema of each part. */
function jsonSchema(schema: z.ZodMiniType, change: (part: ZodJsonSchema) => void): ZodJsonSchema {
  const { $schema, ...document } = z.toJSONSchema(schema, {
    io: "input",
    metadata: words,
    unrepresentable: "any",
    override: ({ jsonSchema: part }) => {
      // Zod adds these bounds to every integer.
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      if (part.properties !== undefined) delete part.description;
      // As `constantSchema` says.
      if (part.const === "") {
        part.enum = [part.const];
        delete part.const;
      }
      // Not `false`, in which tools see no schema of items. The tuple's length stays limited.
      if (part.items === false) part.items = part.prefixItems?.[0] ?? {};
      change(part);
    },
  });
  return document;
}
