/*
 * JSON Schemas of the requests and responses that the APIs declare, in JSON Schema's own words. Resources have schemas in src/core/schema,
 * which also check values.
 */

/** A JSON Schema of the dialect 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export const stringSchema: JsonSchema = { type: "string" };
export const booleanSchema: JsonSchema = { type: "boolean" };
export const wholeNumberSchema: JsonSchema = { type: "integer", minimum: 0 };
export const dateTimeSchema: JsonSchema = { type: "string", format: "date-time" };
/** Keys, ids and names that the emulator makes, transaction ids and uuids. */
export const hex32Schema: JsonSchema = { type: "string", pattern: "^[0-9a-f]{32}$" };

/** Some code generators find no type in an empty `const`. */
export const constantSchema = (value: string): JsonSchema =>
  value === "" ? enumSchema([value]) : { type: "string", const: value };
export const enumSchema = (values: readonly string[]): JsonSchema => ({ type: "string", enum: values });
export const arraySchema = (items: JsonSchema): JsonSchema => ({ type: "array", items });
export const withDescription = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  description,
});

export function orNullSchema(schema: JsonSchema): JsonSchema {
  return typeof schema.type === "string"
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

/** Schemas by the name of their property. */
export type JsonSchemas = Readonly<Record<string, JsonSchema>>;

/** An object with the required properties, possibly the optional ones, and no others. */
export const objectSchema = (required: JsonSchemas, optional: JsonSchemas = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

/** An object whose other properties are ignored. */
export const openObjectSchema = (required: JsonSchemas, optional: JsonSchemas = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
});
