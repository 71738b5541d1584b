import { STATUS_CODES } from "node:http";
import { ReadableStream } from "node:stream/web";
import { promisify } from "node:util";
import { isSharedArrayBuffer } from "node:util/types";
import zlib, { constants } from "node:zlib";
import { header, type WireResponse } from "../../core/emulator/message.ts";
import { connectionError, socketError, stoppedError } from "../errors.ts";
import { type HostTable, type InterceptedRequest, originOf } from "../host-table.ts";
import { replace } from "../replace.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { redirected } from "./redirects.ts";

interface FetchOptions {
  /**
   * Whether Node's global `fetch` was called: the mock may have stopped meanwhile, a wrong `Content-Length` fails, and headers cannot be
   * changed.
   */
  readonly isIntercepted?: boolean;
  /** Whether the request has no signal: listening to one takes longer than most checks. */
  readonly isUnabortable?: boolean;
  /** The class of responses. Default: the global one. */
  readonly Response?: typeof Response;
  /** Follows redirections to origins that no mock serves. Default: they fail. */
  readonly elsewhere?: (request: Request) => Promise<Response>;
  /** The body, if it was given as bytes. The request then has an empty one. */
  readonly given?: Buffer | undefined;
  /** How many redirections were followed. */
  readonly redirections?: number;
}

/** Accepts a `Request` of another realm or of the package undici, too. */
export function requestOf(input: Request | string | URL, init?: RequestInit): Request {
  if (input instanceof Request || !isRequest(input)) return new Request(input, init);
  const { url, method, headers, body, signal, redirect } = input;
  const pairs: [string, string][] = [...headers];
  const given: RequestInit = { method, headers: pairs, body, signal, redirect, duplex: "half" };
  return new Request(new Request(url, given), init);
}

const isRequest = (input: Request | string | URL): input is Request =>
  typeof input === "object" && "headers" in input;

/** Whether a request that is given to `fetch`, or its options, can be aborted. */
export const hasSignal = (given: unknown): boolean =>
  typeof given === "object" && given !== null && "signal" in given && Boolean(given.signal);

const NO_BYTES = new ArrayBuffer(0);

/** Methods whose requests must not have a body. */
const WITHOUT_SENT_BODY = /^(get|head)$/i;

/** Takes bytes out of what is given to `fetch`, copied once: a `Request` copies them twice, and makes a stream of them. */
export function takeBytes(
  input: Request | string | URL,
  init: RequestInit | undefined,
): {
  readonly init: RequestInit | undefined;
  readonly given?: Buffer;
} {
  const bytes: unknown = init?.body;
  if (init === undefined || !ArrayBuffer.isView(bytes) || isSharedArrayBuffer(bytes.buffer)) return { init };
  const given = Buffer.allocUnsafeSlow(bytes.byteLength);
  given.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // Empty ones are refused where a body is, and replace that of a request.
  const needsBody = isRequest(input) || WITHOUT_SENT_BODY.test(init.method ?? "get");
  const body = needsBody ? new Uint8Array(NO_BYTES) : null;
  // An object that another one inherits from takes longer to read.
  const isPlain = Object.getPrototypeOf(init) === Object.prototype;
  return { init: isPlain ? { ...init, body } : Object.create(init, { body: { value: body } }), given };
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
  options: FetchOptions = {},
): Promise<Response> {
  const { isIntercepted, isUnabortable = false, Response = globalThis.Response } = options;
  const { signal, method, url } = request;
  if (!isUnabortable) signal.throwIfAborted();
  const answered = send(hosts, request, options).catch((reason: unknown) => {
    throw new TypeError("fetch failed", { cause: socketError(reason) });
  });
  const { received, sent } = await (isUnabortable ? answered : untilAborted(answered, signal));
  const { redirections = 0 } = options;
  const { status, body: bytes } = received;
  const next = status < 300 ? undefined : redirected(request, sent, received, redirections);
  if (next !== undefined)
    return follow(hosts, next, { ...options, given: undefined, redirections: redirections + 1 });
  const codings = header(received, "content-encoding");
  const body = codings === undefined ? bytes : await decodedBody(bytes, codings);
  const content = Buffer.isBuffer(body) ? new Uint8Array(body) : body;
  const hasBody = method !== "HEAD" && !WITHOUT_BODY.has(status);
  // Only read there, despite the type.
  const headers = received.headers as [string, string][];
  const response = new Response(hasBody ? content : null, {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers,
  });
  if (isIntercepted) Object.defineProperties(response.headers, UNCHANGEABLE);
  const [urlWithoutFragment = ""] = url.split("#", 1);
  return asReceived(response, urlWithoutFragment, redirections > 0);
}

type Decode = (bytes: Buffer) => Buffer | Promise<Buffer>;

/** As in `fetch`, a body may end too early. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

/** Another thread takes half a millisecond, however short a body is. */
const SMALL_BODY = 2 ** 12;
const ungzip: Decode = (bytes) =>
  bytes.length > SMALL_BODY ? gunzip(bytes, lenient) : zlib.gunzipSync(bytes, lenient);
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: ungzip,
  "x-gzip": ungzip,
  // With or without zlib's header, whose first byte ends with 8.
  deflate: (bytes) => (((bytes[0] ?? 8) & 15) === 8 ? inflate : inflateRaw)(bytes, lenient),
  br: (bytes) => brotli(bytes, lenientBrotli),
};

