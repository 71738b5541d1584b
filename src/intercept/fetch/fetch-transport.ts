import { STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { header, type WireRequest, type WireResponse } from "../../emulator/message.ts";
import { splitTarget } from "../../servers/http/http-messages.ts";
import { answer, stoppedError } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
};

export interface FetchOptions {
  /** Whether the client called `fetch` itself, which sends headers of its own and fails with the errors of connections. */
  readonly isIntercepted?: boolean;
}

/** Statuses whose responses must not have a body, not even an empty one. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Answers a request of the Fetch API as `fetch` would: it decodes bodies, rejects with a TypeError and a cause when the connection
 * or the emulator fails, and rejects with the signal's reason when the request is aborted.
 */
export async function fetchFrom(
  hosts: HostTable,
  request: Request,
  { isIntercepted = false }: FetchOptions = {},
): Promise<Response> {
  const { signal, method, url } = request;
  signal.throwIfAborted();
  const answered = send(hosts, request, isIntercepted).catch((cause: unknown) => {
    if (isIntercepted) throw cause instanceof Error ? cause : new Error(String(cause), { cause });
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
  const [urlWithoutFragment] = url.split("#", 1);
  Object.defineProperties(response, { url: { value: urlWithoutFragment }, type: { value: "basic" } });
  return response;
}

async function send(hosts: HostTable, request: Request, isIntercepted: boolean): Promise<WireResponse> {
  const sent = wireRequest(request, Buffer.from(await request.arrayBuffer()));
  // The last mock may have stopped while the body was read.
  if (isIntercepted && !hosts.has(sent.origin)) throw stoppedError(sent.method, sent.origin, sent.path);
  return answer(hosts, sent);
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
  add("connection", "keep-alive");
  add("accept", "*/*");
  add("accept-language", "*");
  add("sec-fetch-mode", "cors");
  add("user-agent", "node");
  add("accept-encoding", target.protocol === "https:" ? "br, gzip, deflate" : "gzip, deflate");
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
