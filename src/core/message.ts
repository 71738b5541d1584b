/** A value now or later: a store in memory answers at once, a store behind a network later. */
export type MaybePromise<T> = T | Promise<T>;

/** Header lines in order, with the case in which they were or will be sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request as it was on the wire, whatever transport brought it. */
export interface WireRequest {
  readonly method: string;
  /** The raw path, without the base URL's own prefix and without the query string. */
  readonly path: string;
  /** The query string without its `?`; empty when there is none. */
  readonly query: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** The connection brought less of the body than was announced. */
  readonly isCutOff?: boolean;
}

/** A response, complete: transports add no header and change none. */
export interface WireResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** A response that a test configured: sent exactly as given. A text body is UTF-8. */
export interface ConfiguredResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** By name; none is added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

/** What a transport does with a request: send a response, or fail the connection and say why. */
export type Result =
  | { readonly response: WireResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

export interface ConnectionError {
  /** `refused`: nothing is served there. `reset`: the connection is cut in the middle. */
  readonly kind: "refused" | "reset";
  readonly message: string;
}

/** Answers requests; rejects with what a user's own function threw. */
export type RequestHandler = (request: WireRequest) => Promise<Result>;

/** The value of a header, by name without case; repeated headers count as one, joined with `, `. */
export function header(message: { readonly headers: HeaderList }, name: string): string | undefined {
  const wanted = name.toLowerCase();
  let joined: string | undefined;
  for (const [given, value] of message.headers) {
    if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined;
}
