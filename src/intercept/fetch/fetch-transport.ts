import { STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { header, type WireRequest, type WireResponse } from "../../emulator/message.ts";
import { splitTarget } from "../../servers/http/http-messages.ts";
import { answer } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
};

/** Statuses whose responses must not have a body, not even an empty one. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Answers a request of the Fetch API as `fetch` would: it decodes bodies, rejects with a TypeError and a cause when the connection
 * or the emulator fails, and rejects with the signal's reason when the request is aborted.
 */
export async function fetchFrom(hosts: HostTable, request: Request): Promise<Response> {
  const { signal, method, url } = request;
  signal.throwIfAborted();
  const answered = send(hosts, request).catch((cause: unknown) => {
    throw new TypeError("fetch failed", { cause });
  });
  const received = await untilAborted(answered, signal);
  const { status, body: bytes } = received;
  const decode = DECODERS[header(received, "content-encoding")?.toLowerCase() ?? ""];
  const hasBody = method !== "HEAD" && !WITHOUT_BODY.has(status);
  const content = hasBody ? new Uint8Array(decode === undefined ? bytes : await decode(bytes)) : null;
  const headers = new Headers();
  for (const [name, value] of received.headers) headers.append(name, value);
  const response = new Response(content, { status, statusText: STATUS_CODES[status] ?? "", headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

async function send(hosts: HostTable, request: Request): Promise<WireResponse> {
  return answer(hosts, wireRequest(request, Buffer.from(await request.arrayBuffer())));
}

/** Adds the headers that `fetch` sends but a `Request` does not have. */
function wireRequest(
  { url, method, headers }: Request,
  body: Buffer,
): WireRequest & { readonly origin: string } {
  const target = new URL(url);
  const pairs: [string, string][] = [...headers];
  const add = (name: string, value: string) => headers.has(name) || pairs.push([name, value]);
  add("host", target.host);
  if (body.length > 0 || method === "POST" || method === "PUT") add("content-length", String(body.length));
  return {
    origin: originOf(target),
    method,
    ...splitTarget(target.pathname + target.search),
    headers: pairs,
    body,
  };
}

function untilAborted(answered: Promise<WireResponse>, signal: AbortSignal): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    answered.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
