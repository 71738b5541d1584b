import type { Database } from "../domain/database.ts";
import type { Report } from "../domain/report.ts";
import type { Target, TemplateTarget } from "../domain/target.ts";
import { RequestHistory } from "../runtime/rate-limiter.ts";
import type { ChangeLog } from "./change-log.ts";
import type { DatabaseRecords } from "./state.ts";
import type { RateRule } from "./store.ts";

/** One database and all that goes with it when it is deleted. Records inside are immutable and replaced whole. */
export interface Entry {
  database: Database;
  /** Undeleted targets by id, in order of creation. */
  readonly targets: Map<string, Target>;
  readonly idsByName: Map<string, string>;
  readonly deleted: Map<string, Target>;
  readonly templates: Map<string, TemplateTarget>;
  readonly reports: Map<string, Report>;
  readonly histories: Map<string, RequestHistory>;
  readonly changes: ChangeLog;
  lastSequence: number;
}

/** An entry that holds these records, and nothing else. */
export function entryOf(records: DatabaseRecords, changes: ChangeLog): Entry {
  const { database, targets, templates, reports, accepted } = records;
  const present = targets.filter(({ deletedAt }) => deletedAt === null);
  return {
    database,
    targets: new Map(present.map((target) => [target.id, target])),
    idsByName: new Map(present.map(({ id, name }) => [name, id])),
    deleted: new Map(
      targets.filter(({ deletedAt }) => deletedAt !== null).map((target) => [target.id, target]),
    ),
    templates: new Map(templates.map((template) => [template.id, template])),
    reports: new Map(reports.map((report) => [report.file, report])),
    histories: new Map(accepted.map(({ limit, moments }) => [limit, new RequestHistory(moments)])),
    changes,
    lastSequence: targets.reduce((last, { sequence }) => Math.max(last, sequence), 0),
  };
}

export const emptyRecords = (database: Database): DatabaseRecords => ({
  database,
  targets: [],
  templates: [],
  reports: [],
  accepted: [],
});

/** What {@link entryOf} needs to make the same entry again. */
export function recordsOf(entry: Entry): DatabaseRecords {
  return {
    database: entry.database,
    targets: [...entry.targets.values(), ...entry.deleted.values()],
    templates: [...entry.templates.values()],
    reports: [...entry.reports.values()],
    accepted: [...entry.histories].map(([limit, history]) => ({ limit, moments: history.all })),
  };
}

/** Undeleted and deleted targets, in order of creation. */
export function allTargets({ targets, deleted }: Entry): readonly Target[] {
  return [...targets.values(), ...deleted.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Takes one request from every rule's budget, or returns the first rule that is full and takes none. */
export function takeToken(entry: Entry, rules: readonly RateRule[], now: number): RateRule | undefined {
  const full = rules.find(
    ({ key, maxRequests, windowSeconds }) => historyOf(entry, key).countIn(windowSeconds, now) >= maxRequests,
  );
  if (full !== undefined) return full;
  for (const { key, windowSeconds } of rules) historyOf(entry, key).add(now, windowSeconds);
  return undefined;
}

function historyOf({ histories }: Entry, key: string): RequestHistory {
  const kept = histories.get(key);
  if (kept !== undefined) return kept;
  const history = new RequestHistory();
  histories.set(key, history);
  return history;
}

/** A database's present state, or how it differs from an earlier one. */
export interface DatabaseState {
  readonly tag: string;
  /** All undeleted targets; otherwise those that changed since, deleted ones too. In order of creation. */
  readonly complete: boolean;
  readonly database: Database;
  readonly targets: readonly Target[];
  readonly templates: readonly TemplateTarget[];
}

/** What {@link DatabaseState} tells; "unchanged" when the tag names the present state. */
export function stateSince(entry: Entry, since: string | undefined): DatabaseState | "unchanged" {
  const { changes, database, templates } = entry;
  if (since === changes.tag) return "unchanged";
  const changed = since === undefined ? undefined : changes.since(since);
  const targets =
    changed === undefined ? [...entry.targets.values()] : allTargets(entry).filter(({ id }) => changed(id));
  return {
    tag: changes.tag,
    complete: changed === undefined,
    database,
    targets,
    templates: [...templates.values()],
  };
}

/** Everything in it is past its processing time from now on. */
export function finishEntry({ targets, templates, reports, changes }: Entry): void {
  changes.note();
  for (const target of targets.values()) {
    targets.set(target.id, { ...target, processed: true, rated: true });
    changes.note(target.id);
  }
  for (const template of templates.values()) templates.set(template.id, { ...template, processed: true });
  for (const report of reports.values()) reports.set(report.file, { ...report, processed: true });
}
