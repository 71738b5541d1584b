/** A JSON Schema of the dialect 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Builders of the schemas that the operations' descriptions are made of. */

export const text: JsonSchema = { type: "string" };
export const flag: JsonSchema = { type: "boolean" };
export const wholeNumber: JsonSchema = { type: "integer", minimum: 0 };
export const seconds: JsonSchema = { type: "number", minimum: 0, description: "In seconds." };
export const moment: JsonSchema = { type: "string", format: "date-time" };
export const someText: JsonSchema = { type: "string", minLength: 1 };
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

type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with all of these properties, some more perhaps, and nothing else. */
export const object = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

/** An object of which only these properties mean something. */
export const openObject = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: "object",
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
});
