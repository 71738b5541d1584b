/** A rate limit, and the key of its history. */
export interface RateRule {
  readonly key: string;
  readonly maxRequests: number;
  readonly windowSeconds: number;
  /** Whether windows begin at multiples of their length since 1970; otherwise each request has its own. */
  readonly isAligned: boolean;
}

/** Times of accepted requests, in ascending order, by the key of the limit that they count towards. */
export type RateHistories = Map<string, number[]>;

/**
 * Takes one request from every rule's budget, or returns the first rule that is full and takes none. A rule is full if its
 * window at `now` holds as many accepted requests as it allows. A window that is not aligned reaches as far behind `now` as
 * before it, because requests can come out of order. If the clock was set back by more than the window, the history starts
 * afresh.
 */
export function takeToken(
  histories: RateHistories,
  rules: readonly RateRule[],
  now: number,
): RateRule | undefined {
  const full = rules.find(
    (rule) => countNear(historyOf(histories, rule, now), rule, now) >= rule.maxRequests,
  );
  if (full !== undefined) return full;
  for (const rule of rules) {
    const history = historyOf(histories, rule, now);
    history.splice(firstAfter(history, now), 0, now);
    // Moments two windows before the newest cannot affect any later request.
    const newest = history.at(-1) ?? now;
    history.splice(0, firstAfter(history, newest - 2 * milliseconds(rule)));
    histories.set(rule.key, history);
  }
  return undefined;
}

const milliseconds = ({ windowSeconds }: RateRule): number => windowSeconds * 1000;

function historyOf(histories: RateHistories, rule: RateRule, now: number): number[] {
  const kept = histories.get(rule.key) ?? [];
  const newest = kept.at(-1);
  return newest !== undefined && newest - now > milliseconds(rule) ? [] : kept;
}

function countNear(history: readonly number[], rule: RateRule, now: number): number {
  const window = milliseconds(rule);
  if (!rule.isAligned) return firstNotBefore(history, now + window) - firstAfter(history, now - window);
  const start = Math.floor(now / window) * window;
  return firstNotBefore(history, start + window) - firstNotBefore(history, start);
}

const firstAfter = (history: readonly number[], time: number): number =>
  firstWhere(history, (moment) => moment > time);
const firstNotBefore = (history: readonly number[], time: number): number =>
  firstWhere(history, (moment) => moment >= time);

/** Binary search for the first moment that passes a test; all later ones must pass it too. */
function firstWhere(history: readonly number[], passes: (moment: number) => boolean): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const moment = history[middle];
    if (moment === undefined || passes(moment)) high = middle;
    else low = middle + 1;
  }
  return low;
}
