/** All work on pixels: a sixth of the package's code, loaded with the first image. */

export { whyNotDecoded } from "./damage.ts";
export { assessImage, inspectQueryImage, inspectTargetImage, rateImage } from "./inspect.ts";
export { compareImages } from "./matching/definition.ts";
export { rankTargets, sketches, sketchOf } from "./matching/ranking.ts";
