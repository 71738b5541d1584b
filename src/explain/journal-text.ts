import { factsOf, type JournalEntry } from "../core/emulator/journal.ts";
import { visible } from "../core/general/visible.ts";
import { FINISH_ADVICE } from "../core/schema/causes/queries.ts";
import { type EntryFacts, type ListedRequest, listedEntry } from "../core/schema/journal-entry.ts";
import { isRefusedOrFailed } from "../core/schema/protocol.ts";
import { checked } from "../core/schema/zod/problems.ts";

/** Readable text about entries, without secrets. */
export const describeRequests = (entries: readonly JournalEntry[], dropped = 0): string =>
  [
    summarize(entries) + (dropped > 0 ? `, ${dropped} older ones dropped` : ""),
    ...(entries.length > 0 ? [formatJournal(entries)] : []),
  ].join("\n");

function ofListed(given: ListedRequest): Partial<EntryFacts> {
  const names = listedEntry.fieldNames();
  // A later version of the manager may list more.
  const known = Object.entries(given).filter(([name]) => names.includes(name));
  const { request, response, ...facts } = checked("entry", listedEntry.schema, Object.fromEntries(known));
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value ?? undefined]));
}

/** How many considered targets of one query are printed. */
const MAX_TARGETS = 10;

/**
 * Formats journal entries as readable text: a line for each request; below it, who refused it and what to change, and
 * for a query why each target did or did not match, nearest first.
 *
 * @param entries - of a mock, of servers, or as the target manager lists them.
 * @throws InvalidOptionError for what is no entry of the target manager's list, naming its first invalid field.
 * @example console.log(formatJournal(mock.requests));
 * @example console.log(formatJournal((await (await fetch("http://localhost:5000/requests")).json()).requests));
 */
export function formatJournal(entries: readonly (JournalEntry | ListedRequest)[]): string {
  return entries
    .map((entry) => formatEntry("refused_by" in entry ? ofListed(entry) : factsOf(entry)))
    .join("\n");
}

/** Counts the entries, and those that were refused or failed. */
function summarize(entries: readonly JournalEntry[]): string {
  const unhappy = entries.filter(isRefusedOrFailed);
  const requests = entries.length === 1 ? "1 request" : `${entries.length} requests`;
  return `${requests}, ${unhappy.length === 0 ? "none" : unhappy.length} refused`;
}

/** The status and the result code, as text. */
export const outcomeOf = ({ status, resultCode }: Partial<EntryFacts>): string =>
  status === undefined ? "no response" : [status, resultCode].filter(Boolean).join(" ");

function formatEntry({
  number,
  time,
  api: _api,
  method,
  path,
  operation,
  status,
  resultCode,
  database,
  refusedBy,
  fault,
  cause,
  reason,
  durationMs: _duration,
  considered,
  otherTargets,
  signature: _inReason,
  ...others
}: Partial<EntryFacts>): string {
  const source = refusedBy ?? fault;
  const facts = [operation, database === undefined ? undefined : `database ${JSON.stringify(database)}`];
  const shownFacts = facts.filter((fact) => fact !== undefined).join(", ");
  return [
    `#${number} ${new Date(time ?? 0).toISOString()} ${method} ${path} → ${outcomeOf({ status, resultCode })}${shownFacts === "" ? "" : ` (${shownFacts})`}${cause === undefined ? "" : ` [${cause.code}]`}`,
    ...(reason === undefined ? [] : [`   ${source === undefined ? "" : `${source}: `}${reason}`]),
    ...formatConsidered(considered, otherTargets),
    ...Object.entries(others).map(([name, value]) => `   ${name}: ${JSON.stringify(value)}`),
  ]
    .map(visible)
    .join("\n");
}

function formatConsidered(
  targets: EntryFacts["considered"],
  otherTargets: EntryFacts["otherTargets"] = [],
): string[] {
  if (targets === undefined) return [];
  if (targets.length === 0) return ["   the database has no targets"];
  const others = otherTargets.reduce((total, { count }) => total + count, 0);
  const left = targets.length + others - MAX_TARGETS;
  return [
    ...targets.slice(0, MAX_TARGETS).map(({ matched, name, targetId, code, why }) => {
      const advice = code === "target.waiting" ? FINISH_ADVICE : "";
      return `   ${matched ? "✓" : "✗"} ${JSON.stringify(name)} (${targetId}): ${why}${advice}`;
    }),
    ...(left > 0 ? [`   and ${left} more targets`] : []),
  ];
}
