/** What works on pixels: a sixth of the package's code, loaded with the first image. */
export { assessImage } from "./assess.ts";
export { rateByBrisque } from "./brisque/rate.ts";
export { encodePixels, whyNotDecoded } from "./decode.ts";
export { drawPicture } from "./draw-picture.ts";
export { inspectQueryImage, inspectTargetImage } from "./inspect.ts";
export { prepareInBackground, rankTargets } from "./ranking.ts";
export { compareImages } from "./similarity.ts";
