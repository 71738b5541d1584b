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
  passesOfQuery,
} from "./pictures.ts";
import { hiddenByOthers } from "./places.ts";
import { type Found, lookFor, type QueryPicture } from "./recognise.ts";
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
  const passes = others.length > 0 ? await passesOfQuery(image) : [];
  let query: QueryPicture | undefined;
  let searched: Searched<T> = { detections: [], failed: [], unlike: others, reasons: new Map() };
  if (passes.length > 0) {
    const prepared = await featuresOfTargets(others);
    for (const pass of inOrder(passes, most, only)) {
      const features = await featuresOfQuery(pass);
      const wanted = Number.isFinite(most)
        ? Math.max(pass.verified, Math.ceil(1.5 * most))
        : LONGEST_SHORTLIST;
      const found = await searchIn(features, others, prepared, wanted, minimumInliers, only);
      if (query === undefined || pass === passes[0] || found.detections.length > 0)
        [query, searched] = [features, found];
      if (found.detections.length + same.length > 0) break;
    }
  }
  const { failed, unlike, reasons } = searched;
  const wholes = same.map((target) => ({ target, why: "the same file", ...wholeOf(query) }));
  const detections = [...wholes, ...searched.detections];
  const hidden = hiddenByOthers(detections);
  const matches: RankedMatch<T>[] = [];
  for (const detection of detections) {
    const { target, inliers, why, score, outline } = detection;
    const other = hidden.get(detection);
    if (other === undefined) matches.push({ target, score, recognition: { why, outline } });
    else {
      const better = `${other.target.name}, ${other.inliers > inliers ? "with more features" : "and more of it"}`;
      reasons.set(target, `${inliers} features agree, but the same place shows ${better}`);
      failed.push({ target, inliers });
    }
  }
  matches.sort((a, b) => b.score - a.score);
  failed.sort((a, b) => b.inliers - a.inliers);
  return {
    matches,
    notCompared: [],
    unmatched: [...failed.map(({ target }) => target), ...unlike],
    isUndecoded: others.length > 0 && query === undefined,
    whyNot: (target) =>
      reasons.get(target) ??
      (query ? "too few features look alike to compare their positions" : CANNOT_BE_DECODED),
  };
}

/**
 * Passes end when a target is found. A target that is seen from near shows more detail than its features have: it is found at half
 * the query's size. Whole pictures are never so near. If one match is enough, half the size, which takes less time, comes first.
 */
const inOrder = <T>(passes: readonly T[], most: number, only: "wholePictures" | undefined) =>
  only !== undefined ? passes.slice(0, 1) : most === 1 ? passes.toReversed() : passes;

const CANNOT_BE_DECODED = "the picture cannot be decoded";

/** The result of looking for targets in a picture. */
interface Searched<T> {
  readonly detections: readonly (Found & { readonly target: T; readonly why: string })[];
  /** Compared in vain; `unlike` were not compared. */
  readonly failed: { readonly target: T; readonly inliers: number }[];
  readonly unlike: readonly T[];
  readonly reasons: Map<T, string>;
}

/** Looks in a picture for the targets that share most features with it. */
async function searchIn<T extends ComparedTarget>(
  query: QueryPicture,
  targets: readonly T[],
  prepared: readonly (TargetFeatures | null)[],
  wanted: number,
  minimumInliers: number,
  only: "wholePictures" | undefined,
): Promise<Searched<T>> {
  const verified = new Set(await shortlist(query, prepared, wanted));
  const detections: (Found & { readonly target: T; readonly why: string })[] = [];
  const failed: Searched<T>["failed"] = [];
  const unlike: T[] = [];
  const reasons = new Map<T, string>();
  let compared = 0;
  for (const [index, target] of targets.entries()) {
    if (endsSlice(index)) await yieldToEventLoop();
    const features = prepared[index] ?? null;
    if (features === null || !verified.has(features)) {
      if (features === null) reasons.set(target, CANNOT_BE_DECODED);
      unlike.push(target);
      continue;
    }
    if (compared % COMPARED_PER_SLICE === 0) await yieldToEventLoop();
    compared += 1;
    const { inliers, why, found } = lookFor(features, query, minimumInliers);
    const isPart = only !== undefined && found !== undefined && !isWhole(found.outline);
    if (found && !isPart) detections.push({ target, why, picture: features, ...found });
    else {
      reasons.set(target, isPart ? `${why}, but not the whole picture` : why);
      failed.push({ target, inliers });
    }
  }
  return { detections, failed, unlike, reasons };
}

/** The score of an image for a target's; null when it does not show that. */
export async function compareFeatures(a: Buffer, b: Buffer, minimumInliers: number): Promise<number | null> {
  if (a.equals(b)) return 1;
  const [passes, target] = await Promise.all([
    passesOfQuery({ sha256: "", bytes: () => a }),
    featuresOfTarget({ sha256: "", bytes: () => b }),
  ]);
  if (!target) return null;
  for (const pass of passes) {
    const { found } = lookFor(target, await featuresOfQuery(pass), minimumInliers);
    if (found) return found.score;
  }
  return null;
}

const WHOLE: Outline = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

const wholeOf = (query: QueryPicture | undefined): Found => ({
  inliers: Number.MAX_VALUE,
  corners: WHOLE.map(([x, y]) => [x * (query?.width ?? 1), y * (query?.height ?? 1)] as const),
  places: new Float64Array(),
  shown: 1,
  score: 1,
  outline: WHOLE,
});

/** By how much the corners of a whole picture may be off, in parts of its sides. */
const CORNER_TOLERANCE = 0.1;

/** Whether the outline is the whole picture, in any orientation. */
const isWhole = (outline: Outline): boolean =>
  WHOLE.every(([x, y]) =>
    outline.some(([u, v]) => Math.abs(u - x) < CORNER_TOLERANCE && Math.abs(v - y) < CORNER_TOLERANCE),
  );
