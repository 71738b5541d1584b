import { constants, deflateRawSync } from "node:zlib";
import { makePng, pngChunk } from "./png.ts";

const BLOCKS = 15;

/**
 * Makes a one-colour RGB image of 15000x15000 pixels within a second and with little memory, by repeating one compressed block of
 * rows.
 */
export function oneColourPng(): Buffer {
  const side = 15_000;
  const rowBytes = 1 + 3 * side;
  const rows = Buffer.alloc((rowBytes * side) / BLOCKS, 0x70);
  for (let start = 0; start < rows.length; start += rowBytes) rows[start] = 0;
  const block = deflateRawSync(rows, { finishFlush: constants.Z_FULL_FLUSH });
  const data = Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: BLOCKS }, () => block),
    Buffer.from([0x03, 0x00]),
    checksum(rows, BLOCKS),
  ]);
  const header = Buffer.from("00003a9800003a980802000000", "hex");
  const signature = makePng().subarray(0, 8);
  return Buffer.concat([signature, pngChunk("IHDR", header), pngChunk("IDAT", data), pngChunk("IEND")]);
}

/** Adler-32 checksum of repeated bytes. */
function checksum(bytes: Buffer, times: number): Buffer {
  const prime = 65_521;
  let sum = 0;
  let sumOfSums = 0;
  for (const byte of bytes) {
    sum = (sum + byte) % prime;
    sumOfSums = (sumOfSums + sum) % prime;
  }
  let low = 1;
  let high = 0;
  for (let round = 0; round < times; round += 1) {
    high = (high + (bytes.length % prime) * low + sumOfSums) % prime;
    low = (low + sum) % prime;
  }
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE(high, 0);
  checksum.writeUInt16BE(low, 2);
  return checksum;
}
