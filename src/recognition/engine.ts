/** All that recognises pictures, loaded with the first one. */

export {
  featureRatingOf,
  packedFeaturesOf,
  prepareAdded,
  rateByFeatures,
  targetFeatures,
} from "./pictures.ts";
export { compareFeatures, rankByFeatures } from "./rank.ts";
