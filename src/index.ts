export {
  createStructuralSimilarityMatcher,
  exactMatcher,
  type ImageMatcher,
  type MappedImage,
  type MatchedTarget,
  mappingMatcher,
  structuralSimilarityMatcher,
} from "./images/matchers.ts";
export { fixedRater, perfectRater, type TargetRater } from "./images/raters.ts";
export { authorizationHeader, rfc1123Date, type SignedParts, type SigningKeys } from "./signing.ts";
