/** All that recognises pictures, loaded with the first one. */

export { prepareAdded } from "./added.ts";
export {
  featureRatingOf,
  packedFeaturesOf,
  rateByFeatures,
  targetFeatures,
} from "./pictures.ts";
export { compareFeatures, rankByFeatures } from "./rank.ts";
