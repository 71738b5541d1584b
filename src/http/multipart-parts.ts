/** A part as it stands in a multipart body. */
export interface RawPart {
  /** The header lines without the empty line behind them, one character per byte. */
  readonly headers: string;
  readonly content: Buffer;
}

const HEADERS_END = "\r\n\r\n";
/** Busboy takes 16 KiB; a little is left for what is added. */
const MOST_HEADER_BYTES = 16_000;

/**
 * Finds the parts of a multipart body that ended: another boundary stands behind each of them. What comes before the
 * first boundary or behind the closing one, and what has no end of its headers, is no part.
 */
export function splitParts(body: Buffer, boundary: Buffer): readonly RawPart[] {
  const delimiter = Buffer.concat([Buffer.from("\r\n--"), boundary]);
  const parts: RawPart[] = [];
  let start = firstBoundaryEnd(body, delimiter);
  while (start !== -1 && body.toString("latin1", start, start + 2) !== "--") {
    const end = body.indexOf(delimiter, start);
    if (end === -1) break;
    const part = readPart(body.subarray(start, end));
    if (part !== undefined) parts.push(part);
    start = end + delimiter.length;
  }
  return parts;
}

/** Where the first boundary ends; it may begin the body, and then has no line end before it. -1: there is none. */
function firstBoundaryEnd(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(2);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  const found = body.indexOf(delimiter);
  return found === -1 ? -1 : found + delimiter.length;
}

/** Takes apart what stands between two boundaries: the rest of the boundary's line, header lines, content. */
function readPart(between: Buffer): RawPart | undefined {
  const lineEnd = between.indexOf("\r\n");
  if (lineEnd === -1 || between.toString("latin1", 0, lineEnd).trim() !== "") return undefined;
  const headersEnd = between.indexOf(HEADERS_END, lineEnd);
  // Right behind the boundary's line: there are no headers.
  if (headersEnd <= lineEnd || headersEnd > MOST_HEADER_BYTES) return undefined;
  return {
    headers: between.toString("latin1", lineEnd + 2, headersEnd),
    content: between.subarray(headersEnd + HEADERS_END.length),
  };
}
