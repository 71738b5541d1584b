import { createHash } from "node:crypto";
import { yieldToEventLoop } from "../../../emulator/scheduling.ts";
import type { Outline } from "../../../schema/journal-entry.ts";
import { latestFeatures, MadeOfImages } from "../../cache.ts";
import { decodeGrey } from "../../decode.ts";
import type { ComparedImage, ComparedTarget, Comparison, RankedMatch, Ranking } from "../comparison.ts";
import {
  FeatureFinder,
  type Features,
  placeOf,
  QUERY_SEARCH,
  type Search,
  TARGET_SEARCH,
} from "./extract.ts";
import { readProjections } from "./projections.ts";
import { judge, recognise } from "./recognise.ts";
import { shortlist } from "./shortlist.ts";

let loaded: FeatureFinder | undefined;

/** Null when the image cannot be decoded. */
async function featuresOf(image: ComparedImage, search: Search): Promise<Features | null> {
  const grey = await decodeGrey(await image.bytes(), search.side);
  if ("damage" in grey) return null;
  loaded ??= new FeatureFinder(readProjections());
  return loaded.find(grey, search);
}

/** The features of targets' images. */
export const targetFeatures = new MadeOfImages(latestFeatures, (image: ComparedImage) =>
  featuresOf(image, TARGET_SEARCH),
);

/** Of many targets, those that share most features with the query are verified: at least as many, or so many when all are wanted. */
const [LEAST_SHORTLIST, LONGEST_SHORTLIST] = [20, 100];

/** Each takes 1 to 3 ms. */
const COMPARED_PER_SLICE = 2;
/** Targets whose features are found, if they have not been yet, while others are decoded. */
const PREPARED_AT_ONCE = 32;

/**
 * Finds the targets that an image shows.
 * @param most how many of the best matches have to be found
 */
export async function rankByFeatures<T extends ComparedTarget>(
  image: ComparedImage,
  targets: readonly T[],
  { minimumInliers }: Comparison & { readonly by: "features" },
  most: number,
  only?: "wholePictures",
): Promise<Ranking<T>> {
  const matches: RankedMatch<T>[] = [];
  const nearest: { readonly target: T; readonly inliers: number }[] = [];
  const whyNot = new Map<T, string>();
  const noMatch = (target: T, why: string, inliers = -1) => {
    whyNot.set(target, why);
    nearest.push({ target, inliers });
  };
  const others = targets.filter(({ image: { sha256 } }) => sha256 !== image.sha256);
  for (const target of targets) {
    if (target.image.sha256 !== image.sha256) continue;
    matches.push({ target, score: 1, recognition: { why: "the same file", outline: WHOLE } });
  }
  const query = others.length > 0 ? await featuresOf(image, QUERY_SEARCH) : null;
  const prepared = new Map<T, Features>();
  for (let start = 0; query && start < others.length; start += PREPARED_AT_ONCE) {
    const slice = others.slice(start, start + PREPARED_AT_ONCE);
    const known = slice.map((target) => targetFeatures.of(target.image));
    const ready = known.some((features) => features instanceof Promise) ? await Promise.all(known) : known;
    for (const [index, target] of slice.entries()) {
      const features = ready[index];
      if (features && !(features instanceof Promise)) prepared.set(target, features);
    }
  }
  const wanted = Number.isFinite(most) ? Math.max(LEAST_SHORTLIST, 2 * most) : LONGEST_SHORTLIST;
  const verified = new Set(query ? await shortlist(query, [...prepared.values()], wanted) : []);
  let compared = 0;
  for (const target of others) {
    const features = prepared.get(target);
    if (!query || !features) noMatch(target, "the picture cannot be decoded");
    else if (!verified.has(features))
      noMatch(target, "too few features look alike to compare their positions");
    else {
      if (compared % COMPARED_PER_SLICE === 0) await yieldToEventLoop();
      compared += 1;
      const { inliers, why, found } = judge(recognise(features, query), features, query, minimumInliers);
      if (!found) noMatch(target, why, inliers);
      else if (only !== undefined && !isWhole(found.outline))
        noMatch(target, `${why}, but not the whole picture`, inliers);
      else matches.push({ target, score: found.score, recognition: { why, outline: found.outline } });
    }
  }
  matches.sort((a, b) => b.score - a.score);
  nearest.sort((a, b) => b.inliers - a.inliers);
  return { matches, notCompared: [], unmatched: nearest.map(({ target }) => target), whyNot };
}

/** The score of an image for a target's; null when it does not show that. */
export async function compareFeatures(a: Buffer, b: Buffer, minimumInliers: number): Promise<number | null> {
  if (a.equals(b)) return 1;
  const [query, target] = await Promise.all([
    featuresOf({ sha256: "", bytes: () => a }, QUERY_SEARCH),
    featuresOf({ sha256: "", bytes: () => b }, TARGET_SEARCH),
  ]);
  if (!query || !target) return null;
  return judge(recognise(target, query), target, query, minimumInliers).found?.score ?? null;
}

/** The worth that each star needs. */
const STARS = [20, 60, 120, 220, 360];
/** Cells along each side of a picture. */
const SPREAD_GRID = 6;

/** From 0 to 5 stars for how likely a picture is recognised. An image that cannot be decoded gets 0. */
export async function rateByFeatures(bytes: Buffer): Promise<number> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const features = await targetFeatures.of({ sha256, bytes: () => bytes });
  if (!features) return 0;
  const { count, frames, width, height } = features;
  const cells = new Set<number>();
  for (let index = 0; index < count; index++) {
    const [x = 0, y = 0] = placeOf(frames, index);
    cells.add(Math.floor((x / width) * SPREAD_GRID) * SPREAD_GRID + Math.floor((y / height) * SPREAD_GRID));
  }
  // Features in one corner are worth something, too: it may be what a photograph shows.
  const worth = count * (0.4 + (0.6 * cells.size) / SPREAD_GRID ** 2);
  return STARS.filter((least) => worth >= least).length;
}

const WHOLE: Outline = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
/** By how much the corners of a whole picture may be off, in parts of its sides. */
const CORNER_TOLERANCE = 0.1;

/** Whether the outline is that of the whole picture, however it is turned. */
const isWhole = (outline: Outline): boolean =>
  WHOLE.every(([x, y]) =>
    outline.some(([u, v]) => Math.abs(u - x) < CORNER_TOLERANCE && Math.abs(v - y) < CORNER_TOLERANCE),
  );
