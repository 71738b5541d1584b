import { yieldToEventLoop } from "../../general/scheduling.ts";
import {
  comparisonOf,
  type ImageMatcher,
  type Ranking,
  recogniserOf,
} from "../../images/matching/comparison.ts";
import { similarityAbove } from "../../images/matching/matchers.ts";
import { rankTargets, remarkOnPicture, whyNotDecoded } from "../../images/on-demand.ts";
import { type AnyCause, cause, sentenceOf } from "../../schema/causes/causes.ts";
import type { ConsideredTarget, OtherTargets, Outline } from "../../schema/journal-entry.ts";
import { ratingAt, whyNotFound } from "../../schema/processing.ts";
import type { Target } from "../../schema/target.ts";
import type { ResolvedAnswerOptions } from "../services.ts";

/** The targets that a search found, and why each target did or did not match. */
interface SearchReport {
  /** Best first, cut to the number asked for. */
  readonly found: readonly Target[];
  /** Nearest first: targets with a score, then targets that cannot match now, were not compared, or have no score. */
  readonly considered: readonly ConsideredTarget[];
  readonly otherTargets: readonly OtherTargets[] | undefined;
  /** Why nothing can match, if the query's image is the reason. */
  readonly whyNone: AnyCause | undefined;
}

const MAX_CONSIDERED = 100;
/** At least this many of the best matches are certain. */
const LEAST_CERTAIN = 10;
const TARGETS_PER_SLICE = 10_000;

/**
 * Searches undeleted targets for those that match an image. Targets are reported in the order in which they explain the result: matches,
 * then what came nearest, then those that could not match, and the rest.
 */
export async function searchTargets(
  targets: readonly Target[],
  image: Buffer,
  { queryMatcher: matcher, advice: { photographs } }: ResolvedAnswerOptions,
  maxNumResults: number,
  now: number,
): Promise<SearchReport> {
  const { searched, passedOver } = await dividedByState(targets, now);
  // Similarity compares a few more images, so that the report has their ranks. Features search in another way for more than one result.
  const certain =
    comparisonOf(matcher)?.by === "features" ? maxNumResults : Math.max(maxNumResults, LEAST_CERTAIN);
  const ranking = await rankTargets(matcher, image, searched, certain);
  const { matches, notCompared, unmatched, isUndecoded = false } = ranking;
  const hasNone = matches.length === 0;

  const findings = new Findings();
  reportMatches(ranking, certain, maxNumResults, findings);

  const nearest = hasNone && !isUndecoded ? await scoresOfNearest(unmatched, image, matcher) : [];
  reportNearest(nearest, photographs, findings);

  const advised = hasNone ? await ratingsOf(passedOver, matcher, now) : undefined;
  for (const [target, reason] of passedOver)
    findings.add([target], advised?.get(target) ?? reason, inGeneral(reason));

  const notAmong = cause("target.not-compared", { certain });
  findings.add(notCompared, notAmong, notAmong);
  reportUnmatched(ranking, unmatched.slice(nearest.length), findings);

  const { considered, others } = findings;
  return {
    found: matches.slice(0, maxNumResults).map(({ target }) => target),
    considered,
    otherTargets: others.size > 0 ? [...others.values()] : undefined,
    whyNone: hasNone ? await whyNothing(image, isUndecoded) : undefined,
  };
}

/** Divides targets into those that a query can find now, and the others with the reason. */
async function dividedByState(targets: readonly Target[], now: number) {
  const searched: Target[] = [];
  const passedOver: (readonly [Target, AnyCause])[] = [];
  for (const [index, target] of targets.entries()) {
    if (index % TARGETS_PER_SLICE === TARGETS_PER_SLICE - 1) await yieldToEventLoop();
    const reason = whyNotFound(target, now);
    if (reason === undefined) searched.push(target);
    else passedOver.push([target, reason]);
  }
  return { searched, passedOver };
}

/** Matches beyond the number asked for are reported too: whoever misses one sees its rank. */
function reportMatches(
  { matches, notCompared }: Ranking<Target>,
  certain: number,
  maxNumResults: number,
  findings: Findings,
): void {
  for (const [index, { target, score, recognition }] of matches.entries()) {
    // A target that was not compared may be better than those after the certain ones.
    const isRankCertain = index < certain || notCompared.length === 0;
    const rank = `score ${rounded(score)}${isRankCertain ? `, rank ${index + 1}` : ""}`;
    const place = recognition ? `${rank}; ${recognition.why}` : rank;
    const reason =
      index < maxNumResults
        ? cause("target.matched", { place })
        : cause("target.beyond", { place, most: maxNumResults });
    findings.add([target], reason, cause("target.beyond", { most: maxNumResults }), recognition?.outline);
  }
}

