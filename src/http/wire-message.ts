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
}

/** A response, complete: transports add no header and change none. */
export interface WireResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

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