/** Decodes as `fetch` does: unknown codings leave the body unchanged; reading a body of another coding fails. */
async function decodedBody(bytes: Buffer, codings: string): Promise<Buffer | ReadableStream<Uint8Array>> {
  const decoders = codings.split(",").map((coding) => DECODERS[coding.trim().toLowerCase()]);
  if (bytes.length === 0 || decoders.includes(undefined)) return bytes;
  let body = bytes;
  try {
    for (const decode of decoders.reverse()) body = (await decode?.(body)) ?? body;
    return body;
  } catch (cause) {
    return new ReadableStream({
      start: (controller) => controller.error(new TypeError("terminated", { cause })),
    });
  }
}

async function follow(hosts: HostTable, request: Request, options: FetchOptions): Promise<Response> {
  const { elsewhere } = options;
  if (elsewhere === undefined || hosts.has(originOf(new URL(request.url))))
    return fetchFrom(hosts, request, options);
  return Object.defineProperty(await elsewhere(request), "redirected", { value: true });
}

const refuseChange = {
  value: () => {
    throw new TypeError("immutable");
  },
};
const UNCHANGEABLE = { append: refuseChange, delete: refuseChange, set: refuseChange };

/** Adds the properties that only responses of `fetch` have, also to copies. */
function asReceived(response: Response, url: string, isRedirected: boolean): Response {
  const { clone } = response;
  return Object.defineProperties(response, {
    url: { value: url },
    type: { value: "basic" },
    redirected: { value: isRedirected },
    clone: { value: () => asReceived(Reflect.apply(clone, response, []), url, isRedirected) },
  });
}

interface FetchExchange {
  readonly received: WireResponse;
  readonly sent: Buffer;
}

async function send(
  hosts: HostTable,
  request: Request,
  { isIntercepted = false, isUnabortable = false, given }: FetchOptions,
): Promise<FetchExchange> {
  // Waits without a body, too: the caller may stop the mock in the same turn.
  const read = await (request.body === null ? NO_BYTES : request.arrayBuffer());
  const body = given ?? Buffer.from(read);
  const sent = wireRequest(request, body);
  // The mock was stopped in the meantime. Node's `fetch` would open a connection now, and be refused as well.
  if (isIntercepted && !hosts.has(sent.origin)) throw stoppedError(sent.method, sent.origin, sent.path);
  if (isIntercepted && Number(header(sent, "content-length") ?? body.length) !== body.length)
    throw mismatch();
  const gone = isUnabortable ? undefined : request.signal;
  return { received: await hosts.answer({ gone, ...sent }), sent: body };
}

/** The refusal of `fetch` itself. */
const mismatch = (): Error =>
  Object.assign(new Error("Request body length does not match content-length header"), {
    name: "RequestContentLengthMismatchError",
    code: "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  });

/** Adds the headers that `fetch` sends but a `Request` does not have. */
function wireRequest({ url, method, headers }: Request, body: Buffer): InterceptedRequest {
  const target = new URL(url);
  const pairs: [string, string][] = [...headers];
  const added = {
    host: target.host,
    connection: "keep-alive",
    accept: "*/*",
    "accept-language": "*",
    "sec-fetch-mode": "cors",
    "user-agent": "node",
    "accept-encoding": target.protocol === "https:" ? "br, gzip, deflate" : "gzip, deflate",
    ...((body.length > 0 || method === "POST" || method === "PUT") && {
      "content-length": String(body.length),
    }),
  };
  for (const [name, value] of Object.entries(added)) if (!headers.has(name)) pairs.push([name, value]);
  return {
    origin: originOf(target),
    method,
    path: target.pathname,
    query: target.search.slice(1),
    headers: pairs,
    body,
  };
}

function untilAborted(answered: Promise<FetchExchange>, signal: AbortSignal): Promise<FetchExchange> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    answered.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Bun's and Deno's `fetch` opens connections by itself, not with the functions of node:net and node:tls. */
export const isNative = "bun" in process.versions || "deno" in process.versions;

/** Replaces a `fetch` whose connections cannot be intercepted. Returns a function that restores it. */
export function interceptFetchOfBunAndDeno(hosts: HostTable, others: OtherHosts): () => void {
  if (!isNative) return () => {};
  return replace(globalThis, "fetch", (original) => {
    const send = async (input: string | URL | Request, init?: RequestInit): Promise<unknown> => {
      const text = input instanceof Request ? input.url : String(input);
      const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
      const origin = url && originOf(url);
      if (url === undefined || origin === undefined) return original.call(globalThis, input, init);
      if (hosts.has(origin)) return fetchFrom(hosts, new Request(input, init), { elsewhere: fetch });
      const why = others.whyClosed(url.hostname);
      if (why !== undefined) {
        const message = `connect to ${origin.slice(origin.indexOf("//") + 2)} ${why}`;
        throw new TypeError("fetch failed", { cause: connectionError({ kind: "refused", message }) });
      }
      if (others.mayPass(origin)) return original.call(globalThis, input, init);
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      throw others.refusal(method, origin, url.pathname + url.search);
    };
    // Bun's function has properties of its own.
    return Object.setPrototypeOf((...args: unknown[]) => Reflect.apply(send, undefined, args), original);
  });
}
