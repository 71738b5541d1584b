import { remembered } from "../../cache.ts";
import { Upload, uploadIfKnown } from "../../upload.ts";
import { MAX_RATING } from "../rating.ts";
import { brisqueScore } from "./score.ts";

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/** The rating of an image by its BRISQUE score; 0 when it cannot be decoded. */
export function rateByBrisque(image: Buffer): Promise<number> {
  // An image that was not uploaded is hashed again, because the caller may have written to it.
  const upload = uploadIfKnown(image) ?? new Upload(image);
  return remembered("brisqueRating", upload.sha256, async () => {
    const decoded = await upload.decoded();
    if ("damage" in decoded) return 0;
    const score = await brisqueScore(decoded.grey);
    return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
  });
}
