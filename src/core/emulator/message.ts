/** Header lines in order, with their case on the wire. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface WithHeaders {
  readonly headers: HeaderList;
}

export interface MethodAndPath {
  readonly method: string;
  /** The raw path, without the base URL's own prefix and without the query string. */
  readonly path: string;
}

/** A request without its body. */
export interface RequestHead extends MethodAndPath, WithHeaders {
  /** The query string without its `?`; empty when there is none. */
  readonly query: string;
  /** Images that were taken out of a snapshot while it arrived, by SHA-256. The body has empty strings in their place. */
  readonly images?: ReadonlyMap<string, Buffer>;
  /** Less of the body arrived than was announced. */
  readonly isCutOff?: boolean;
  /** Aborted when the client has disconnected. Absent: the transport cannot tell. */
  readonly gone?: AbortSignal | undefined;
  /** Of a malformed request: the earlier request of whose body its bytes may be left over, and what to mend, in words. */
  readonly leftOverOf?: string | undefined;
}

/** A request as it was on the wire, independent of the transport. */
export interface WireRequest extends RequestHead {
  readonly body: Buffer;
}

/** A body that is made while it is sent; its length is in bytes. */
export interface BodyStream {
  readonly length: number;
  chunks(): Iterable<Buffer>;
}

export interface ResponseHead extends WithHeaders {
  readonly status: number;
}

/** A complete response: transports neither add nor change headers. */
export interface WireResponse extends ResponseHead {
  readonly body: Buffer;
  /** Only for transports that can send one, in place of the body. */
  readonly stream?: ((signal: AbortSignal) => Iterable<Buffer> | AsyncIterable<Buffer>) | undefined;
}

export type Result =
  | { readonly response: WireResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

export interface ConnectionError {
  /** `refused`: nothing is served there. `reset`: the connection is closed before a response. */
  readonly kind: "refused" | "reset";
  readonly message: string;
}

/** Rejects with the error of a user's own function. */
export type RequestHandler = (request: WireRequest) => Promise<Result>;

/** By lower-case name. Lists never change, so each is read once for all checks. */
const valuesByName = new WeakMap<HeaderList, ReadonlyMap<string, string>>();

/** The value of a header, by case-insensitive name; repeated headers are joined with `, `. */
export function header({ headers }: WithHeaders, name: string): string | undefined {
  const known = valuesByName.get(headers);
  if (known !== undefined) return known.get(name.toLowerCase());
  const values = new Map<string, string>();
  for (const [given, value] of headers) {
    const key = given.toLowerCase();
    const earlier = values.get(key);
    values.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  valuesByName.set(headers, values);
  return values.get(name.toLowerCase());
}

/** The values of all headers, by lower-case name. */
export const headersByName = (message: WithHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(message.headers.map(([name]) => [name.toLowerCase(), header(message, name) ?? ""]));

/** Whether an `Accept-Encoding` header allows an encoding. Without the header, only the identity is certain. */
export const acceptsEncoding = (header: string | undefined, encoding: string): boolean =>
  header !== undefined && isAccepted(header, [encoding, "*"]);

/** @param names - alternatives from the most specific to the most general: the first one in the list decides. */
export function isAccepted(list: string, names: readonly string[]): boolean {
  const qualities = new Map<string, number>();
  for (const entry of list.toLowerCase().split(",")) {
    const [name = "", ...parameters] = entry.trim().split(/\s*;\s*/);
    const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const quality = given === undefined ? 1 : Number(given.slice(given.indexOf("=") + 1));
    // 1 when it is not a number, too.
    qualities.set(name, Math.max(qualities.get(name) ?? 0, Number.isNaN(quality) ? 1 : quality));
  }
  const deciding = names.find((name) => qualities.has(name));
  return deciding !== undefined && (qualities.get(deciding) ?? 0) > 0;
}

/** Why the bytes on a socket could not be read as a complete request. */
export type MalformedKind =
  | "contentLength"
  | "headersTooLarge"
  | "malformed"
  | "unended"
  | "bodyTooLarge"
  | "overloaded";
