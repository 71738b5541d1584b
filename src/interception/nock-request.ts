import type { ClientRequest } from "node:http";
import type { HeaderList } from "../http/wire-message.ts";
import type { InterceptedRequest } from "./answer.ts";

/** What nock knows of a request that it hands over: header names in lower case and sorted, the body's bytes as they came. */
export function interceptedRequest(
  request: ClientRequest,
  origin: string,
  target: string,
): InterceptedRequest {
  return { origin, target, method: request.method, headers: headersOf(request), body: bodyOf(request) };
}

/** What nock knows of a request before it has a request object. */
export interface RequestOptions {
  readonly proto: string;
  /** With the port. */
  readonly host: string;
  readonly method: string;
  readonly path: string;
}

export function isRequestOptions(value: unknown): value is RequestOptions {
  return typeof value === "object" && value !== null && "proto" in value && "host" in value;
}

function headersOf(request: ClientRequest): HeaderList {
  return Object.entries(request.getHeaders()).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : String(value),
  ]);
}

/** The `body` that nock passes to a reply would be parsed, or hexadecimal. */
function bodyOf(request: ClientRequest): Buffer {
  const chunks: unknown = Reflect.get(request, "requestBodyBuffers");
  if (Array.isArray(chunks) && chunks.every((chunk) => Buffer.isBuffer(chunk))) return Buffer.concat(chunks);
  throw new TypeError("nock no longer keeps the bytes of a request body where they are looked for");
}
