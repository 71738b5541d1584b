import { bounded } from "../general/text.ts";
import { maskHeaders, maskParameters } from "./masking.ts";
import { type BodyStream, type HeaderList, header, headersByName, type WireRequest } from "./message.ts";
import { RecordedBody } from "./recorded-body.ts";

/** The recorded parts of a message. */
interface Parts {
  readonly headers: HeaderList;
  /** Of requests. */
  readonly query?: string;
  readonly body: RecordedBody;
}

abstract class RecordedMessage {
  readonly #parts: Parts;
  /** The body, as bytes and in parsed form. */
  readonly body: RecordedBody;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.body = parts.body;
  }

  /** Whether its `Authorization` ends with this signature, which is never shown. @internal */
  isSignedWith(signature: string): boolean {
    return header(this.#parts, "authorization")?.endsWith(`:${signature}`) === true;
  }

  /** Header lines in order, with their case as far as the transport preserves it. Credentials are masked. */
  get headerLines(): HeaderList {
    return maskHeaders(this.#parts.headers);
  }

  /** Headers by lower-case name; repeated ones are joined with `, `. Credentials are masked. */
  get headers(): Readonly<Record<string, string>> {
    return headersByName({ headers: this.headerLines });
  }

  /** @internal */
  protected get maskedQuery(): string {
    return maskParameters(this.#parts.query ?? "");
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
  /** The query string without its `?`; empty when there is none. Values of secret parameters are masked. */
  get query(): string {
    return this.maskedQuery;
  }

  /** For `JSON.stringify`: without bytes. */
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
  /** For `JSON.stringify`: without bytes. */
  toJSON(): object {
    return { headers: this.headers, body: this.body };
  }
}

/** Of all header lines. Most requests have a tenth. */
export const MOST_CHARACTERS = 16_384;

/** The header lines that fit into the journal; usually all, as they are. */
function boundedLines(headers: HeaderList): HeaderList {
  const lines: (readonly [string, string])[] = [];
  let length = 0;
  let isShort = true;
  for (const [name, value] of headers) {
    length += name.length + value.length;
    if (length > MOST_CHARACTERS) break;
    const line = [name, bounded(value)] as const;
    isShort &&= line[1] === value;
    lines.push(line);
  }
  const left = headers.length - lines.length;
  if (left > 0) return [...lines, ["…", `${left} more header lines, not kept`]];
  return isShort ? headers : lines;
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
