const LONGEST_COMPARED = 64;

/** The name most similar to a given one, if any is similar. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = bare(given.slice(0, LONGEST_COMPARED));
  const [best] = names
    .map((name) => ({ name, cost: distance(wanted, bare(name)) }))
    .filter(({ name, cost }) => cost <= name.length / 2)
    .sort((a, b) => a.cost - b.cost);
  return best?.name;
}

/** Makes `requestQuota`, `request_quota` and `REQUEST_QUOTA` equal. */
const bare = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** The Levenshtein distance of two words. */
function distance(from: string, to: string): number {
  let row = [...`${to} `].map((_, index) => index);
  for (const letter of from) {
    let last = (row[0] ?? 0) + 1;
    const cost = (wanted: string, index: number) => {
      const changed = (row[index] ?? 0) + (letter === wanted ? 0 : 1);
      last = Math.min(changed, last + 1, (row[index + 1] ?? 0) + 1);
      return last;
    };
    row = [last, ...[...to].map(cost)];
  }
  return row.at(-1) ?? 0;
}
