/** A value, or a promise of one: a store in memory answers synchronously, a remote store does not. */
export type MaybePromise<T> = T | Promise<T>;

/** Header lines in order, with their case on the wire. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request as it was on the wire, independent of the transport. */
export interface WireRequest {
  readonly method: string;
  /** The raw path, without the base URL's own prefix and without the query string. */
  readonly path: string;
  /** The query string without its `?`; empty when there is none. */
  readonly query: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Images that were taken out of a snapshot while it arrived, by SHA-256. The body has empty strings in their place. */
  readonly images?: ReadonlyMap<string, Buffer>;
  /** Less of the body arrived than was announced. */
  readonly isCutOff?: boolean;
}

/** A body that is made while it is sent. */
export interface BodyStream {
  /** In bytes. */
  readonly length: number;
  chunks(): Iterable<Buffer>;
}

/** A complete response: transports neither add nor change headers. */
export interface WireResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Only for transports that can send one, in place of the body. */
  readonly stream?: ((signal: AbortSignal) => Iterable<Buffer> | AsyncIterable<Buffer>) | undefined;
}

/** What a transport does with a request: send a response, or fail the connection and say why. */
export type Result =
  | { readonly response: WireResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

export interface ConnectionError {
  /** `refused`: nothing is served there. `reset`: the connection is closed before a response. */
  readonly kind: "refused" | "reset";
  readonly message: string;
}

/** Answers requests; rejects with what a user's own function threw. */
export type RequestHandler = (request: WireRequest) => Promise<Result>;

/** By lower-case name. Lists never change, so that each is read once, however many checks ask for headers. */
const valuesByName = new WeakMap<HeaderList, ReadonlyMap<string, string>>();

function indexed(headers: HeaderList): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  valuesByName.set(headers, values);
  return values;
}

/** The value of a header, by case-insensitive name; repeated headers are joined with `, `. */
export function header({ headers }: { readonly headers: HeaderList }, name: string): string | undefined {
  return (valuesByName.get(headers) ?? indexed(headers)).get(name.toLowerCase());
}
