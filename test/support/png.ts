import { pngChunk } from "../../src/verify/requests.ts";

export { makePng, noiseByte, pngChunk } from "../../src/verify/requests.ts";

/** A palette of 256 greys. */
export const palette = pngChunk(
  "PLTE",
  Buffer.from(Array.from({ length: 768 }, (_, i) => Math.floor(i / 3))),
);

/** Changes a byte in the checksum of a chunk. */
export function breakChecksum(png: Buffer, type: string): Buffer {
  const broken = Buffer.from(png);
  const name = broken.indexOf(type, 8, "latin1");
  const checksum = name + 4 + broken.readUInt32BE(name - 4);
  broken.writeUInt8(broken.readUInt8(checksum) ^ 1, checksum);
  return broken;
}
