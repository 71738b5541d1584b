import { formatOf, pixelSizeOf } from "../emulator/image-header.ts";
import { decodeThumbnail } from "../images/decode.ts";
import { inspectQueryImage, inspectTargetImage } from "../images/inspect.ts";
import { comparisonOf, type ImageMatcher, type Recognition } from "../images/matching/comparison.ts";
import { createStructuralSimilarityMatcher } from "../images/matching/matchers.ts";
import { rankTargets } from "../images/matching/ranking.ts";
import { similarityMap } from "../images/matching/similarity.ts";
import { assessImage } from "../images/ratings/assess.ts";
import { brisqueScore } from "../images/ratings/brisque/score.ts";
import { Upload } from "../images/upload.ts";
import { type Target, whyNotFound } from "../schema/target.ts";
import type { PageComparison, PageTrial, PageTriedTarget } from "./model.ts";

/** Comparing a target that is not prepared takes about 5 ms. */
const MAX_COMPARED = 500;

/** What a query with an image would find, and how the image would fare as a target. */
export async function tryImage(
  bytes: Buffer,
  targets: readonly Target[],
  matcher: ImageMatcher,
  now: number,
): Promise<PageTrial> {
  const image = await factsOf(bytes);
  const compared = image.problem === null ? targets.slice(-MAX_COMPARED) : [];
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
  const decoded = query.ok ? await new Upload(bytes).decoded() : undefined;
  const isWhole = decoded !== undefined && !("damage" in decoded);
  const assessment = isWhole ? await assessImage(bytes, undefined) : undefined;
  const pixels = pixelSizeOf(bytes);
  return {
    format: formatOf(bytes) ?? null,
    width: pixels?.width ?? null,
    height: pixels?.height ?? null,
    size: bytes.length,
    problem: query.ok ? null : query.reason,
    targetProblem: target.ok ? null : target.reason,
    brisque: isWhole ? await brisqueScore(decoded.grey) : null,
    rating: assessment?.rating ?? null,
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
  const threshold = isSimilarity ? comparison.threshold : Number.NEGATIVE_INFINITY;
  const scorer = isSimilarity ? createStructuralSimilarityMatcher({ threshold: -1 }) : matcher;
  const { matches, notCompared, unmatched, whyNot } = await rankTargets(scorer, bytes, targets);
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
      why: recognition?.why ?? whyNot?.get(target) ?? null,
      outline: recognition?.outline ?? null,
    };
  };
  return [
    ...matches.map(({ target, score, recognition }) => tried(target, score, recognition)),
    ...[...notCompared, ...unmatched].map((target) => tried(target, null)),
  ];
}

/** Where two images are alike, at the scale at which they are compared; undefined when one cannot be decoded. */
export async function compareImages(a: Buffer, b: Buffer): Promise<PageComparison | undefined> {
  const [first, second] = await Promise.all([decodeThumbnail(a), decodeThumbnail(b)]);
  if ("damage" in first || "damage" in second) return undefined;
  const { columns, windows } = similarityMap(first, second);
  const rounded = windows.map((score) => Math.round(score * 1000) / 1000);
  return {
    columns,
    windows: rounded,
    score: windows.reduce((sum, score) => sum + score, 0) / windows.length,
  };
}
