import { remembered } from "../../cache.ts";
import { Upload } from "../../upload.ts";
import { MAX_RATING } from "../rating.ts";
import { brisqueScore } from "./score.ts";

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/** The rating of an image by its BRISQUE score; 0 when it cannot be decoded. */
export function rateByBrisque(upload: Upload): Promise<number> {
  return remembered("brisqueRating", upload.sha256, async () => {
    const decoded = await upload.decoded();
    if ("damage" in decoded) return 0;
    const score = await brisqueScore(decoded.grey);
    return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
  });
}

export const rateImage = (image: Buffer): Promise<number> => rateByBrisque(new Upload(image));
