import type { PixelSize } from "../core/general/image-header.ts";
import { yieldToEventLoop } from "../core/general/scheduling.ts";
import type {
  ComparedImage,
  ComparedTarget,
  RankedMatch,
  Ranking,
} from "../core/images/matching/comparison.ts";
import type { Outline } from "../core/schema/journal-entry.ts";
import type { TargetFeatures } from "./extract.ts";
import {
  endsSlice,
  featuresOfQuery,
  featuresOfTarget,
  featuresOfTargets,
  imageOf,
  type QueryPass,
  usePassesOfQuery,
} from "./pictures.ts";
import { hiddenByOthers } from "./places.ts";
import { type Judgement, lookFor, type QueryPicture } from "./recognise.ts";
import { shortlist } from "./shortlist.ts";

/** Of many targets, so many are verified at most: those that share most features with the query. */
const LONGEST_SHORTLIST = 100;

/** Each takes 1 to 3 ms. */
const COMPARED_PER_SLICE = 2;

/**
 * Finds the targets that an image shows.
 * @param most how many of the best matches have to be found
 */
export async function rankByFeatures<T extends ComparedTarget>(
  minimumInliers: number,
  image: ComparedImage,
  targets: readonly T[],
  most: number,
  only?: "wholePictures",
): Promise<Ranking<T>> {
  const same: T[] = [];
  const others: T[] = [];
  for (const [index, target] of targets.entries()) {
    if (endsSlice(index)) await yieldToEventLoop();
    (target.image.sha256 === image.sha256 ? same : others).push(target);
  }
  const judged = new Map<T, Judgement>();
  const isFound = () => same.length > 0 || [...judged.values()].some(({ found }) => found);
  const searchAll = async (passes: readonly QueryPass[]): Promise<PixelSize | undefined> => {
    const prepared = passes.length > 0 ? await featuresOfTargets(others) : [];
    const search = { targets: others, prepared, judged, minimumInliers, only };
    for (const pass of inOrder(passes, most, only)) {
      if (pass.isShort && isFound()) break;
      const wanted = Number.isFinite(most)
        ? Math.max(pass.verified, Math.ceil(1.5 * most))
        : LONGEST_SHORTLIST;
      await searchIn(await featuresOfQuery(pass), wanted, search);
      if (most === 1 && isFound()) break;
    }
    return passes[0]?.pixels.level(0);
  };
  const searched = others.length > 0 ? await usePassesOfQuery(image, searchAll) : undefined;
  for (const target of same) judged.set(target, sameFile(searched));
  const detections = [...judged].flatMap(([target, { found }]) => (found ? { target, ...found } : []));
  for (const [{ target, inliers }, other] of hiddenByOthers(detections)) {
    const better = `${other.target.name}, ${other.inliers > inliers ? "with more features" : "and more of it"}`;
    judged.set(target, { inliers, why: `${inliers} features agree, but the same place shows ${better}` });
  }
  const matches: RankedMatch<T>[] = [];
  const failed: { readonly target: T; readonly inliers: number }[] = [];
  for (const [target, { inliers, why, found }] of judged)
    if (found) matches.push({ target, score: found.score, recognition: { why, outline: found.outline } });
    else failed.push({ target, inliers });
  matches.sort((a, b) => b.score - a.score);
  failed.sort((a, b) => b.inliers - a.inliers);
  return {
    matches,
    notCompared: [],
    unmatched: [...failed.map(({ target }) => target), ...others.filter((target) => !judged.has(target))],
    isUndecoded: others.length > 0 && searched === undefined,
    whyNot: (target) =>
      judged.get(target)?.why ??
      (searched === undefined ? UNDECODED.why : "too few features look alike to compare their positions"),
  };
}

/**
 * A target that is seen from near or out of focus shows other detail than its features have: it is found at half the query's size.
 * Whole pictures are never so near. If one match is enough, half the size, which takes less time, comes first.
 */
function inOrder<T>(passes: readonly T[], most: number, only: "wholePictures" | undefined): readonly T[] {
  if (only !== undefined) return passes.slice(0, 1);
  const [whole, half, last] = passes;
  return most === 1 && whole && half && last ? [half, whole, last] : passes;
}

const UNDECODED: Judgement = { inliers: 0, why: "the picture cannot be decoded" };

interface Search<T> {
  readonly targets: readonly T[];
  readonly prepared: readonly (TargetFeatures | null)[];
  readonly judged: Map<T, Judgement>;
  readonly minimumInliers: number;
  readonly only: "wholePictures" | undefined;
}

/** Looks in a picture for the targets that share most features with it and were not found before. */
async function searchIn<T extends ComparedTarget>(
  query: QueryPicture,
  wanted: number,
  { targets, prepared, judged, minimumInliers, only }: Search<T>,
): Promise<void> {
  const verified = new Set(await shortlist(query, prepared, wanted));
  let compared = 0;
  for (const [index, target] of targets.entries()) {
    if (endsSlice(index)) await yieldToEventLoop();
    const features = prepared[index] ?? null;
    if (features === null) judged.set(target, UNDECODED);
    if (features === null || !verified.has(features)) continue;
    const known = judged.get(target);
    if (known?.found) continue;
    if (compared % COMPARED_PER_SLICE === 0) await yieldToEventLoop();
    compared += 1;
    const { inliers, why, found } = lookFor(features, query, minimumInliers);
    const isPart = only !== undefined && found !== undefined && !isWhole(found.outline);
    if (isPart) judged.set(target, { inliers, why: `${why}, but not the whole picture` });
    else if (found) judged.set(target, { inliers, why, found: { ...found, picture: features } });
    else if (!known || inliers > known.inliers) judged.set(target, { inliers, why });
  }
}

/** The score of an image for a target's; null when it does not show that. */
export async function compareFeatures(a: Buffer, b: Buffer, minimumInliers: number): Promise<number | null> {
  if (a.equals(b)) return 1;
  const target = await featuresOfTarget(imageOf(b));
  if (!target) return null;
  return usePassesOfQuery(imageOf(a), async (passes) => {
    for (const pass of passes) {
      const { found } = lookFor(target, await featuresOfQuery(pass), minimumInliers);
      if (found) return found.score;
    }
    return null;
  });
}

const WHOLE: Outline = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

/** @param size - of the query's picture, as others were searched in it */
function sameFile({ width, height }: PixelSize = { width: 1, height: 1 }): Judgement {
  const corners = WHOLE.map(([x, y]) => [x * width, y * height] as const);
  const inliers = Number.MAX_VALUE;
  const found = { inliers, corners, places: new Float64Array(), shown: 1, score: 1, outline: WHOLE };
  return { inliers, why: "the same file", found };
}

/** By how much the corners of a whole picture may be off, in parts of its sides. */
const CORNER_TOLERANCE = 0.1;

/** Whether the outline is the whole picture, in any orientation. */
const isWhole = (outline: Outline): boolean =>
  WHOLE.every(([x, y]) =>
    outline.some(([u, v]) => Math.abs(u - x) < CORNER_TOLERANCE && Math.abs(v - y) < CORNER_TOLERANCE),
  );
