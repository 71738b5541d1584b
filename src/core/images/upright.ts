import { orientationOf, type PixelSize } from "../general/image-header.ts";

const CHANNELS = 3;
/** The first orientation of those that exchange width and height. */
const FIRST_TURNED = 5;

/** R, G and B of each pixel, row by row. */
interface Stored extends PixelSize {
  readonly data: Buffer;
}

/** By EXIF orientation: the stored pixel that viewers show at a place. `right` and `bottom` are the last stored column and row. */
const STORED_AT: Readonly<
  Record<number, (x: number, y: number, right: number, bottom: number) => readonly [x: number, y: number]>
> = {
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _right, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, _right, bottom) => [y, bottom - x],
  7: (x, y, right, bottom) => [right - y, bottom - x],
  8: (x, y, right) => [right - y, x],
};

/** Turns and mirrors a file's stored pixels, or a picture of these, as viewers show the file. */
export function upright(stored: Stored, file: Buffer): Stored {
  const orientation = orientationOf(file);
  const storedAt = STORED_AT[orientation];
  if (storedAt === undefined) return stored;
  const [right, bottom] = [stored.width - 1, stored.height - 1];
  const [width, height] =
    orientation < FIRST_TURNED ? [stored.width, stored.height] : [stored.height, stored.width];
  const data = Buffer.alloc(stored.data.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [column, row] = storedAt(x, y, right, bottom);
      const from = CHANNELS * (row * stored.width + column);
      stored.data.copy(data, CHANNELS * (y * width + x), from, from + CHANNELS);
    }
  return { data, width, height };
}
