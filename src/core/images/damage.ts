import { promisify } from "node:util";
import { type InputType, inflate, inflateRaw } from "node:zlib";
import {
  formatOf,
  hasConvertedLineEnds,
  hasEnd,
  type JpegFrame,
  jpegFrame,
} from "../general/image-header.ts";
import { type AnyCause, cause, sentenceOf } from "../schema/causes/causes.ts";
import { decodeThumbnail, readHeader, whyTooLargeToDecode } from "./decode.ts";
import { chunksOf } from "./png.ts";

/**
 * Says what is wrong with a PNG or JPEG that the decoder does not read.
 *
 * @param damage - what the decoder says.
 * @param isHeader - whether it cannot even be opened.
 */
export async function whyUndecodable(bytes: Buffer, damage: string, isHeader = false): Promise<AnyCause> {
  const format = formatOf(bytes) ?? "PNG";
  const known = format === "PNG" ? await whyNoPng(bytes) : whyNoJpeg(bytes);
  if (known !== undefined) return known;
  if (isHeader) return cause("image.damaged", { isHeader, format, damage });
  return hasEnd(bytes)
    ? cause("image.damaged", { isHeader, damage })
    : cause("image.truncated", { isHeader, bytes: bytes.length, damage });
}

/** Says why an image that opens cannot be decoded; undefined if it can. */
export async function whyNotDecoded(bytes: Buffer): Promise<string | undefined> {
  const header = await readHeader(bytes);
  const tooLarge = "damage" in header ? undefined : whyTooLargeToDecode(bytes, header);
  if (tooLarge !== undefined) return tooLarge;
  const decoded = await decodeThumbnail(bytes);
  return "damage" in decoded ? sentenceOf(await whyUndecodable(bytes, decoded.damage)) : undefined;
}

const CRITICAL = ["IHDR", "PLTE", "IDAT", "IEND"];

async function whyNoPng(bytes: Buffer): Promise<AnyCause | undefined> {
  const pixels: Buffer[] = [];
  for (const { type, at, data } of chunksOf(bytes)) {
    if (/^[A-Z]/.test(type) && !CRITICAL.includes(type)) return cause("image.chunk", { chunk: type, at });
    if (type === "IDAT") pixels.push(data);
  }
  return whyNotInflated(Buffer.concat(pixels));
}

const ZLIB_HEADER_BYTES = 2;
const ADLER_BYTES = 4;
/** More is left unexplained: about the pixels of the largest target. */
const MOST_INFLATED = 2 ** 27;

/** Whether only the checksum keeps pixels from being inflated. */
async function whyNotInflated(pixels: Buffer): Promise<AnyCause | undefined> {
  const options = { maxOutputLength: MOST_INFLATED };
  const isWhole = (run: typeof inflate, data: InputType) =>
    promisify(run)(data, options).then(
      () => true,
      () => false,
    );
  const raw = pixels.subarray(ZLIB_HEADER_BYTES);
  if ((await isWhole(inflate, pixels)) || !(await isWhole(inflateRaw, raw))) return undefined;
  // Without its checksum, the data needs all of its bytes.
  const isMissing = !(await isWhole(inflateRaw, raw.subarray(0, -ADLER_BYTES)));
  return cause("image.adler", { isMissing });
}

const LOSSLESS = [0xc3, 0xc7, 0xcb, 0xcf];
const FIRST_ARITHMETIC = 0xc9;
const DIFFERENTIAL = [0xc5, 0xc6];
const JPEG_LS = 0xf7;

const kindOf = ({ marker, bits }: JpegFrame): string | undefined =>
  [
    ...(LOSSLESS.includes(marker) ? ["is lossless"] : []),
    ...(bits === 8 ? [] : [`has ${bits} bits a sample`]),
    ...(marker >= FIRST_ARITHMETIC ? ["is arithmetic-coded"] : []),
    ...(DIFFERENTIAL.includes(marker) ? ["is hierarchical"] : []),
  ][0];

function whyNoJpeg(bytes: Buffer): AnyCause | undefined {
  const frame = jpegFrame(bytes);
  const is = bytes[3] === JPEG_LS ? "is a JPEG-LS" : frame && kindOf(frame);
  if (is !== undefined) return cause("image.jpeg-kind", { is });
  return hasConvertedLineEnds(bytes, true) ? cause("image.line-ends", { format: "JPEG" }) : undefined;
}
