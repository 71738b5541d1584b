import * as z from "zod/mini";
import type { Pixels } from "../../core/images/decode.ts";
import { encodePng } from "../../core/images/on-demand.ts";
import { checked } from "../../core/schema/zod/problems.ts";
import { optional, record } from "../../core/schema/zod/record.ts";
import { oneOf, wholeNumber, wholeNumberFrom } from "../../core/schema/zod/values.ts";
import { drawPicture } from "./draw-picture.ts";
import { encodeJpeg } from "./encode-picture.ts";
import { keptPicture } from "./kept-pictures.ts";

/** How a picture for tests is drawn. */
export interface PictureOptions {
  /** Default `JPEG`, which is a tenth of the size. */
  readonly format?: "PNG" | "JPEG";
  /** In pixels, from 192 to 1280. Default 320. */
  readonly width?: number;
  /** In pixels, from 192 to 1280. Default 240. */
  readonly height?: number;
}

/** In this range the default rater gives 4 or 5 points. */
const side = wholeNumberFrom(192, 1280);

const PICTURE_DEFAULTS = { format: "JPEG", width: 320, height: 240 } as const;

/** `samplePicture(n, …)` and `flatPicture(…)`. */
const pictureOptions = z.lazy(() =>
  record<Required<PictureOptions>>(
    optional({ format: oneOf("PNG", "JPEG"), width: side, height: side }, PICTURE_DEFAULTS),
  ),
);

/** Which picture is drawn. */
const pictureNumber = wholeNumber;

/**
 * Draws a picture for tests, with its number in it. The same number always gives the same pixels, and is drawn once in a process. The
 * default matcher finds it in every format and size, and matches it with no other; the default rater gives it 4 or 5.
 *
 * @param n - an integer, 0 or more.
 * @throws InvalidOptionError for an invalid number or option.
 * @returns the bytes of the file, about 20 kB, in a buffer of its own.
 * @example await mock.addTarget(database, { name: "poster", image: await samplePicture(1), processed: true });
 */
export async function samplePicture(n: number, options: PictureOptions = {}): Promise<Buffer> {
  const number = checked("n", pictureNumber, n);
  const { format, width, height } = checked("picture", pictureOptions, options);
  return keptPicture(`${number} ${format} ${width} ${height}`, async () =>
    encode(await drawPicture(number, width, height), format),
  );
}

const encode = (picture: Pixels, format: "PNG" | "JPEG"): Promise<Buffer> =>
  format === "PNG" ? encodePng(picture) : encodeJpeg(picture);

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
  return keptPicture(`flat ${format} ${width} ${height}`, () =>
    encode({ data: Buffer.alloc(width * height * 3, GREY), width, height }, format),
  );
}