/** @param photographs - advice on photographs, given once: with the nearest target. */
function reportNearest(nearest: readonly ScoredTarget[], photographs: string, findings: Findings): void {
  for (const [index, { target, score, threshold }] of nearest.entries()) {
    const advice = index === 0 ? WHOLE_PICTURES + photographs : "";
    const reason =
      score === undefined
        ? cause("target.not-compared", { undecoded: "target" })
        : cause("target.unlike", { score, threshold, advice });
    findings.add([target], reason, UNLIKE);
  }
}

/** Reports targets without a score, each with its own reason if the matcher can give one. */
function reportUnmatched(
  { isUndecoded = false, whyNot }: Ranking<Target>,
  others: readonly Target[],
  findings: Findings,
): void {
  if (isUndecoded || whyNot === undefined) {
    const unscored = isUndecoded
      ? cause("target.not-compared", { undecoded: "query" })
      : cause("target.unscored");
    findings.add(others, unscored, unscored);
    return;
  }
  // Reasons of the matcher take time, so that none is asked for that would only be counted.
  for (const target of others.slice(0, MAX_CONSIDERED))
    findings.add([target], cause("target.unlike", { why: whyNot(target) }), UNLIKE);
  findings.add(others.slice(MAX_CONSIDERED), UNLIKE, UNLIKE);
}

/** Why nothing can match, if that is because of the query's image. */
async function whyNothing(image: Buffer, isUndecoded: boolean): Promise<AnyCause | undefined> {
  const why = isUndecoded ? await whyNotDecoded(image) : undefined;
  return why === undefined ? remarkOnPicture(image) : cause("picture.unreadable", { why });
}

/** When a query finds nothing, this many targets are reported with their scores. */
const MOST_SCORED = 3;
/** For the nearest of them. */
const WHOLE_PICTURES =
  "; the matcher compares whole pictures, so a photograph of a target from another angle does not match: " +
  "to recognise photographs, ";

interface ScoredTarget {
  readonly target: Target;
  /** Undefined when the target's image cannot be decoded. */
  readonly score?: number;
  readonly threshold: number;
}

async function scoresOfNearest(
  unmatched: readonly Target[],
  image: Buffer,
  matcher: ImageMatcher,
): Promise<readonly ScoredTarget[]> {
  const comparison = comparisonOf(matcher);
  if (comparison?.by !== "structuralSimilarity") return [];
  const nearest = unmatched.slice(0, MOST_SCORED);
  const { matches } = await rankTargets(similarityAbove(-1), image, nearest);
  return nearest.map((target) => {
    const score = matches.find((match) => match.target === target)?.score;
    return { target, threshold: comparison.threshold, ...(score !== undefined && { score: rounded(score) }) };
  });
}

const rounded = (score: number): number => Number(score.toFixed(4));

/** Advice for targets rated 0, if features decide. */
async function ratingsOf(
  passedOver: readonly (readonly [Target, AnyCause])[],
  matcher: ImageMatcher,
  now: number,
): Promise<ReadonlyMap<Target, AnyCause>> {
  const recogniser = recogniserOf(matcher);
  if (recogniser === undefined) return new Map();
  const poor = passedOver.filter(([, { code }]) => code === "target.unrated");
  const advised = poor.slice(0, MOST_SCORED).map(async ([target]) => {
    const given = await recogniser.rate(target.image);
    const rating = ratingAt(target, now);
    return given?.rating === 0
      ? [[target, cause("target.unrated", { rating, advice: `; ${given.advice}` })] as const]
      : [];
  });
  return new Map((await Promise.all(advised)).flat());
}

const UNLIKE = cause("target.unlike", {});

/** The same without what differs from target to target. */
const inGeneral = (reason: AnyCause): AnyCause =>
  reason.code === "target.waiting" ? cause("target.waiting") : reason;

/** Reports the first targets one by one, and counts the others. */
class Findings {
  readonly considered: ConsideredTarget[] = [];
  readonly others = new Map<string, OtherTargets>();

  /** @param general - the reason without what differs from target to target. */
  add(targets: readonly Target[], reason: AnyCause, general: AnyCause, outline?: Outline): void {
    const reported = targets.slice(0, MAX_CONSIDERED - this.considered.length);
    const { code } = reason;
    const matched = code === "target.matched" || code === "target.beyond";
    const why = reported.length > 0 ? sentenceOf(reason) : "";
    for (const { targetId, name } of reported) {
      this.considered.push({ targetId, name, matched, code, why, ...(outline && { outline }) });
    }
    const left = targets.length - reported.length;
    if (left === 0) return;
    const kind = sentenceOf(general);
    const count = (this.others.get(kind)?.count ?? 0) + left;
    this.others.set(kind, { code: general.code, why: kind, count });
  }
}
