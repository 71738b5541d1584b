import type * as z from "zod/mini";
import { enumSchema, hex32Schema, type JsonSchema } from "../core/emulator/json-schemas.ts";
import type { Profile } from "../core/emulator/profiles.ts";
import type { AnyDeclaredResponse, BodySchema } from "../core/emulator/response.ts";
import { responseSchema } from "../core/schema/zod/to-json-schema.ts";

/** One response of an operation. Those with the same status become one response of the document. */
export interface Variant {
  readonly status: number;
  readonly description: string;
  /** Headers that it always has, without `Content-Type`. */
  readonly headers: readonly string[];
  /** Without parameters; undefined when the body is empty. */
  readonly contentType?: string | undefined;
  /** Undefined when the body can be any bytes. */
  readonly schema?: JsonSchema | undefined;
  /** Set when the body has only a transaction id and this result code. */
  readonly resultCode?: string | undefined;
}

/** A header of a response. */
export interface HeaderObject {
  /** Whether every response with that status has it; false for `Connection`, which proxies drop. */
  readonly required: boolean;
  /** Schema of its value. */
  readonly schema: JsonSchema;
}

/** A body of one media type. */
export interface MediaTypeObject {
  /** Absent when the body can be any bytes. */
  readonly schema?: JsonSchema;
}

/** A response of an OpenAPI document. */
export interface ResponseObject {
  /** When it is sent. */
  readonly description: string;
  /** By name, without `Content-Type`. */
  readonly headers: Readonly<Record<string, HeaderObject>>;
  /** By media type; absent when the body is always empty. */
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

/** Merges all variants of a status into one response; a header is required when every variant has it. */
export function responseOf(variants: readonly Variant[], optionalHeaders: readonly string[]): ResponseObject {
  const headers = new Set([...variants.flatMap((variant) => variant.headers), ...optionalHeaders]);
  const types = new Set(variants.flatMap(({ contentType }) => contentType ?? []));
  const content = [...types].map((type) => {
    const ofType = variants.filter(({ contentType }) => contentType === type);
    return [type, mediaType(ofType)] as const;
  });
  return {
    description: [...new Set(variants.map(({ description }) => description))].join(" "),
    headers: Object.fromEntries(
      [...headers].map((name) => {
        const isSent = variants.every((variant) => variant.headers.includes(name));
        // Of one connection only: proxies drop it.
        const required = isSent && name !== "Connection";
        return [name, { required, schema: { type: "string" } }];
      }),
    ),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

function mediaType(variants: readonly Variant[]): MediaTypeObject {
  const codes = [...new Set(variants.flatMap(({ resultCode }) => resultCode ?? []))];
  const failures = codes.length === 0 ? [] : [failureBody(codes)];
  const others = variants.flatMap(({ resultCode, schema }) =>
    resultCode === undefined && schema !== undefined ? [schema] : [],
  );
  const schemas = [...new Set([...failures, ...others])];
  const [first] = schemas;
  if (first === undefined) return {};
  return { schema: schemas.length === 1 ? first : { anyOf: schemas } };
}

const failureBody = (codes: readonly string[]): JsonSchema => ({
  type: "object",
  properties: { transaction_id: hex32Schema, result_code: enumSchema(codes) },
  required: ["transaction_id", "result_code"],
  additionalProperties: false,
});

/** Whether it is a schema from `src/core/schema`, and not yet a JSON Schema. */
export const isResourceSchema = (schema: BodySchema): schema is z.ZodMiniType => "_zod" in schema;

export function variantOf(
  { status, description, headers, schema, resultCode }: AnyDeclaredResponse,
  profile: Profile,
): Variant {
  const lines = headers({ profile, now: 0 });
  const contentType = lines.find(([name]) => name === "Content-Type")?.[1];
  return {
    status,
    description,
    headers: [...lines.map(([name]) => name).filter((name) => name !== "Content-Type"), "Content-Length"],
    contentType: contentType?.split(";", 1)[0],
    schema: schema && (isResourceSchema(schema) ? responseSchema(schema) : schema),
    // Without a schema, the body has only the result code.
    resultCode: schema === undefined ? resultCode : undefined,
  };
}
