import type { JournalEntry } from "./journal.ts";

/** How many considered targets of one query are printed. */
const MAX_TARGETS = 10;

/**
 * Formats journal entries as readable text: a line for each request; below it, who refused it and what to change, and
 * for a query why each target did or did not match, nearest first.
 *
 * @example console.log(formatJournal(mock.requests));
 */
export function formatJournal(entries: readonly JournalEntry[]): string {
  return entries.map(formatEntry).join("\n");
}

/** Counts the entries, and those that were refused or failed. */
export function summarize(entries: readonly JournalEntry[]): string {
  const unhappy = entries.filter(
    ({ status, refusedBy, fault }) =>
      refusedBy !== undefined || (status === undefined && fault === undefined),
  );
  const requests = entries.length === 1 ? "1 request" : `${entries.length} requests`;
  return `${requests}, ${unhappy.length === 0 ? "none" : unhappy.length} refused`;
}

function formatEntry(entry: JournalEntry): string {
  const { number, time, method, path, operation, status, resultCode, database, refusedBy, fault, reason } =
    entry;
  const source = refusedBy ?? fault;
  const outcome = status === undefined ? "no response" : [status, resultCode].filter(Boolean).join(" ");
  const facts = [operation, database === undefined ? undefined : `database ${JSON.stringify(database)}`];
  const shownFacts = facts.filter((fact) => fact !== undefined).join(", ");
  return [
    `#${number} ${time.toISOString()} ${method} ${path} → ${outcome}${shownFacts === "" ? "" : ` (${shownFacts})`}`,
    ...(reason === undefined ? [] : [`   ${source === undefined ? "" : `${source}: `}${reason}`]),
    ...formatConsidered(entry),
  ].join("\n");
}

function formatConsidered({ considered: targets, otherTargets = {} }: JournalEntry): string[] {
  if (targets === undefined) return [];
  if (targets.length === 0) return ["   the database has no targets"];
  const others = Object.values(otherTargets).reduce((total, count) => total + count, 0);
  const left = targets.length + others - MAX_TARGETS;
  return [
    ...targets.slice(0, MAX_TARGETS).map(({ matched, name, targetId, why }) => {
      return `   ${matched ? "✓" : "✗"} ${JSON.stringify(name)} (${targetId}): ${why}`;
    }),
    ...(left > 0 ? [`   and ${left} more targets, none of them nearer`] : []),
  ];
}
