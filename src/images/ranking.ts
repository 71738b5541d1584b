import type { Target } from "../domain/target.ts";
import type { ImageMatcher } from "./matchers.ts";
import { scoreCandidates } from "./score.ts";

export interface ScoredTarget {
  readonly target: Target;
  /** Null: no match. */
  readonly score: number | null;
}

/** Scores targets against an image. Best first, equal scores in the order given; those without a score last. */
export async function rankTargets(
  matcher: ImageMatcher,
  image: Buffer,
  targets: readonly Target[],
): Promise<readonly ScoredTarget[]> {
  const scores = await scoreCandidates(
    matcher,
    image,
    targets.map((target) => ({ target, sha256: target.image.sha256, bytes: () => target.image.bytes() })),
  );
  return targets.map((target, index) => ({ target, score: scores[index] ?? null })).sort(byScore);
}

function byScore(a: ScoredTarget, b: ScoredTarget): number {
  if (a.score === null || b.score === null) return Number(a.score === null) - Number(b.score === null);
  return b.score - a.score;
}
