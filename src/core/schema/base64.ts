/**
 * Decodes base64 as the service does: it skips line breaks, drops or pads an incomplete last group, and stops after complete
 * padding. Undefined for invalid text, such as padding inside data.
 */
export const decodeServiceBase64 = (text: string): Buffer | undefined => decodeLine(inOneLine(text));

/** Two searches are faster than a regular expression: most text has no line break. */
const inOneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, "") : text;

function decodeLine(text: string): Buffer | undefined {
  const groups = text.length % 4 === 1 ? text.slice(0, -1) : text.padEnd(4 * Math.ceil(text.length / 4), "=");
  const end = groups.indexOf("=");
  const data = end === -1 ? groups : groups.slice(0, end);
  // Decoding checks the data several times faster than a regular expression.
  const rest = text.slice(data.length);
  if (/[^A-Za-z0-9+/=]/.test(rest) || data.includes("-") || data.includes("_")) return undefined;
  // Buffer.from would decode half of the bits of characters beyond ASCII.
  if (Buffer.byteLength(data) !== data.length) return undefined;
  const padding = groups.slice(data.length).replace(/[^=].*$/, "").length;
  const needed = (4 - (data.length % 4)) % 4;
  if (needed === 3 || padding < needed) return undefined;
  const ended = groups.length === data.length + padding;
  // After data that needs no padding, padding must end the text; after complete padding anything may follow.
  if (needed === 0 && !ended) return undefined;
  const bytes = Buffer.from(data, "base64");
  // Buffer.from skips characters that are not in the alphabet.
  return bytes.length === Math.floor((data.length * 3) / 4) ? bytes : undefined;
}

const [EQUALS, MINUS, UNDERSCORE] = [0x3d, 0x2d, 0x5f];
/** A multiple of 4. */
const PART = 2 ** 15;

/** Decodes base64 of whole groups, given as bytes, in parts. Undefined for any other, which may be valid all the same. */
export function decodeBase64Bytes(text: Buffer): Buffer | undefined {
  const padding = text.subarray(-2).filter((byte) => byte === EQUALS).length;
  if (text.length % 4 !== 0 || text.includes(MINUS) || text.includes(UNDERSCORE)) return undefined;
  const bytes = Buffer.allocUnsafeSlow((text.length / 4) * 3 - padding);
  let length = 0;
  for (let at = 0; at < text.length; at += PART)
    length += bytes.write(text.toString("latin1", at, at + PART), length, "base64");
  // Characters that are not in the alphabet are skipped, and what follows padding is too.
  return length === bytes.length ? bytes : undefined;
}

/** Bytes that become base64 in slices, when their JSON is sent: many images are large. */
export class Base64Text {
  constructor(readonly bytes: Uint8Array) {}

  get length(): number {
    return 4 * Math.ceil(this.bytes.length / 3);
  }

  /** The base64 in parts. @param size - in bytes; a multiple of 3, so that no part but the last needs padding. */
  *parts(size: number): Generator<string> {
    const { buffer, byteOffset, length } = this.bytes;
    for (let start = 0; start < length; start += size)
      yield Buffer.from(buffer, byteOffset + start, Math.min(size, length - start)).toString("base64");
  }
}
