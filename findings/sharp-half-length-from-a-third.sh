#!/usr/bin/env bash
# sharp 0.35.5 (libvips 8.18), Node 20.20.
# Expected: a JPEG file that is reduced to half its length or less is decoded at half the length, which libjpeg does for nothing.
# Seen: only from a third on. Up to there the file is decoded whole and then reduced: its pixels are those of a decoded picture that
# is reduced. With one pixel more of length they are others.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='512 to 256: decoded whole
640 to 256: decoded whole
767 to 256: decoded whole
768 to 256: decoded at less than its length
1024 to 256: decoded at less than its length'
try sharp@0.35.5 <<'EOF'
import sharp from "sharp";

const reduce = (image) => image.resize(256, 256, { fit: "fill", kernel: "cubic" }).raw().toBuffer();
for (const length of [512, 640, 767, 768, 1024]) {
  const pixels = Buffer.alloc(length * length * 3);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (state * 1103515245 + 12345) % 2147483648;
    pixels[at] = state >> 16;
  }
  const raw = { raw: { width: length, height: length, channels: 3 } };
  const file = await sharp(pixels, raw).jpeg({ quality: 90 }).toBuffer();
  const decoded = await sharp(file).raw().toBuffer();
  const isWhole = (await reduce(sharp(file))).equals(await reduce(sharp(decoded, raw)));
  console.log(`${length} to 256: ${isWhole ? "decoded whole" : "decoded at less than its length"}`);
}
EOF
