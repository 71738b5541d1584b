import { formatOf } from "../emulator/image-header.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";

const [CR, LF] = [0x0d, 0x0a];
/** In a file of random bytes, one line feed in 256 follows a carriage return. */
const LEAST_LINES = 6;
/** Of random bytes, so many have 16 line ends of Windows. */
const MANY_BYTES = 2 ** 20;

/**
 * Whether the line ends of a JPEG were converted, as far as its bytes show it: a PNG's signature shows it, but a JPEG's opens. Reads
 * only the first lines of any other file.
 *
 * @param isDamaged - whether the file is known to be damaged; otherwise, only what cannot be chance counts.
 */
export function hasConvertedLineEnds(bytes: Buffer, isDamaged = false): boolean {
  if (formatOf(bytes) !== "JPEG") return false;
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return isDamaged && bytes.length >= MANY_BYTES && !bytes.includes("\r\n");
    lines += 1;
  }
  return lines >= LEAST_LINES;
}

/** What is remarkable about a picture that is accepted; undefined if nothing is. */
export const remarkOnPicture = (bytes: Buffer): AnyCause | undefined =>
  hasConvertedLineEnds(bytes) ? cause("picture.line-ends") : undefined;
