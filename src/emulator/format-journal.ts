import type { JournalEntry, RequestResult } from "./journal.ts";

/** A request as the target manager lists it, at `GET /requests`. */
export interface ListedRequest {
  /** Position in order of arrival. */
  readonly number: number;
  /** When it arrived, in ISO 8601. */
  readonly time: string;
  /** In upper case. */
  readonly method: string;
  /** Without query string. */
  readonly path: string;
  /** Null: no operation has that method and path. */
  readonly operation: string | null;
  /** Null: the client got no response. */
  readonly status: number | null;
  /** The response's result code, if it has one. */
  readonly result_code: string | null;
  /** Name of the check that refused the request. */
  readonly refused_by: string | null;
  /** What configured the fault that was applied. */
  readonly fault: string | null;
  /** What to change, in one sentence. */
  readonly reason: string | null;
  /** Name of the database whose keys the request uses. */
  readonly database_name: string | null;
  /** Queries: why targets did or did not match. */
  readonly considered:
    | readonly {
        /** The target's id. */
        readonly target_id: string;
        /** The target's name. */
        readonly name: string;
        /** Whether it is a result. */
        readonly matched: boolean;
        /** Why it is one, or is not. */
        readonly why: string;
      }[]
    | null;
  /** Queries: how many other targets there are, by reason. */
  readonly other_targets: Readonly<Record<string, number>> | null;
}

/** What is shown of an entry. */
type Shown = Omit<
  Pick<JournalEntry, "number" | "time" | "method" | "path" | keyof RequestResult>,
  "response" | "durationMs" | "signature"
> & { readonly operation?: string | undefined };

const ofListed = (listed: ListedRequest): Shown => ({
  number: listed.number,
  time: new Date(listed.time),
  method: listed.method,
  path: listed.path,
  operation: listed.operation ?? undefined,
  status: listed.status ?? undefined,
  resultCode: listed.result_code ?? undefined,
  refusedBy: listed.refused_by ?? undefined,
  fault: listed.fault ?? undefined,
  reason: listed.reason ?? undefined,
  database: listed.database_name ?? undefined,
  considered: listed.considered?.map(({ target_id: targetId, ...rest }) => ({ targetId, ...rest })),
  otherTargets: listed.other_targets ?? undefined,
});

/** How many considered targets of one query are printed. */
const MAX_TARGETS = 10;

/**
 * Formats journal entries as readable text: a line for each request; below it, who refused it and what to change, and
 * for a query why each target did or did not match, nearest first.
 *
 * @param entries - of a mock, of servers, or as the target manager lists them.
 * @example console.log(formatJournal(mock.requests));
 * @example console.log(formatJournal((await (await fetch("http://localhost:5000/requests")).json()).requests));
 */
export function formatJournal(entries: readonly (JournalEntry | ListedRequest)[]): string {
  return entries.map((entry) => formatEntry("refused_by" in entry ? ofListed(entry) : entry)).join("\n");
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

function formatEntry(entry: Shown): string {
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

function formatConsidered({ considered: targets, otherTargets = {} }: Shown): string[] {
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
