import * as z from "zod/mini";
import { optional, record } from "./kernel/record.ts";
import { oneOf, wholeNumber, wholeNumberFrom } from "./kernel/values.ts";

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

export const PICTURE_DEFAULTS = { format: "JPEG", width: 320, height: 240 } as const;

/** `samplePicture(n, …)` and `flatPicture(…)`. */
export const pictureOptions = z.lazy(() =>
  record<Required<PictureOptions>>(
    optional({ format: oneOf("PNG", "JPEG"), width: side, height: side }, PICTURE_DEFAULTS),
  ),
);

/** Which picture is drawn. */
export const pictureNumber = wholeNumber;
