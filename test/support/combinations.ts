/** With `ALL_COMBINATIONS=1`, as in `.ci/run`: everything; otherwise a selection, so that `npm test` stays short. */
export const ALL = process.env.ALL_COMBINATIONS === "1";

/** The whole list, or a selection: its first members. */
export const firstOf = <Member>(all: readonly Member[], few: number): readonly Member[] =>
  ALL ? all : all.slice(0, few);

/** How often a test repeats something. */
export const times = (all: number, few: number): number => (ALL ? all : few);

/**
 * Combinations to test of two lists. A selection has each member of the longer list once, and each of the shorter one, in turn.
 *
 * @example for (const [mode, order] of combinations(MODES, ORDERS)) …
 */
export function combinations<A, B>(these: readonly A[], those: readonly B[]): readonly (readonly [A, B])[] {
  if (these.length === 0 || those.length === 0) return [];
  const all = these.flatMap((one) => those.map((other) => [one, other] as const));
  if (ALL) return all;
  return all.filter((_, index) => {
    const [row, column] = [Math.floor(index / those.length), index % those.length];
    return those.length >= these.length ? column % these.length === row : row % those.length === column;
  });
}
