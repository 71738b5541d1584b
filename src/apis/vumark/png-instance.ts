import { crc32, deflateSync } from "node:zlib";
import { GLYPH_HEIGHT, GLYPH_WIDTH, isBlack } from "./bitmap-font.ts";
import { CELL_WIDTH, FRAME, type Label, layOut, placeOf, printable } from "./label.ts";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const KEYWORD = "instance_id";
const WHITE = 255;
const GREYSCALE_OF_8_BITS = [8, 0, 0, 0, 0];

/**
 * A PNG that shows the id and contains it in a `tEXt` chunk.
 *
 * The specification of `tEXt` demands Latin-1; an id beyond Latin-1 is written there as UTF-8 all the same. Every id
 * beyond ASCII is also in an `iTXt` chunk.
 */
export function pngInstance(id: string): Buffer {
  const label = layOut(printable(id));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(label.width, 0);
  header.writeUInt32BE(label.height, 4);
  header.set(GREYSCALE_OF_8_BITS, 8);
  const encoding = /[^\0-\xff]/.test(id) ? "utf8" : "latin1";
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("tEXt", Buffer.from(`${KEYWORD}\0`), Buffer.from(id, encoding)),
    // Not compressed; without a language or a translated keyword.
    ...(/[^\0-\x7f]/.test(id) ? [chunk("iTXt", Buffer.from(`${KEYWORD}\0\0\0\0\0${id}`))] : []),
    chunk("IDAT", deflateSync(pixelRows(label))),
    chunk("IEND"),
  ]);
}

/** Rows of one byte per pixel, each after a filter byte of 0 (no filter). */
function pixelRows(label: Label): Buffer {
  const { width, height, lines, scale } = label;
  const rows = Buffer.alloc((width + 1) * height, WHITE);
  const fill = (left: number, top: number, right: number, bottom: number, value: number) => {
    for (let y = top; y < bottom; y++) {
      rows.fill(value, y * (width + 1) + 1 + left, y * (width + 1) + 1 + right);
    }
  };
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0;
  const { outer, inner } = FRAME;
  fill(outer, outer, width - outer, height - outer, 0);
  fill(inner, inner, width - inner, height - inner, WHITE);
  lines.forEach((characters, line) => {
    const { left, top } = placeOf(label, line);
    characters.forEach((character, index) => {
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        for (let row = 0; row < GLYPH_HEIGHT; row++) {
          if (!isBlack(character, column, row)) continue;
          const x = left + (index * CELL_WIDTH + column) * scale;
          const y = top + (row + 1) * scale;
          fill(x, y, x + scale, y + scale, 0);
        }
      }
    });
  });
  return rows;
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...parts]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - type.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
