import type { File } from "node:buffer";
import { stringify } from "node:querystring";
import type { HeaderList } from "../http/wire-message.ts";
import type { InterceptedRequest } from "./answer.ts";
import { originOf } from "./host-table.ts";

type HeaderValue = string | readonly string[] | null | undefined;

/** What undici's dispatchers get, of versions 6 to 8. */
export interface DispatchOptions {
  readonly origin?: string | URL;
  readonly path: string;
  readonly method: string;
  readonly query?: Record<string, string | readonly string[]>;
  readonly body?: unknown;
  /** Names and values in turn, pairs, or a record. */
  readonly headers?: Iterable<unknown> | Record<string, HeaderValue> | null;
}

/** The origin that a request is for, as the host table writes it. */
export function originIn({ origin }: DispatchOptions): string | undefined {
  return origin !== undefined && URL.canParse(String(origin)) ? originOf(new URL(origin)) : undefined;
}

/**
 * Reads a request whole: headers in their own case and order, and those that undici would add for its body.
 *
 * @throws what the body's stream fails with.
 */
export async function interceptedRequest(
  options: DispatchOptions,
  origin: string,
): Promise<InterceptedRequest> {
  const headers = [...headerPairs(options.headers)];
  const { bytes, type } = await readBody(options.body);
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
  if (type && !has("content-type")) headers.push(["content-type", type]);
  if (!has("host")) headers.push(["host", new URL(String(options.origin)).host]);
  const query = options.query && stringify(options.query);
  const target = query ? `${options.path}?${query}` : options.path;
  return { origin, target, method: options.method, headers, body: bytes };
}

function* headerPairs(headers: DispatchOptions["headers"]): Generator<HeaderList[number]> {
  if (headers === null || headers === undefined) return;
  const list = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const pairs = list.every(isPair)
    ? list
    : list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]] as const] : []));
  for (const [name, value] of pairs) {
    for (const line of Array.isArray(value) ? value : [value]) {
      if (line !== null && line !== undefined) yield [String(name), String(line)];
    }
  }
}

const isPair = (entry: unknown): entry is readonly [unknown, unknown] =>
  Array.isArray(entry) && entry.length === 2;

type Form = Iterable<[string, string | File]>;

interface Body {
  readonly bytes: Buffer;
  /** The content type that undici sends with it by itself. */
  readonly type?: string | null;
}

async function readBody(body: unknown): Promise<Body> {
  if (body === null || body === undefined) return { bytes: Buffer.alloc(0) };
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  if (body instanceof ArrayBuffer) return { bytes: Buffer.from(body) };
  if (ArrayBuffer.isView(body)) return { bytes: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  if (isForm(body)) return encodeForm(body);
  if (body instanceof Blob) return { bytes: Buffer.from(await body.arrayBuffer()), type: body.type };
  if (isIterable(body)) {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk));
    return { bytes: Buffer.concat(chunks) };
  }
  throw new TypeError(`cannot read a request body of type ${Object.prototype.toString.call(body)}`);
}

/** undici's own FormData class is not the global one, so that the global Response would not know it. */
async function encodeForm(form: Form): Promise<Body> {
  const copy = new FormData();
  for (const [name, value] of form) {
    if (typeof value === "string") copy.append(name, value);
    else copy.append(name, value, value.name);
  }
  const encoded = new Response(copy);
  return { bytes: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get("content-type") };
}

const isForm = (body: unknown): body is Form => Object.prototype.toString.call(body) === "[object FormData]";

const isIterable = (body: unknown): body is AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  typeof body === "object" && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body);
