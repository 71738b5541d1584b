import type { Database } from "../domain/database.ts";
import type { Report } from "../domain/report.ts";
import type { Target, TemplateTarget } from "../domain/target.ts";
import { RequestHistory } from "../runtime/rate-limiter.ts";
import type { ChangeLog } from "./change-log.ts";
import type { DatabaseRecords } from "./state.ts";

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
