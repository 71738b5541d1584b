import * as z from "zod/mini";
import { decodeServiceBase64 } from "./base64.ts";
import { RESULT_CODES, type ResultCode } from "./protocol.ts";
import { optional, record } from "./zod/record.ts";
import {
  anyText,
  base64UpTo,
  binary,
  deferred,
  headers,
  text,
  textOrBytes,
  wholeNumberFrom,
} from "./zod/values.ts";

/** A response that a test configured: sent exactly as given. A text body is UTF-8. */
export interface ConfiguredResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** By name; no others are added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

export const responseStatus = wholeNumberFrom(200, 599);

export const configuredResponseFields = {
  status: responseStatus,
  ...optional({ headers, body: textOrBytes }),
};

export const configuredResponse = z.lazy(() => record<ConfiguredResponse>(configuredResponseFields));

/** A failure in the format of the requested API: its body, headers and encoding. */
export interface ResultCodeResponse {
  /** One of the service's result codes, or any text together with `status`. */
  readonly resultCode: ResultCode | (string & {});
  /** HTTP status, 200 to 599. Default: the status that the service sends with this result code. */
  readonly status?: number;
}

/** @param name - of the field, for messages. */
const resultCodeResponse = (name: string) =>
  record<ResultCodeResponse>({ resultCode: text, ...optional({ status: responseStatus }) }).check((given) => {
    const { resultCode: code, status } = given.value;
    if (status !== undefined || statusOfCode(code) !== undefined) return;
    const message = "a result code of the service, or any text together with status";
    given.issues.push({ code: "custom", path: [name], input: code, message });
  });

function statusOfCode(code: string): number | undefined {
  return Object.entries(RESULT_CODES).find(([name]) => name === code)?.[1].status;
}

/** Every checked failure has a status. */
export const statusOf = ({ resultCode: code, status }: ResultCodeResponse): number =>
  status ?? statusOfCode(code) ?? 500;

const RESPONSES = "{ status, headers, body } or { resultCode }";
export const response = deferred(RESPONSES, () =>
  z.union([configuredResponse, resultCodeResponse("resultCode")]),
);

export const MAX_BODY_BYTES = 2 ** 24;

/** Bytes that are not text are written as `{ "base64": "…" }`. */
export const writtenBody = deferred('text, or { "base64": "…" }', () =>
  z.union([
    anyText,
    z.codec(z.strictObject({ base64: base64UpTo(MAX_BODY_BYTES) }), binary, {
      decode: ({ base64 }) => decodeServiceBase64(base64) ?? z.NEVER,
      encode: (given) => ({ base64: Buffer.from(given).toString("base64") }),
    }),
  ]),
);
export const jsonResponse = deferred("{ status, headers, body } or { result_code }", () =>
  z.union([
    record<ConfiguredResponse>({ status: responseStatus, ...optional({ headers, body: writtenBody }) }),
    resultCodeResponse("result_code"),
  ]),
);
