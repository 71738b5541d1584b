import type { JsonSchema } from "./response.ts";

/** Builders of the schemas of requests and responses that the APIs declare; resources are in src/schema. */

export const text: JsonSchema = { type: "string" };
export const flag: JsonSchema = { type: "boolean" };
export const wholeNumber: JsonSchema = { type: "integer", minimum: 0 };
export const moment: JsonSchema = { type: "string", format: "date-time" };
/** Keys, ids and names that the emulator makes, transaction ids and uuids. */
export const hex32: JsonSchema = { type: "string", pattern: "^[0-9a-f]{32}$" };

export const constant = (value: string): JsonSchema => ({ type: "string", const: value });
export const oneOf = (values: readonly string[]): JsonSchema => ({ type: "string", enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
export const described = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  description,
});

/** The same schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema.type === "string"
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

/** Schemas by the name of their property. */
export type JsonSchemas = Readonly<Record<string, JsonSchema>>;

/** An object with the required properties, possibly the optional ones, and no others. */
export const object = (required: JsonSchemas, optional: JsonSchemas = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

/** An object whose other properties are ignored. */
export const openObject = (required: JsonSchemas, optional: JsonSchemas = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
});
