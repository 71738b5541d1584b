import { crc32, deflateSync } from "node:zlib";

/** A chunk of a PNG. */
export function chunk(type, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Its first chunk. @param colour - 0 is grey, 2 is RGB. */
export const header = (width, height, depth, colour) =>
  chunk("IHDR", Buffer.from([0, 0, 0, width, 0, 0, 0, height, depth, colour, 0, 0, 0]));

/** Its pixels, as rows of bytes. */
export const pixels = (rows) =>
  chunk("IDAT", deflateSync(Buffer.concat(rows.map((row) => Buffer.from([0, ...row])))));

export const png = (...chunks) =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks, chunk("IEND", Buffer.alloc(0))]);
