import { hash } from "node:crypto";
import { whyTooLarge } from "../core/apis/query/form-checks.ts";
import { formatOf, shownSizeOf } from "../core/general/image-header.ts";
import { decodeThumbnail } from "../core/images/decode.ts";
import { inspectQueryImage, inspectTargetImage } from "../core/images/inspect.ts";
import {
  comparisonOf,
  type ImageMatcher,
  type Ranking,
  type Recognition,
} from "../core/images/matching/comparison.ts";
import { similarityMap } from "../core/images/matching/definition.ts";
import { createStructuralSimilarityMatcher } from "../core/images/matching/matchers.ts";
import { rankTargets } from "../core/images/matching/ranking.ts";
import { measure } from "../core/images/measures.ts";
import { assessImage, brisqueRater, perfectRater } from "../core/images/on-demand.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import { whyNotFound } from "../core/schema/processing.ts";
import type { Target } from "../core/schema/target.ts";
import { featureRater } from "../recognition/matcher.ts";
import { featureRatingOf } from "../recognition/pictures.ts";

/** Comparing a target that is not prepared takes about 5 ms. */
const MAX_COMPARED = 500;

/** Certain matches and shown targets of a camera's frame. */
const SHOWN_OF_FRAME = 10;

/** Finds targets in a camera's frame, as fast as a query. Nearest first. */
export async function findTargets(
  bytes: Buffer,
  targets: readonly Target[],
  matcher: ImageMatcher,
  now: number,
) {
  const ranked = await rankTargets(matcher, bytes, targets, SHOWN_OF_FRAME);
  const shown = triedTargets(ranked, now).slice(0, SHOWN_OF_FRAME);
  return { comparison: shownComparison(matcher), targets: shown };
}

/** How a built-in matcher compares; null for another one. */
function shownComparison(matcher: ImageMatcher) {
  const comparison = comparisonOf(matcher);
  if (comparison?.by !== "features") return comparison ?? null;
  const { by, minimumInliers } = comparison;
  return { by, minimumInliers };
}

/** Raters without state. Others may draw ratings or count calls, so only adding a picture calls them. */
const REPEATABLE: readonly TargetRater[] = [brisqueRater, featureRater, perfectRater];

/**
 * Tries an image as a query and as a target.
 *
 * @param whyRefused - why the database answers no query, whatever the image.
 */
export async function tryImage(
  bytes: Buffer,
  targets: readonly Target[],
  {
    queryMatcher: matcher,
    targetRater,
  }: { readonly queryMatcher: ImageMatcher; readonly targetRater: TargetRater },
  now: number,
  whyRefused?: string,
) {
  const facts = await factsOf(bytes, targetRater);
  const image = { ...facts, problem: whyRefused ?? facts.problem };
  const compared = image.problem === null ? targets.slice(-MAX_COMPARED) : [];
  const comparison = shownComparison(matcher);
  // With structural similarity, also scores that are too low for a match.
  const threshold = comparison?.by === "structuralSimilarity" ? comparison.threshold : undefined;
  const scorer = threshold === undefined ? matcher : createStructuralSimilarityMatcher({ threshold: -1 });
  return {
    image,
    comparison,
    targets: triedTargets(await rankTargets(scorer, bytes, compared), now, threshold),
    /** Number of targets in the database that were not compared. */
    notCompared: targets.length - compared.length,
  };
}

async function factsOf(bytes: Buffer, rater: TargetRater) {
  const query = await inspectQueryImage(bytes);
  const target = await inspectTargetImage(bytes, { brisque: true });
  const image = { bytes, sha256: hash("sha256", bytes) };
  const measures = query.ok ? await measure(image, { brisque: true }) : undefined;
  const isWhole = measures !== undefined && measures.damage === undefined;
  const isRepeatable = REPEATABLE.includes(rater);
  const assessment = isWhole
    ? await assessImage({ ...image, measures }, isRepeatable ? rater : perfectRater)
    : undefined;
  const shown = shownSizeOf(bytes);
  const problem = whyTooLarge(bytes) ?? (query.ok ? undefined : query.cause);
  return {
    format: formatOf(bytes) ?? null,
    width: shown?.width ?? null,
    height: shown?.height ?? null,
    size: bytes.length,
    /** Why queries with the image are refused; null when they are not. */
    problem: problem === undefined ? null : sentenceOf(problem),
    /** Why it cannot be added as a target; null when it can. */
    targetProblem: target.ok ? null : sentenceOf(target.cause),
    /** 0, the best, to 100; null when it cannot be decoded. */
    brisque: (isWhole ? measures.brisque : null) ?? null,
    /** The rater's result, 0 to 5; null when it cannot be decoded, or when only adding it tells. */
    rating: assessment && isRepeatable ? assessment.rating : null,
    /** How likely it would be recognised in photographs; null when it cannot be decoded. */
    recognition: (isWhole && (await featureRatingOf({ sha256: image.sha256, bytes: () => bytes }))) || null,
    /** The status of a target with the image after processing; null when it cannot be decoded. */
    outcome: assessment?.outcome ?? null,
  };
}

/** @param threshold - only scores above it are matches. */
function triedTargets(
  { matches, notCompared, unmatched, whyNot }: Ranking<Target>,
  now: number,
  threshold = Number.NEGATIVE_INFINITY,
) {
  const tried = (target: Target, score: number | null, recognition?: Recognition) => {
    const obstacle = whyNotFound(target, now);
    return {
      targetId: target.targetId,
      name: target.name,
      image: target.image.sha256,
      /** Null: it could not be compared. */
      score,
      /** Whether a query finds it now. */
      matched: score !== null && score > threshold && obstacle === undefined,
      /** Why a query does not find it at any score: inactive, still processing. */
      passedOver: obstacle === undefined ? null : { code: obstacle.code, why: sentenceOf(obstacle) },
      /** How it was found, or why not, as far as the matcher can say. */
      why: recognition?.why ?? whyNot?.(target) ?? null,
      /** The outline in the image, if the matcher finds one. */
      outline: recognition?.outline ?? null,
    };
  };
  return [
    ...matches.map(({ target, score, recognition }) => tried(target, score, recognition)),
    ...[...notCompared, ...unmatched].map((target) => tried(target, null)),
  ];
}

/** Compares two images window by window, as viewers show them; undefined if one cannot be decoded. */
export async function compareWindows(a: Buffer, b: Buffer) {
  const [first, second] = await Promise.all([decodeThumbnail(a), decodeThumbnail(b)]);
  if ("damage" in first || "damage" in second) return undefined;
  const { columns, windows } = similarityMap(first, second);
  return {
    /** Number of windows in a row; there are as many rows. */
    columns,
    /** The score of each window, row by row; 1: identical. */
    windows: windows.map((score) => Math.round(score * 1000) / 1000),
    score: windows.reduce((sum, score) => sum + score, 0) / windows.length,
  };
}
