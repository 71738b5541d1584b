import type { FeatureRating } from "../core/images/ratings/rating.ts";
import { type Features, placeOf } from "./extract.ts";

/** The worth that each star needs. */
const STARS = [20, 60, 120, 220, 360];
/** Cells along each side of a picture, and all of them. */
const GRID = 6;
const CELLS = GRID ** 2;
/** With this many stars, most photographs of a picture are recognised, also in glare or with a part covered. */
const GOOD = 4;
/** With features in fewer cells, a picture gains more from being filled than from finer detail. */
const MOSTLY_PLAIN = CELLS / 2;

const LEAST_GOOD = STARS[GOOD - 1] ?? 0;
export const GOOD_FEATURES = `${LEAST_GOOD} all over it make ${GOOD} stars`;

/** Pictures whose longer side has fewer pixels, at twice their size, show too little. */
const SMALL = 128;

/** The size of a picture if that is too small; undefined otherwise. */
export const tooSmall = ({ width, height }: Features): string | undefined =>
  Math.max(width, height) < SMALL ? `${width / 2}x${height / 2} pixels` : undefined;

/** How likely a picture with these features is recognised. */
export function rateFeatures(features: Features, different: number): FeatureRating {
  const { rating, advice } = rate(features.count, cellsOf(features), different);
  const size = tooSmall(features);
  return { rating, advice: size === undefined ? advice : `it is too small, ${size}, and ${advice}` };
}

function cellsOf({ count, frames, width, height }: Features): number {
  const cells = new Set<number>();
  for (let index = 0; index < count; index++) {
    const [x = 0, y = 0] = placeOf(frames, index);
    cells.add(Math.floor((x / width) * GRID) * GRID + Math.floor((y / height) * GRID));
  }
  return cells.size;
}

/** Features in one corner are worth something, too: a photograph may show only it. */
const worthOf = (cells: number): number => 0.4 + (0.6 * cells) / CELLS;

/**
 * @param cells - of 36, those that have a feature
 * @param different - features of which none looks like another: what repeats itself is not found
 */
export function rate(features: number, cells: number, different = features): FeatureRating {
  const worth = different * worthOf(cells);
  const rating = STARS.filter((least) => worth >= least).length;
  const has = `${features} feature${features === 1 ? "" : "s"}`;
  const differing = `${has}, but only ${different} that differ`;
  if (rating >= GOOD) return { rating, advice: `${has}, enough to be recognised in most photographs` };
  if (features === 0) return { rating, advice: `it has no details: no features; ${GOOD_FEATURES}` };
  if (different < features / 2)
    return { rating, advice: `it repeats itself: ${differing}; ${GOOD_FEATURES}` };
  if (cells < MOSTLY_PLAIN) {
    const where = `${features < LEAST_GOOD ? has : `${differing},`} in ${cells} of ${CELLS} parts of the picture`;
    return { rating, advice: `most of it is plain: ${where}; ${GOOD_FEATURES}` };
  }
  const enough = Math.ceil(LEAST_GOOD / worthOf(cells));
  const few = features < enough ? has : differing;
  return { rating, advice: `it needs more detail: ${few}; ${enough} spread like these make ${GOOD} stars` };
}
