import { createHash } from "node:crypto";
import { exactMatcher, type ImageMatcher, type MatchedTarget } from "./matchers.ts";
import { nextTurn } from "./turns.ts";

/** A target to compare an image with. */
export interface Candidate {
  readonly target: MatchedTarget;
  /** Lower-case hex SHA-256 of the image's bytes. */
  readonly sha256: string;
  /** The image's bytes; only asked for when they are needed. */
  bytes(): Buffer | Promise<Buffer>;
}

/**
 * Scores an image against candidates: one score, or null for no match, per candidate and in their order.
 * @throws TypeError when the matcher returns anything but a finite number, null or undefined; what the matcher throws.
 */
export async function scoreCandidates(
  matcher: ImageMatcher,
  query: Buffer,
  candidates: readonly Candidate[],
): Promise<(number | null)[]> {
  if (matcher === exactMatcher) {
    const sha256 = createHash("sha256").update(query).digest("hex");
    return candidates.map((candidate) => (candidate.sha256 === sha256 ? 1 : null));
  }
  const scores: (number | null)[] = [];
  for (const candidate of candidates) {
    await nextTurn();
    scores.push(checkScore(await matcher(query, await candidate.bytes(), candidate.target)));
  }
  return scores;
}

function checkScore(score: unknown): number | null {
  if (score === null || score === undefined) return null;
  if (typeof score === "number" && Number.isFinite(score)) return score;
  const shown = typeof score === "string" ? JSON.stringify(score) : `${String(score)} (${typeof score})`;
  throw new TypeError(
    `the image matcher returned ${shown}; accepted are a finite number for a match, and null or undefined for none`,
  );
}
