import { yieldToEventLoop } from "../../general/scheduling.ts";
import { comparisonOf, type ImageMatcher, recogniserOf } from "../../images/matching/comparison.ts";
import { similarityAbove } from "../../images/matching/matchers.ts";
import { rankTargets, whyNotDecoded } from "../../images/on-demand.ts";
import type { ConsideredTarget, Outline } from "../../schema/journal-entry.ts";
import { ratingAt, whyNotFound } from "../../schema/processing.ts";
import type { Target } from "../../schema/target.ts";
import type { ResolvedAnswerOptions } from "../services.ts";

/** The targets that a search found, and why each target did or did not match. */
interface Search {
  /** Best first, cut to the number asked for. */
  readonly found: readonly Target[];
  /** Nearest first: targets with a score, then targets that cannot match now, were not compared, or have no score. */
  readonly considered: readonly ConsideredTarget[];
  /** How many more targets were considered, by reason. */
  readonly otherTargets: Readonly<Record<string, number>> | undefined;
  /** Why nothing can match, if the query's image is the reason. */
  readonly whyNone: string | undefined;
}

const MAX_CONSIDERED = 100;
/** At least this many of the best matches are certain. */
const LEAST_CERTAIN = 10;
const TARGETS_PER_SLICE = 10_000;

/** Searches undeleted targets for those that match an image. */
export async function searchTargets(
  targets: readonly Target[],
  image: Buffer,
  { queryMatcher: matcher, advice: { photographs } }: Pick<ResolvedAnswerOptions, "queryMatcher" | "advice">,
  maxNumResults: number,
  now: number,
): Promise<Search> {
  const searched: Target[] = [];
  const passedOver: (readonly [Target, Reason])[] = [];
  for (const [index, target] of targets.entries()) {
    if (index % TARGETS_PER_SLICE === TARGETS_PER_SLICE - 1) await yieldToEventLoop();
    const reason = whyNotFound(target, now);
    if (reason === undefined) searched.push(target);
    else passedOver.push([target, notMatched(reason.why, reason.detail + reason.advice)]);
  }
  const certain =
    comparisonOf(matcher)?.by === "features" ? maxNumResults : Math.max(maxNumResults, LEAST_CERTAIN);
  const { matches, notCompared, unmatched, whyNot } = await rankTargets(matcher, image, searched, certain);
  const report = new Findings();
  for (const [index, { target, score, recognition }] of matches.entries()) {
    const isRankCertain = index < certain || notCompared.length === 0;
    const rank = `score ${Number(score.toFixed(4))}${isRankCertain ? `, rank ${index + 1}` : ""}`;
    const place = recognition ? `${rank}; ${recognition.why}` : rank;
    const reason =
      index < maxNumResults
        ? { matched: true, why: `matched: ${place}`, kind: "matched" }
        : cutOff(place, maxNumResults);
    report.add([target], reason, recognition?.outline);
  }
  const nearest = matches.length === 0 ? await scoresOfNearest(unmatched, image, matcher) : [];
  for (const [index, { target, why }] of nearest.entries())
    report.add([target], notMatched("no match", index === 0 ? why + WHOLE_PICTURES + photographs : why));
  const advice = matches.length === 0 ? await adviceFor(passedOver, matcher, now) : undefined;
  for (const [target, reason] of passedOver) {
    report.add([target], { ...reason, why: reason.why + (advice?.get(target) ?? "") });
  }
  report.add(notCompared, notMatched(`not compared: it cannot be among the nearest ${certain}`));
  const isDecoded = !["bytes", undefined].includes(comparisonOf(matcher)?.by);
  const whyNone = matches.length === 0 && isDecoded ? await whyNotDecoded(image) : undefined;
  const others = unmatched.slice(nearest.length);
  if (whyNot === undefined) report.add(others, notMatched("no score: the matcher found no match"));
  else {
    for (const target of others.slice(0, MAX_CONSIDERED))
      report.add([target], notMatched("no match", `: ${whyNot(target)}`));
    report.add(others.slice(MAX_CONSIDERED), notMatched("no match"));
  }
  const { considered, others: counted } = report;
  return {
    found: matches.slice(0, maxNumResults).map(({ target }) => target),
    considered,
    otherTargets: counted.size > 0 ? Object.fromEntries(counted) : undefined,
    whyNone,
  };
}

/** When a query finds nothing, this many targets are reported with their scores. */
const MOST_SCORED = 3;
/** For the nearest of them. */
const WHOLE_PICTURES =
  "; the matcher compares whole pictures, so a photograph of a target from another angle does not match: " +
  "to recognise photographs, ";

async function scoresOfNearest(
  unmatched: readonly Target[],
  image: Buffer,
  matcher: ImageMatcher,
): Promise<readonly { readonly target: Target; readonly why: string }[]> {
  const comparison = comparisonOf(matcher);
  if (comparison?.by !== "structuralSimilarity") return [];
  const nearest = unmatched.slice(0, MOST_SCORED);
  const { matches } = await rankTargets(similarityAbove(-1), image, nearest);
  return nearest.map((target) => {
    const score = matches.find((match) => match.target === target)?.score;
    const shown =
      score === undefined ? "the picture cannot be compared" : `score ${Number(score.toFixed(4))}`;
    return { target, why: `: ${shown}, must be above ${comparison.threshold}` };
  });
}

/** Advice for targets rated 0, if features decide. */
async function adviceFor(
  passedOver: readonly (readonly [Target, Reason])[],
  matcher: ImageMatcher,
  now: number,
): Promise<ReadonlyMap<Target, string>> {
  const recogniser = recogniserOf(matcher);
  if (recogniser === undefined) return new Map();
  const poor = passedOver.map(([target]) => target).filter((target) => ratingAt(target, now) === 0);
  const advised = poor.slice(0, MOST_SCORED).map(async (target) => {
    const given = await recogniser.rate(target.image);
    return [target, given?.rating === 0 ? `; ${given.advice}` : ""] as const;
  });
  return new Map(await Promise.all(advised));
}

export interface Reason {
  readonly matched: boolean;
  readonly why: string;
  /** The same without what differs from target to target. */
  readonly kind: string;
}

const notMatched = (kind: string, detail = ""): Reason => ({ matched: false, why: kind + detail, kind });
const cutOff = (place: string, maxNumResults: number): Reason => {
  const kind = `cut off by max_num_results ${maxNumResults}`;
  return { matched: true, why: `${place}, ${kind}`, kind };
};

/** Reports the first targets one by one, and counts the others. */
class Findings {
  readonly considered: ConsideredTarget[] = [];
  readonly others = new Map<string, number>();

  add(targets: readonly Target[], { matched, why, kind }: Reason, outline?: Outline): void {
    const reported = targets.slice(0, MAX_CONSIDERED - this.considered.length);
    for (const { targetId, name } of reported) {
      this.considered.push({ targetId, name, matched, why, ...(outline && { outline }) });
    }
    const left = targets.length - reported.length;
    if (left > 0) this.others.set(kind, (this.others.get(kind) ?? 0) + left);
  }
}
