import { drawPicture, encodePixels } from "../images/on-demand.ts";
import { checked } from "../schema/kernel/problems.ts";
import { type PictureOptions, pictureNumber, pictureOptions } from "../schema/picture.ts";

/**
 * Draws a picture for tests. Every number has its own picture, the same each time. The default matcher finds it in every
 * format and size, and matches it with no other; the default rater gives it 4 or 5.
 *
 * @param n - a whole number, 0 or more.
 * @throws InvalidOptionError for an invalid number or option.
 * @returns the bytes of the file, about 20 kB.
 * @example await mock.addTarget(database, { name: "poster", image: await samplePicture(1), processed: true });
 */
export async function samplePicture(n: number, options: PictureOptions = {}): Promise<Buffer> {
  const number = checked("n", pictureNumber, n);
  const { format, width, height } = checked("picture", pictureOptions, options);
  return encodePixels(await drawPicture(number, width, height), format);
}

const GREY = 128;

/**
 * Draws a picture of one colour for tests. The target API accepts it, but its target ends `failed`.
 *
 * @throws InvalidOptionError for an invalid option.
 * @returns the bytes of the file, about 2 kB.
 * @example await client.addTarget("flat", await flatPicture());
 */
export async function flatPicture(options: PictureOptions = {}): Promise<Buffer> {
  const { format, width, height } = checked("picture", pictureOptions, options);
  return encodePixels({ data: Buffer.alloc(width * height * 3, GREY), width, height }, format);
}
