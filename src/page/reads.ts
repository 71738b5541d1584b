import type { Advice } from "../core/apis/services.ts";
import type { Journal, JournalEntry } from "../core/emulator/journal.ts";
import { comparisonOf, type ImageMatcher } from "../core/images/matching/comparison.ts";
import type { AddedFault } from "../core/schema/fault.ts";
import { withoutLongFields } from "../core/schema/journal-entry.ts";
import type { Dataset } from "../core/schema/model-target.ts";
import { ratingAt, statusAt } from "../core/schema/processing.ts";
import type { Report } from "../core/schema/report.ts";
import * as reads from "../core/store/reads.ts";
import type { ReadableRecords } from "../core/store/records.ts";
import { GLOBAL } from "../core/store/store.ts";
import type { Changing } from "./changes.ts";
import type {
  PageDatabase,
  PageDatabases,
  PageDataset,
  PageFault,
  PageModels,
  PageNames,
  PageReport,
  PageRequests,
  PageState,
  PageTargets,
  RequestRow,
} from "./model.ts";
import { shownFacts, shownTarget } from "./report.ts";
import { isOfPage, RequestCounts } from "./request-counts.ts";
import {
  foundIn,
  type ImageOf,
  listFilter,
  MAX_ROWS,
  passes,
  passesAll,
  selectDatabases,
  selectTargets,
  withFound,
} from "./select.ts";

export interface ReadResult {
  /** Changes whenever the content does, and costs less. */
  readonly tag: string;
  readonly content: () => unknown;
}

export interface ReadParts extends Changing {
  readonly queryMatcher: ImageMatcher;
  readonly urls: () => PageState["urls"];
  readonly advice: Advice;
  /** Present while a test is paused until someone presses "Continue". */
  readonly pause?: { readonly resume: () => void } | undefined;
}

export type View = (parameters: URLSearchParams) => Promise<ReadResult>;

/** What each view is read from. */
interface Sources extends ReadParts {
  readonly counts: RequestCounts;
  readonly now: () => number;
}

export function createReads(parts: ReadParts): Readonly<Record<string, View>> {
  const { clock, journal } = parts;
  const sources: Sources = {
    ...parts,
    counts: new RequestCounts(journal),
    now: () => clock.now().getTime(),
  };
  return {
    state: () => readState(sources),
    databases: (parameters) => readDatabases(sources, parameters),
    names: (parameters) => readNames(sources, parameters),
    targets: (parameters) => readTargets(sources, parameters),
    requests: (parameters) => readRequests(sources, parameters),
    models: () => readModels(sources),
    faults: () => readFaults(sources),
  };
}

async function readState(sources: Sources): Promise<ReadResult> {
  const { clock, journal, counts, urls, advice, pause, queryMatcher, now } = sources;
  const { generation, dropped } = journal;
  const shown = {
    urls: urls(),
    paused: pause !== undefined,
    matchesPhotographs: comparisonOf(queryMatcher)?.by === "features",
    advice,
    requests: { ...counts.read(), generation, dropped },
  };
  const content = (): PageState => ({
    ...shown,
    clock: { now: now(), frozen: clock.isFrozen, lead: clock.lead },
  });
  // Without the time: the page has its own clock.
  return { tag: JSON.stringify([shown, clock.shift]), content };
}

async function readDatabases({ store, now }: Sources, parameters: URLSearchParams): Promise<ReadResult> {
  const revision = await store.revision();
  const all = await store.read(reads.databases);
  const named = all.map((records) => ({ databaseName: records.database?.databaseName ?? "", records }));
  const { rows, total } = selectDatabases(named, parameters);
  // Time alone changes the counts.
  const counts = rows.map(({ records }) => Object.values(records.countByStatus(now())).join());
  const content = (): PageDatabases => ({
    total,
    databases: rows.flatMap(({ records }) => shownDatabase(records, now()) ?? []),
  });
  return { tag: `${revision} ${counts.join(" ")}`, content };
}

async function readNames(sources: Sources, parameters: URLSearchParams): Promise<ReadResult> {
  const content = await chooseDatabase(sources, parameters);
  return { tag: JSON.stringify(content), content: () => content };
}

/** The cloud databases, and the one that a view shows: the wanted one, or the one that a client used last. */
async function chooseDatabase({ store, journal }: Sources, parameters: URLSearchParams): Promise<PageNames> {
  const cloud = await store.read(reads.cloudDatabases);
  const names = cloud.map(({ databaseName }) => databaseName);
  const given = parameters.get("database");
  const isGiven = given !== null && names.includes(given);
  const database = (isGiven ? given : usedLast(journal, new Set(names))) ?? names.at(-1) ?? null;
  return { database, databases: names.slice(-MAX_ROWS) };
}

async function readTargets(sources: Sources, parameters: URLSearchParams): Promise<ReadResult> {
  const { store, now } = sources;
  const { database, databases } = await chooseDatabase(sources, parameters);
  const { targets, revision, counts } = await store.read({
    key: ["databaseName", database ?? ""],
    answer: (records) => ({
      targets: records?.listTargets() ?? [],
      revision: records?.revision ?? "",
      // Time alone changes the order by status or rating.
      counts: Object.values(records?.countByStatus(now()) ?? {}).join(),
    }),
  });
  const content = (): PageTargets => {
    const moment = now();
    const { rows, total } = selectTargets(targets, parameters, {
      rating: (target) => ratingAt(target, moment),
      status: (target) => statusAt(target, moment),
    });
    return {
      database,
      databases,
      targets: rows.map(shownTarget),
      open: shownOpen(targets, parameters),
      total,
      all: targets.length,
    };
  };
  return { tag: `${revision} ${counts} ${databases.join()}`, content };
}

