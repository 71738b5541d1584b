import { yieldToEventLoop } from "../../general/scheduling.ts";
import { comparisonOf, type ImageMatcher, recogniserOf } from "../../images/matching/comparison.ts";
import { similarityAbove } from "../../images/matching/matchers.ts";
import { rankTargets, remarkOnPicture, whyNotDecoded } from "../../images/on-demand.ts";
import { type AnyCause, cause, sentenceOf } from "../../schema/causes/causes.ts";
import type { ConsideredTarget, OtherTargets, Outline } from "../../schema/journal-entry.ts";
import { ratingAt, whyNotFound } from "../../schema/processing.ts";
import type { Target } from "../../schema/target.ts";
import type { ResolvedAnswerOptions } from "../services.ts";

/** The targets that a search found, and why each target did or did not match. */
interface Search {
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

/** Searches undeleted targets for those that match an image. */
export async function searchTargets(
  targets: readonly Target[],
  image: Buffer,
  { queryMatcher: matcher, advice: { photographs } }: Pick<ResolvedAnswerOptions, "queryMatcher" | "advice">,
  maxNumResults: number,
  now: number,
): Promise<Search> {
  const searched: Target[] = [];
  const passedOver: (readonly [Target, AnyCause])[] = [];
  for (const [index, target] of targets.entries()) {
    if (index % TARGETS_PER_SLICE === TARGETS_PER_SLICE - 1) await yieldToEventLoop();
    const reason = whyNotFound(target, now);
    if (reason === undefined) searched.push(target);
    else passedOver.push([target, reason]);
  }
  const certain =
    comparisonOf(matcher)?.by === "features" ? maxNumResults : Math.max(maxNumResults, LEAST_CERTAIN);
  const ranking = await rankTargets(matcher, image, searched, certain);
  const { matches, notCompared, unmatched, isUndecoded = false, whyNot } = ranking;
  const report = new Findings();
  for (const [index, { target, score, recognition }] of matches.entries()) {
    const isRankCertain = index < certain || notCompared.length === 0;
    const rank = `score ${rounded(score)}${isRankCertain ? `, rank ${index + 1}` : ""}`;
    const place = recognition ? `${rank}; ${recognition.why}` : rank;
    const reason =
      index < maxNumResults
        ? cause("target.matched", { place })
        : cause("target.beyond", { place, most: maxNumResults });
    report.add([target], reason, cause("target.beyond", { most: maxNumResults }), recognition?.outline);
  }
  const hasNone = matches.length === 0;
  const nearest = hasNone && !isUndecoded ? await scoresOfNearest(unmatched, image, matcher) : [];
  for (const [index, { target, score, threshold }] of nearest.entries()) {
    const advice = index === 0 ? WHOLE_PICTURES + photographs : "";
    const reason =
      score === undefined
        ? cause("target.not-compared", { undecoded: "target" })
        : cause("target.unlike", { score, threshold, advice });
    report.add([target], reason, UNLIKE);
  }
  const advised = hasNone ? await ratingsOf(passedOver, matcher, now) : undefined;
  for (const [target, reason] of passedOver)
    report.add([target], advised?.get(target) ?? reason, inGeneral(reason));
  const notAmong = cause("target.not-compared", { certain });
  report.add(notCompared, notAmong, notAmong);
  const unread = isUndecoded ? await whyNotDecoded(image) : undefined;
  const whyNone = hasNone
    ? unread === undefined
      ? remarkOnPicture(image)
      : cause("picture.unreadable", { why: unread })
    : undefined;
  const others = unmatched.slice(nearest.length);
  const unscored = isUndecoded
    ? cause("target.not-compared", { undecoded: "query" })
    : cause("target.unscored");
  if (isUndecoded || whyNot === undefined) report.add(others, unscored, unscored);
  else {
    for (const target of others.slice(0, MAX_CONSIDERED))
      report.add([target], cause("target.unlike", { why: whyNot(target) }), UNLIKE);
    report.add(others.slice(MAX_CONSIDERED), UNLIKE, UNLIKE);
  }
  const { considered, others: counted } = report;
  return {
    found: matches.slice(0, maxNumResults).map(({ target }) => target),
    considered,
    otherTargets: counted.size > 0 ? [...counted.values()] : undefined,
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
): Promise<readonly { readonly target: Target; readonly score?: number; readonly threshold: number }[]> {
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
