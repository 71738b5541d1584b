#!/usr/bin/env bash
# sharp 0.35.5, exifr 7.1.3, image-size 2.1.0, Node 20.20.
# Expected: an eXIf chunk counts wherever it stands in a PNG, since the specification allows it before and after IDAT; or nowhere.
# Seen: exifr reads the orientation in both places, sharp only before IDAT, image-size in neither. So the same file is turned by one
# program and not by the next, and a picture that a tool writes with its metadata at the end stays on its side in sharp.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='before IDAT: sharp 6, turned to 2x3; exifr 6; image-size none
after IDAT: sharp none, turned to 3x2; exifr 6; image-size none'
try sharp@0.35.5 exifr@7.1.3 image-size@2.1.0 <<'EOF'
import exifr from "exifr";
import { imageSize } from "image-size";
import sharp from "sharp";
import { chunk, header, pixels, png } from "./png.mjs";

// Big-endian TIFF with one entry: Orientation, 6 (turned by 90 degrees).
const exif = chunk("eXIf", Buffer.from("4d4d002a00000008000101120003000000010006000000000000", "hex"));
const rows = pixels([Array(9).fill(0), Array(9).fill(99)]);
const size = header(3, 2, 8, 2);
const files = { before: png(size, exif, rows), after: png(size, rows, exif) };
for (const [name, bytes] of Object.entries(files)) {
  const { orientation = "none" } = await sharp(bytes).metadata();
  const { info } = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const turned = `${info.width}x${info.height}`;
  const known = [await exifr.orientation(bytes), imageSize(bytes).orientation ?? "none"];
  console.log(`${name} IDAT: sharp ${orientation}, turned to ${turned}; exifr ${known[0]}; image-size ${known[1]}`);
}
EOF
