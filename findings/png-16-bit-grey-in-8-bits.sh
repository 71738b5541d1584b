#!/usr/bin/env bash
# sharp 0.35.5, pngjs 7.0.0, Jimp 1.6.1, upng-js 2.1.0, Node 20.20.
# Expected: the samples of a 16-bit grey PNG become 8-bit ones in one way, by their high byte or by rounding.
# Seen: in three ways, and sharp does two of them: raw pixels have the high byte, as in upng-js; after `greyscale()` they are rounded, 7fff
# to 128, which pngjs and Jimp round to 127. Scores of one picture depend on the decoder, and on whether it is asked for grey.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='samples: 00ff 8080 7fff ff00
sharp: 0 128 127 255
sharp, greyscale: 1 128 128 254
pngjs: 1 128 127 254
Jimp: 1 128 127 254
upng-js: 0 128 127 255'
try sharp@0.35.5 pngjs@7.0.0 jimp@1.6.1 upng-js@2.1.0 <<'EOF'
import { Jimp } from "jimp";
import { PNG } from "pngjs";
import sharp from "sharp";
import UPNG from "upng-js";
import { header, pixels, png } from "./png.mjs";

const samples = Buffer.from("00ff80807fffff00", "hex");
const file = png(header(4, 1, 16, 0), pixels([samples]));
const every = (bytes, step) => Array.from({ length: 4 }, (_, index) => bytes[index * step]).join(" ");
const inSharp = async (image) => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return every(data, info.channels);
};
console.log("samples:", samples.toString("hex").match(/.{4}/g).join(" "));
console.log("sharp:", await inSharp(sharp(file)));
console.log("sharp, greyscale:", await inSharp(sharp(file).greyscale()));
console.log("pngjs:", every(PNG.sync.read(file).data, 4));
console.log("Jimp:", every((await Jimp.read(file)).bitmap.data, 4));
console.log("upng-js:", every(new Uint8Array(UPNG.toRGBA8(UPNG.decode(file))[0]), 4));
EOF
