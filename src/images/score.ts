import { hashImage, isRemembered, remembered } from "./cache.ts";
import { decodeThumbnail } from "./decode.ts";
import { comparisonOf, type ImageMatcher, type MatchedTarget } from "./matchers.ts";
import { featureBytes, prepareFeatures, type SimilarityFeatures } from "./similarity-features.ts";
import { scoreFeatures } from "./similarity-kernel.ts";
import { nextTurn } from "./turns.ts";

/** A target to compare an image with. */
export interface Candidate {
  readonly target: MatchedTarget;
  /** Lower-case hex SHA-256 of the image's bytes. */
  readonly sha256: string;
  /** The image's bytes; only asked for when they are needed. */
  bytes(): Buffer | Promise<Buffer>;
}

type Score = number | null;

/** Candidates that are scored in one go: up to 6 ms. */
const BATCH = 64;

/**
 * Scores an image against candidates: one score, or null for no match, per candidate and in their order. The matchers of
 * this package compare prepared images, which are kept; any other matcher is called for each candidate.
 * @throws TypeError when the matcher returns anything but a finite number, null or undefined; what the matcher throws.
 */
export async function scoreCandidates(
  matcher: ImageMatcher,
  query: Buffer,
  candidates: readonly Candidate[],
): Promise<Score[]> {
  const comparison = comparisonOf(matcher);
  if (!comparison) return scoreByCalling(matcher, query, candidates);
  const sha256 = hashImage(query);
  if (comparison.by === "bytes") {
    return candidates.map((candidate) => (candidate.sha256 === sha256 ? 1 : null));
  }
  const features = await featuresOf(sha256, () => query);
  if (!features) return candidates.map(() => null);
  return scoreBySimilarity(features, candidates, comparison.threshold);
}

async function scoreBySimilarity(
  query: SimilarityFeatures,
  candidates: readonly Candidate[],
  threshold: number,
): Promise<Score[]> {
  const scores: Score[] = candidates.map(() => null);
  for (const batch of batches(preparedFirst(candidates))) {
    const features = await Promise.all(
      batch.map(({ candidate }) => featuresOf(candidate.sha256, () => candidate.bytes())),
    );
    await nextTurn();
    scoreFeatures(query, features, threshold).forEach((score, index) => {
      scores[batch[index]?.position ?? -1] = score;
    });
  }
  return scores;
}

interface Positioned {
  readonly candidate: Candidate;
  readonly position: number;
}

/** Those in the cache come first, before the preparation of others drives them out. */
function preparedFirst(candidates: readonly Candidate[]): Positioned[] {
  const positioned = candidates.map((candidate, position) => ({ candidate, position }));
  const [prepared, others]: [Positioned[], Positioned[]] = [[], []];
  for (const each of positioned) {
    (isRemembered("features", each.candidate.sha256) ? prepared : others).push(each);
  }
  return [...prepared, ...others];
}

function batches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) =>
    items.slice(index * BATCH, (index + 1) * BATCH),
  );
}

function featuresOf(
  sha256: string,
  bytes: () => Buffer | Promise<Buffer>,
): Promise<SimilarityFeatures | null> {
  return remembered(
    "features",
    sha256,
    async () => {
      const thumbnail = await decodeThumbnail(await bytes());
      if ("damage" in thumbnail) return null;
      await nextTurn();
      return prepareFeatures(thumbnail);
    },
    (features) => (features ? featureBytes(features) : 0),
  );
}

async function scoreByCalling(
  matcher: ImageMatcher,
  query: Buffer,
  candidates: readonly Candidate[],
): Promise<Score[]> {
  const scores: Score[] = [];
  for (const candidate of candidates) {
    await nextTurn();
    scores.push(checkScore(await matcher(query, await candidate.bytes(), candidate.target)));
  }
  return scores;
}

function checkScore(score: unknown): Score {
  if (score === null || score === undefined) return null;
  if (typeof score === "number" && Number.isFinite(score)) return score;
  const shown = typeof score === "string" ? JSON.stringify(score) : `${String(score)} (${typeof score})`;
  throw new TypeError(
    `the image matcher returned ${shown}; accepted are a finite number for a match, and null or undefined for none`,
  );
}
