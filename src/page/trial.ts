import { formatOf, pixelSizeOf } from "../emulator/image-header.ts";
import { decodeThumbnail, readHeader } from "../images/decode.ts";
import { inspectQueryImage, inspectTargetImage } from "../images/inspect.ts";
import {
  comparisonOf,
  type ImageMatcher,
  type Ranking,
  type Recognition,
} from "../images/matching/comparison.ts";
import { featureRatingOf } from "../images/matching/features/rank.ts";
import { createStructuralSimilarityMatcher } from "../images/matching/matchers.ts";
import { rankTargets } from "../images/matching/ranking.ts";
import { similarityMap } from "../images/matching/similarity.ts";
import { assessImage } from "../images/ratings/assess.ts";
import { brisqueScore } from "../images/ratings/brisque/score.ts";
import { Upload } from "../images/upload.ts";
import { awaitRatings, madeRating, whyNotFound } from "../schema/processing.ts";
import type { Target } from "../schema/target.ts";
import type { PageComparison, PageFindings, PageTrial, PageTriedTarget } from "./model.ts";

/** Comparing a target that is not prepared takes about 5 ms. */
const MAX_COMPARED = 500;

/** Of a camera's frames, as many matches are certain, and as many targets are shown. */
const SHOWN_OF_FRAME = 10;

/** What a query with an image would find, as fast as a query: for a camera's frames. */
export async function findTargets(
  bytes: Buffer,
  targets: readonly Target[],
  matcher: ImageMatcher,
  now: number,
): Promise<PageFindings> {
  const ranked = await rankTargets(matcher, bytes, targets, SHOWN_OF_FRAME);
  const shown = triedTargets(ranked, now).slice(0, SHOWN_OF_FRAME);
  return { comparison: comparisonOf(matcher) ?? null, targets: shown };
}

/** What a query with an image would find, and how the image would fare as a target. */
export async function tryImage(
  bytes: Buffer,
  targets: readonly Target[],
  matcher: ImageMatcher,
  now: number,
): Promise<PageTrial> {
  const image = await factsOf(bytes);
  const compared = image.problem === null ? targets.slice(-MAX_COMPARED) : [];
  await awaitRatings(compared, now);
  return {
    image,
    comparison: comparisonOf(matcher) ?? null,
    targets: await scoresOf(bytes, compared, matcher, now),
    notCompared: targets.length - compared.length,
  };
}

async function factsOf(bytes: Buffer): Promise<PageTrial["image"]> {
  const query = await inspectQueryImage(bytes);
  const target = await inspectTargetImage(bytes);
  const upload = new Upload(bytes);
  const decoded = query.ok ? await upload.decoded() : undefined;
  const isWhole = decoded !== undefined && !("damage" in decoded);
  const assessment = isWhole ? await assessImage(bytes, "brisque") : undefined;
  const pixels = pixelSizeOf(bytes);
  return {
    format: formatOf(bytes) ?? null,
    width: pixels?.width ?? null,
    height: pixels?.height ?? null,
    size: bytes.length,
    problem: query.ok ? null : query.reason,
    targetProblem: target.ok ? null : target.reason,
    brisque: isWhole ? await brisqueScore(decoded.grey) : null,
    rating: assessment ? await madeRating(assessment) : null,
    recognition: (isWhole && (await featureRatingOf({ sha256: upload.sha256, bytes: () => bytes }))) || null,
    outcome: assessment?.outcome ?? null,
  };
}

/** Every target's score; with structural similarity, also scores that are too low for a match. */
async function scoresOf(
  bytes: Buffer,
  targets: readonly Target[],
  matcher: ImageMatcher,
  now: number,
): Promise<PageTriedTarget[]> {
  const comparison = comparisonOf(matcher);
  const isSimilarity = comparison?.by === "structuralSimilarity";
  const threshold = isSimilarity ? comparison.threshold : undefined;
  const scorer = isSimilarity ? createStructuralSimilarityMatcher({ threshold: -1 }) : matcher;
  return triedTargets(await rankTargets(scorer, bytes, targets), now, threshold);
}

/** @param threshold - only scores above it are matches. */
function triedTargets(
  { matches, notCompared, unmatched, whyNot }: Ranking<Target>,
  now: number,
  threshold = Number.NEGATIVE_INFINITY,
): PageTriedTarget[] {
  const tried = (target: Target, score: number | null, recognition?: Recognition): PageTriedTarget => {
    const obstacle = whyNotFound(target, now);
    const passedOver = obstacle === undefined ? null : obstacle.why + obstacle.detail;
    return {
      targetId: target.targetId,
      name: target.name,
      image: target.image.sha256,
      score,
      matched: score !== null && score > threshold && passedOver === null,
      passedOver: passedOver,
      why: recognition?.why ?? whyNot?.(target) ?? null,
      outline: recognition?.outline ?? null,
    };
  };
  return [
    ...matches.map(({ target, score, recognition }) => tried(target, score, recognition)),
    ...[...notCompared, ...unmatched].map((target) => tried(target, null)),
  ];
}

/** Which pixel of a square picture viewers show at a place, by the picture's EXIF orientation. */
const SEEN_AT: Readonly<Record<number, (x: number, y: number, last: number) => readonly [number, number]>> = {
  2: (x, y, last) => [last - x, y],
  3: (x, y, last) => [last - x, last - y],
  4: (x, y, last) => [x, last - y],
  5: (x, y) => [y, x],
  6: (x, y, last) => [y, last - x],
  7: (x, y, last) => [last - y, last - x],
  8: (x, y, last) => [last - y, x],
};

/**
 * Where two images are alike, at the scale at which they are compared; undefined when one cannot be decoded. The result
 * is drawn over the first one, so its windows are turned as viewers turn its pixels.
 */
export async function compareImages(a: Buffer, b: Buffer): Promise<PageComparison | undefined> {
  const [header, first, second] = await Promise.all([readHeader(a), decodeThumbnail(a), decodeThumbnail(b)]);
  if ("damage" in header || "damage" in first || "damage" in second) return undefined;
  const { columns, windows } = similarityMap(first, second);
  const placeOf = SEEN_AT[header.orientation] ?? ((x, y) => [x, y]);
  return {
    columns,
    windows: windows.map((_, at) => {
      const [x, y] = placeOf(at % columns, Math.floor(at / columns), columns - 1);
      return Math.round((windows[y * columns + x] ?? 0) * 1000) / 1000;
    }),
    score: windows.reduce((sum, score) => sum + score, 0) / windows.length,
  };
}
