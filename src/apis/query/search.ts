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
  const firstWithout = ranked.findIndex(({ score }) => score === null);
  const matches = firstWithout === -1 ? ranked : ranked.slice(0, firstWithout);
  return {
    found: matches.slice(0, maxNumResults).map(({ target }) => target),
    considered: [
      ...matches.map((match, index) => matched(match, index + 1, maxNumResults)),
      ...passedOver,
      ...ranked
        .slice(matches.length)
        .map(({ target }) => considered(target, "no score: the matcher sees no match")),
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

function matched({ target, score }: ScoredTarget, rank: number, maxNumResults: number): ConsideredTarget {
  const place = `score ${Number(score?.toFixed(4))}, rank ${rank}`;
  return rank <= maxNumResults
    ? considered(target, `matched: ${place}`, true)
    : considered(target, `${place}, cut off by max_num_results ${maxNumResults}`, true);
}

const considered = ({ id, name }: Target, why: string, isMatch = false): ConsideredTarget => ({
  targetId: id,
  name,
  matched: isMatch,
  why,
});