async function readRequests(sources: Sources, parameters: URLSearchParams): Promise<ReadResult> {
  const { journal, counts } = sources;
  const filter = listFilter(parameters);
  const { generation, position } = journal;
  const content = async (): Promise<PageRequests> => {
    const entries: JournalEntry[] = [];
    let total = 0;
    // Without a filter the total is known, so that older entries need not be read.
    const isCounted = passesAll(filter) && !filter.own;
    for (let at = position; at >= journal.firstPosition; at -= 1) {
      const entry = journal.at(at);
      if (entry === undefined || (!filter.own && isOfPage(entry)) || !passes(entry, filter)) continue;
      total += 1;
      if (entries.length < MAX_ROWS) entries.push(entry);
      else if (isCounted) break;
    }
    const imageOf = await imagesFound(sources, entries);
    const rows = entries.reverse().map((entry) => rowOf(entry, imageOf));
    return { requests: rows, total: isCounted ? counts.read().clients : total };
  };
  return { tag: `${generation}.${position}`, content };
}

/** The images of the targets that queries found, by database and id of the target. */
async function imagesFound({ store }: Sources, entries: readonly JournalEntry[]): Promise<ImageOf> {
  const images = new Map<string, string>();
  for (const name of new Set(entries.map(({ database }) => database ?? "")))
    await store.read({
      key: ["databaseName", name],
      answer: (records) => {
        for (const entry of entries) {
          const found = entry.database === name ? foundIn(entry) : undefined;
          const target = found && records?.targets.get(found.targetId);
          if (target) images.set(`${name} ${target.targetId}`, target.image.sha256);
        }
      },
    });
  return (database, targetId) => images.get(`${database} ${targetId}`) ?? null;
}

async function readModels({ store, now }: Sources): Promise<ReadResult> {
  // First: content may be newer than its tag, which is read again, but never older.
  const revision = await store.revision();
  const [global, all] = await Promise.all([
    store.read({
      key: GLOBAL,
      answer: (records) => ({
        revision: records?.revision,
        datasets: [...(records?.datasets.values() ?? [])],
        credentials: [...(records?.credentials.values() ?? [])],
      }),
    }),
    store.read(reads.databases),
  ]);
  const databases = all.filter(({ database, reports }) => database?.kind === "vumark" || reports.size > 0);
  const content = (): PageModels => ({
    datasets: global.datasets.slice(-MAX_ROWS).map(shownDataset),
    credentials: global.credentials.slice(-MAX_ROWS),
    reports: databases
      .flatMap(({ database, reports }) =>
        [...reports.values()].map((report) => shownReport(report, database?.databaseName ?? "")),
      )
      .slice(-MAX_ROWS),
    vuMarkDatabases: databases
      .map((records) => shownDatabase(records, now()))
      .filter((database) => database?.kind === "vumark")
      .slice(-MAX_ROWS),
  });
  return { tag: `${global.revision} ${revision}`, content };
}

async function readFaults({ faults, store }: Sources): Promise<ReadResult> {
  const [list, all] = await Promise.all([faults.list(), store.read(reads.databases)]);
  const names = all.flatMap(({ database }) => database?.databaseName ?? []);
  const shown = { faults: list.slice(0, MAX_ROWS).map(shownFault), databases: names.slice(-MAX_ROWS) };
  return { tag: JSON.stringify(shown), content: () => shown };
}

/** The target whose details are shown, even if the list does not have it. */
function shownOpen(targets: readonly Parameters<typeof shownTarget>[0][], parameters: URLSearchParams) {
  const open = targets.find(({ targetId }) => targetId === parameters.get("target"));
  return open === undefined ? null : shownTarget(open);
}

/** A database with its template targets, or with its targets by status. */
function shownDatabase(records: ReadableRecords, now: number): PageDatabase | undefined {
  const { database, templates } = records;
  return database?.kind === "vumark"
    ? { ...database, targets: [...templates.values()].slice(-MAX_ROWS) }
    : database && { ...database, counts: records.countByStatus(now) };
}

function usedLast(journal: Journal, names: ReadonlySet<string>): string | undefined {
  for (let at = journal.position; at >= journal.firstPosition; at -= 1) {
    const entry = journal.at(at);
    if (entry?.database !== undefined && names.has(entry.database) && !isOfPage(entry)) return entry.database;
  }
  return undefined;
}

function rowOf(entry: JournalEntry, imageOf: ImageOf): RequestRow {
  return withFound(withoutLongFields(shownFacts(entry)), entry, imageOf);
}

const shownDataset = ({ requestBody: { name, models }, ...dataset }: Dataset): PageDataset => ({
  ...dataset,
  name: typeof name === "string" ? name : null,
  models: Array.isArray(models) ? models.length : 0,
});

const shownReport = ({ rows, ...report }: Report, databaseName: string): PageReport => ({
  ...report,
  databaseName,
  rowCount: rows.length,
});

/** The headers and the body of an answer may be long. */
function shownFault({ response, ...fault }: AddedFault): PageFault {
  if (response === null || "resultCode" in response) return { ...fault, response };
  return { ...fault, response: { status: response.status } };
}
