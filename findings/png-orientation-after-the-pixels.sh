#!/usr/bin/env bash
# sharp 0.35.5, exifr 7.1.3, image-size 2.1.0, Node 20.20.
# Expected: an eXIf chunk counts wherever it stands in a PNG, since the specification allows it before and after IDAT; or nowhere.
# Seen: exifr reads the orientation in both places, sharp only before IDAT, image-size in neither. So the same file is turned by one
# program and not by the next, and a picture that a tool writes with its metadata at the end stays on its side in sharp.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='before IDAT: sharp 6, turned to 2x3; exifr 6; image-size none
after IDAT: sharp none, turned to 3x2; exifr 6; image-size none'
try sharp@0.35.5 exifr@7.1.3 image-size@2.1.0 <<'EOF'
import { crc32, deflateSync } from "node:zlib";
import exifr from "exifr";
import { imageSize } from "image-size";
import sharp from "sharp";

const chunk = (type, data) => {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
};
const header = Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
// Big-endian TIFF with one entry: Orientation, 6 (turned by 90 degrees).
const exif = chunk("eXIf", Buffer.from("4d4d002a0000000800010112000300000001000600000000" + "0000", "hex"));
const pixels = chunk("IDAT", deflateSync(Buffer.concat([0, 1].map((row) => Buffer.from([0, ...Array(9).fill(row * 99)])))));
const png = (...chunks) =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", header), ...chunks, chunk("IEND", Buffer.alloc(0))]);

for (const [name, bytes] of [["before", png(exif, pixels)], ["after", png(pixels, exif)]]) {
  const { orientation = "none" } = await sharp(bytes).metadata();
  const { info } = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const turned = `${info.width}x${info.height}`;
  const known = [await exifr.orientation(bytes), imageSize(bytes).orientation ?? "none"];
  console.log(`${name} IDAT: sharp ${orientation}, turned to ${turned}; exifr ${known[0]}; image-size ${known[1]}`);
}
EOF
