import type { Context } from "../../emulator/context.ts";
import { constant, hex32, type JsonSchemas, object } from "../../emulator/json-schema.ts";
import type { HeaderList } from "../../emulator/message.ts";
import type { DeclaredBody } from "../../emulator/operation.ts";
import { type Profile, REGIONS } from "../../emulator/profiles.ts";
import { type DeclaredResponse, dateOf, type JsonSchema, transactionId } from "../../emulator/response.ts";
import { asciiJson } from "../../emulator/text.ts";
import { RESULT_CODES, type ResultCode } from "../../schema/result-codes.ts";

/** How many milliseconds the proxy in front of the service claims to have waited. */
const UPSTREAM_TIME = "5";

export const upstreamTime = ({ upstreamTimeHeader }: Profile): readonly [string, string] => [
  upstreamTimeHeader,
  UPSTREAM_TIME,
];

type Moment = Pick<Context, "profile" | "now">;

/** The headers of every response that comes from the service itself rather than a proxy in front of it. */
export const serviceHeaders =
  (contentType: string) =>
  (at: Moment): HeaderList => [
    ["Connection", "keep-alive"],
    ["Content-Type", contentType],
    ["server", "envoy"],
    upstreamTime(at.profile),
    ["strict-transport-security", "max-age=31536000"],
    [at.profile.regionHeader, REGIONS],
    ["x-content-type-options", "nosniff"],
    ["Date", dateOf(at)],
  ];

const json = serviceHeaders("application/json");

/** A failure with any code, even one that the service never sends. */
export const anyFailure = (code: string, status: number, description = "A failure."): DeclaredResponse => ({
  status,
  resultCode: code,
  description,
  headers: json,
  body: (context) => asciiJson({ transaction_id: transactionId(context), result_code: code }),
});

const failures = new Map<string, DeclaredResponse>();

/** A failure with nothing but a result code. The same arguments return the same object. */
export function failure(code: ResultCode, status: number = RESULT_CODES[code].status): DeclaredResponse {
  const key = `${code} ${status}`;
  const declared = failures.get(key) ?? anyFailure(code, status, RESULT_CODES[code].meaning);
  failures.set(key, declared);
  return declared;
}

/** `Fail` with one of its three statuses. */
export const fail = (status: 400 | 422 | 500): DeclaredResponse => failure("Fail", status);

type Filled = "result_code" | "transaction_id";

/**
 * A success. The keys of its body have the order of the schema's properties; the result code and the transaction id
 * are filled in.
 */
export function success<Key extends string>(
  properties: Readonly<Record<Key | Filled, JsonSchema>>,
  code: ResultCode = "Success",
  description = "Done.",
): DeclaredResponse<Readonly<Record<Exclude<Key, Filled>, unknown>>> {
  const keys = Object.keys(properties);
  return {
    status: RESULT_CODES[code].status,
    resultCode: code,
    description,
    headers: json,
    schema: object(properties),
    body: (context, details: Readonly<Record<string, unknown>>) => {
      const filled = { ...details, result_code: code, transaction_id: transactionId(context) };
      const ordered: Record<string, unknown> = {};
      for (const key of keys) ordered[key] = Reflect.get(filled, key);
      return asciiJson(ordered);
    },
  };
}

/** The properties that every success has; their place among the others differs. */
export const resultCode = (code: ResultCode = "Success") => ({ result_code: constant(code) });
export const transaction = { transaction_id: hex32 };

export const tooManyRequests: DeclaredResponse = {
  status: 429,
  description: "More requests than a rate limit of the database allows (empty body).",
  headers: (at) => [
    [at.profile.rateLimitedHeader, "true"],
    upstreamTime(at.profile),
    ["server", "envoy"],
    ["Date", dateOf(at)],
  ],
};

export const unexpectedBody: DeclaredResponse = {
  status: 400,
  description: "The request has a body where none is allowed (empty body).",
  headers: (at) => [["server", "envoy"], ["Date", dateOf(at)], upstreamTime(at.profile)],
};

export const streamTimeout: DeclaredResponse = {
  status: 408,
  description: "The body is shorter than its Content-Length.",
  headers: () => [
    ["Content-Type", "text/plain"],
    ["server", "envoy"],
    ["Connection", "close"],
  ],
  schema: constant("stream timeout"),
  body: () => "stream timeout",
};

/** A body that is a JSON object with these keys and no others. */
export const jsonBody = (required: JsonSchemas, optional: JsonSchemas = {}): DeclaredBody => ({
  contentType: "application/json",
  schema: object(required, optional),
  keys: { required: Object.keys(required), optional: Object.keys(optional) },
});
