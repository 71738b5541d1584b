import { type ClientRequest, IncomingMessage } from "node:http";
import type { HeaderList, WireResponse } from "../../emulator/message.ts";
import { splitTarget } from "../../servers/http/http-messages.ts";
import type { InterceptedRequest } from "../answer.ts";

/** Reads a request from nock. Header names are sorted and in lower case; the body has its original bytes. */
export function interceptedRequest(
  request: ClientRequest,
  origin: string,
  target: string,
): InterceptedRequest {
  return {
    origin,
    method: request.method,
    ...splitTarget(target),
    headers: headersOf(request),
    body: bodyOf(request),
  };
}

/** nock's description of a request that has no request object yet. */
export interface RequestOptions {
  readonly proto: string;
  readonly host: string;
  readonly port?: number | string;
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

/** Not the `body` that nock passes to a reply function, which is parsed or hexadecimal. */
function bodyOf(request: ClientRequest): Buffer {
  const chunks: unknown = Reflect.get(request, "requestBodyBuffers");
  if (Array.isArray(chunks) && chunks.every((chunk) => Buffer.isBuffer(chunk))) return Buffer.concat(chunks);
  throw new TypeError(
    "this version of nock does not expose the bytes of the request body in requestBodyBuffers",
  );
}

/**
 * Answers nock's request at once, without nock's two timers, which cost 3 ms. Does what nock does with the result of a reply
 * function: creates a response on the request's socket and emits it as the request's `response` event.
 */
export function replyDirectly(request: ClientRequest, { status, headers, body }: WireResponse): void {
  if (request.destroyed || request.socket === null || request.socket.destroyed) return;
  const message = new IncomingMessage(request.socket);
  message.statusCode = status;
  message.rawHeaders = headers.flat();
  message.complete = true;
  message.push(body);
  message.push(null);
  Object.assign(request, { res: message });
  request.emit("response", message);
}
