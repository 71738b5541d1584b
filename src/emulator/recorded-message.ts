import { maskHeaders, maskParameters } from "./masking.ts";
import { type BodyStream, type HeaderList, header, type WireRequest } from "./message.ts";
import { RecordedBody } from "./recorded-body.ts";
import { bounded } from "./text.ts";

/** The recorded parts of a message. */
interface Parts {
  readonly headers: HeaderList;
  readonly body: RecordedBody;
}

abstract class RecordedMessage {
  readonly #headers: HeaderList;
  /** The body, as bytes and in parsed form. */
  readonly body: RecordedBody;

  constructor({ headers, body }: Parts) {
    this.#headers = headers;
    this.body = body;
  }

  /** Header lines in order, with their case as far as the transport preserves it. Credentials are masked. */
  get headerLines(): HeaderList {
    return maskHeaders(this.#headers);
  }

  /** Headers by lower-case name; repeated ones are joined with `, `. Credentials are masked. */
  get headers(): Readonly<Record<string, string>> {
    const lines = { headers: this.headerLines };
    return Object.fromEntries(lines.headers.map(([name]) => [name.toLowerCase(), header(lines, name) ?? ""]));
  }
}

/**
 * A request as it arrived.
 *
 * @example
 * const { headers, body } = mock.requests[0].request;
 * headers["content-type"]; // "application/json"
 * body.json; // { name: "poster", width: 1, image: "iVBORw0…" }
 * body.image; // { format: "PNG", width: 320, height: 240, size: 20311, bytes: <Buffer …> }
 */
export class RecordedRequest extends RecordedMessage {
  readonly #query: string;

  /** @internal */
  constructor({ query, ...parts }: Parts & { readonly query: string }) {
    super(parts);
    this.#query = query;
  }

  /** The query string without its `?`; empty when there is none. Values of secret parameters are masked. */
  get query(): string {
    return maskParameters(this.#query);
  }

  /** What `JSON.stringify` includes: no bytes. */
  toJSON(): object {
    return { headers: this.headers, query: this.query, body: this.body };
  }
}

/**
 * A response as the client got it.
 *
 * @example mock.requests[0].response?.body.json // { result_code: "Success", … }
 */
export class RecordedResponse extends RecordedMessage {
  /** What `JSON.stringify` includes: no bytes. */
  toJSON(): object {
    return { headers: this.headers, body: this.body };
  }
}

/** Of all header lines. Most requests have a tenth. */
const MOST_CHARACTERS = 16_384;

/** The header lines that fit into the journal; usually all, as they are. */
function boundedLines(headers: HeaderList): HeaderList {
  let length = 0;
  const first = headers.findIndex(([name, value]) => {
    length += name.length + value.length;
    return length > MOST_CHARACTERS;
  });
  if (first === -1) {
    const isLong = headers.some(([, value]) => bounded(value) !== value);
    return isLong ? headers.map(([name, value]) => [name, bounded(value)]) : headers;
  }
  const rest = `${headers.length - first} more header lines, not kept`;
  return [...headers.slice(0, first).map(([name, value]) => [name, bounded(value)] as const), ["…", rest]];
}

/** @param holdsSecrets - whether the API's bodies contain secrets by design. */
export function recordRequest(
  { headers, query, body }: Pick<WireRequest, "headers" | "query" | "body">,
  holdsSecrets: boolean,
): RecordedRequest {
  const kept = boundedLines(headers);
  const facts = { size: body.length, headers: kept, holdsSecrets };
  return new RecordedRequest({ headers: kept, body: new RecordedBody(body, facts), query: bounded(query) });
}

/** @param holdsSecrets - whether the API's bodies contain secrets by design. */
export function recordResponse(
  { headers, body }: { readonly headers: HeaderList; readonly body: Buffer | BodyStream },
  holdsSecrets: boolean,
): RecordedResponse {
  const facts = { size: body.length, headers, holdsSecrets, madeHere: true };
  return new RecordedResponse({
    headers,
    body: new RecordedBody("chunks" in body ? undefined : body, facts),
  });
}

/** Adds that the body arrived incomplete, which is the likely cause of any refusal. */
export function withCutOff(
  reason: string | undefined,
  { isCutOff, body, headers }: WireRequest,
): string | undefined {
  if (isCutOff !== true) return reason;
  const announced = header({ headers }, "content-length") ?? "an unknown number of";
  const cutOff = `the body was cut off: ${body.length} of ${announced} bytes arrived`;
  return reason === undefined ? cutOff : `${reason}; ${cutOff}`;
}
