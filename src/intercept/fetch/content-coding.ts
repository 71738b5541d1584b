import { ReadableStream } from "node:stream/web";
import { promisify } from "node:util";
import zlib, { constants } from "node:zlib";

type Decode = (bytes: Buffer) => Promise<Buffer>;

/** Like `fetch`, they accept a body that ends too early. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

const ungzip: Decode = (bytes) => gunzip(bytes, lenient);
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: ungzip,
  "x-gzip": ungzip,
  // With or without zlib's header, whose first byte ends with 8.
  deflate: (bytes) => (((bytes[0] ?? 8) & 15) === 8 ? inflate : inflateRaw)(bytes, lenient),
  br: (bytes) => brotli(bytes, lenientBrotli),
};

/**
 * Decodes a body as `fetch` does. An unknown coding leaves the body as it is, and reading a body fails that has another coding than announced.
 *
 * @param codings - the header `Content-Encoding`.
 */
export async function decodedBody(
  bytes: Buffer,
  codings: string,
): Promise<Buffer | ReadableStream<Uint8Array>> {
  const decoders = codings.split(",").map((coding) => DECODERS[coding.trim().toLowerCase()]);
  if (bytes.length === 0 || decoders.includes(undefined)) return bytes;
  let body = bytes;
  try {
    for (const decode of decoders.reverse()) body = (await decode?.(body)) ?? body;
    return body;
  } catch (cause) {
    return new ReadableStream({
      start: (controller) => controller.error(new TypeError("terminated", { cause })),
    });
  }
}
