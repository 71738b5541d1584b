import { ratingAt, statusAt, type Target } from "../../domain/target.ts";
import type { ImageMatcher } from "../../images/matchers.ts";
import { rankTargets, type ScoredTarget } from "../../images/ranking.ts";
import type { ConsideredTarget } from "../../runtime/journal.ts";

/** What a search found, and what it made of every target that it looked at. */
export interface Search {
  /** Best first, cut to the number asked for. */
  readonly found: readonly Target[];
  /** The nearest first: those with a score, those that no image could have matched now, those without a score. */
  readonly considered: readonly ConsideredTarget[];
}

/** Searches undeleted targets for those that match an image (protocol section 8). */
export async function searchTargets(
  targets: readonly Target[],
  image: Buffer,
  matcher: ImageMatcher,
  maxNumResults: number,
  now: number,
): Promise<Search> {
  const searched: Target[] = [];
  const passedOver: ConsideredTarget[] = [];
  for (const target of targets) {
    const why = whyPassedOver(target, now);
    if (why === undefined) searched.push(target);
    else passedOver.push(considered(target, why));
  }
  const ranked = await rankTargets(matcher, image, searched);
  const verdicts = ranked.map((scored, index) => verdict(scored, index + 1, maxNumResults));
  return {
    found: ranked
      .slice(0, maxNumResults)
      .filter(({ score }) => score !== null)
      .map(({ target }) => target),
    considered: [
      ...verdicts.filter(({ matched }) => matched),
      ...passedOver,
      ...verdicts.filter(({ matched }) => !matched),
    ],
  };
}

/** Why a target cannot match, whatever the image; undefined when it can. */
function whyPassedOver(target: Target, now: number): string | undefined {
  if (!target.active) return "inactive";
  const status = statusAt(target, now);
  if (status === "failed") return "failed: the image is of one colour, or nearly";
  if (status === "processing") {
    const leftMs = target.processingTimeSeconds * 1000 - Math.max(0, now - target.modifiedAt);
    return `still processing, for ${Math.ceil(leftMs) / 1000} s more`;
  }
  const rating = ratingAt(target, now);
  return rating > 0 ? undefined : `tracking rating ${rating}; it must be above 0`;
}

function verdict({ target, score }: ScoredTarget, rank: number, maxNumResults: number): ConsideredTarget {
  if (score === null) return considered(target, "no score: the matcher sees no match");
  const matched = `score ${Number(score.toFixed(4))}, rank ${rank}`;
  return rank <= maxNumResults
    ? considered(target, `matched: ${matched}`, true)
    : considered(target, `${matched}, cut off by max_num_results ${maxNumResults}`, true);
}

const considered = ({ id, name }: Target, why: string, matched = false): ConsideredTarget => ({
  targetId: id,
  name,
  matched,
  why,
});
