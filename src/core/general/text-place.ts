import { isUtf8 } from "node:buffer";

const BYTE_ORDER_MARKS = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
] as const;

/** The encoding that a byte-order mark names, which editors and shells of Windows write. */
export const markedEncoding = (bytes: Uint8Array) =>
  BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];

export function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

const BYTES_AT_A_TIME = 64 * 1024;

/** Index of the first byte that is not UTF-8; undefined if there is none. */
export function firstInvalidByte(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let begin = 0;
  try {
    for (; begin < bytes.length; begin += BYTES_AT_A_TIME)
      decoder.decode(bytes.subarray(begin, begin + BYTES_AT_A_TIME), { stream: true });
  } catch {
    // The part before may end within a character.
  }
  const first = Math.max(0, Math.min(begin, bytes.length) - 3);
  let at = first;
  while (at < first + 3 && isContinuation(bytes[at])) at += 1;
  // Each invalid sequence becomes a replacement character, which a text may also contain.
  for (const character of bytes.toString("utf8", at, begin + BYTES_AT_A_TIME)) {
    const expected = Buffer.from(character);
    if (!expected.equals(bytes.subarray(at, at + expected.length))) return at;
    at += expected.length;
  }
  return at;
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;
