import { stringify } from "node:querystring";
import type { HeaderList } from "../http/wire-message.ts";
import type { InterceptedRequest } from "./answer.ts";
import { originOf } from "./host-table.ts";

type HeaderValue = string | Buffer | readonly (string | Buffer)[] | null | undefined;

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
  const isFlat = !list.every((entry) => Array.isArray(entry) && entry.length === 2);
  const pairs = isFlat ? list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])) : list;
  for (const pair of pairs) {
    if (!Array.isArray(pair)) continue;
    const [name, value] = pair;
    for (const line of Array.isArray(value) ? value : [value]) {
      if (line !== null && line !== undefined) yield [latin1(name), latin1(line)];
    }
  }
}

const latin1 = (text: unknown): string => (Buffer.isBuffer(text) ? text.toString("latin1") : String(text));

interface Body {
  readonly bytes: Buffer;
  /** The content type that undici sends with it by itself. */
  readonly type?: string;
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
async function encodeForm(form: Iterable<[string, string | Blob]>): Promise<Body> {
  const copy = new FormData();
  for (const [name, value] of form) {
    if (typeof value === "string") copy.append(name, value);
    else copy.append(name, value, String(Reflect.get(value, "name") ?? "blob"));
  }
  const encoded = new Response(copy);
  return {
    bytes: Buffer.from(await encoded.arrayBuffer()),
    type: encoded.headers.get("content-type") ?? "multipart/form-data",
  };
}

const isForm = (body: unknown): body is Iterable<[string, string | Blob]> =>
  Object.prototype.toString.call(body) === "[object FormData]";

const isIterable = (body: unknown): body is AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  typeof body === "object" && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body);
