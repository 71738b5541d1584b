import { LRUCache } from "lru-cache";
import type { MovableClock } from "../emulator/clock.ts";
import type { SharedFaults } from "../emulator/faults.ts";
import { yieldToEventLoop } from "../emulator/scheduling.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import type { TargetRater } from "../images/ratings/rating.ts";
import type { AddedFault } from "../schema/fault.ts";
import type { Dataset } from "../schema/model-target.ts";
import type { Report } from "../schema/report.ts";
import type { Target } from "../schema/target.ts";
import { GLOBAL, type RecordsKey, type Version } from "../store/keys.ts";
import type { ReadableRecords } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { KEYS, LISTS } from "./changes.ts";
import type { PageDataset, PageFault, PageLists, PageReport, PageState } from "./model.ts";
import { shownTarget } from "./report.ts";

/** What the page shows that is not in the store. */
export interface PageContext {
  readonly faults: Pick<SharedFaults, "list">;
  readonly queryMatcher: ImageMatcher;
  readonly targetRater: TargetRater;
  readonly urls: () => PageState["urls"];
  /** Present while a test is paused until someone presses "Continue". */
  readonly pause?: { readonly resume: () => void } | undefined;
}

/** The items of each list as JSON, by key. Of an item that has not changed, the text is the same one. */
export type StateItems = ReadonlyMap<keyof PageLists, ReadonlyMap<string, string>>;

interface Item {
  readonly list: keyof PageLists;
  readonly key: string;
  readonly json: string;
}

/** What the page shows of one database, or of the records that belong to none. */
interface Shown {
  readonly version: number;
  readonly items: readonly Item[];
  /** Whether time alone may change it. */
  readonly isProcessing: boolean;
}

/** How many databases are read at once, before other work may run. */
const DATABASES_PER_TURN = 100;
const TARGETS_PER_TURN = 200;
/** For how many databases the targets are kept as JSON: open pages rarely show more of them at once. */
const KEPT_TARGET_LISTS = 4;

/** Reads the state as the page shows it: only what changed since the last time. */
export class PageStateReader {
  private shown: ReadonlyMap<string, Shown> = new Map();
  private readAt = Number.NEGATIVE_INFINITY;
  private readonly targetLists = new LRUCache<string, Promise<readonly Buffer[]>>({ max: KEPT_TARGET_LISTS });

  /** @param epoch - keeps revisions of different runs of the server apart. */
  constructor(
    private readonly store: Store,
    private readonly clock: MovableClock,
    private readonly faults: PageContext["faults"],
    private readonly epoch: string,
  ) {}

  /** Must not run more than once at a time. */
  async read(): Promise<StateItems> {
    const now = this.clock.now().getTime();
    // A clock that went back: what was processed may be processing again.
    const isBack = now < this.readAt;
    const before = this.shown;
    const shown = new Map<string, Shown>();
    const stale: string[] = [];
    for (const { scope, version } of await this.store.versions()) {
      const known = before.get(scope) ?? NOTHING;
      // Also if it is yet to be read: this is its place in the order of creation.
      shown.set(scope, known);
      if (known.version !== version || known.isProcessing || isBack) stale.push(scope);
    }
    for (let start = 0; start < stale.length; start += DATABASES_PER_TURN) {
      if (start > 0) await yieldToEventLoop();
      const some = stale.slice(start, start + DATABASES_PER_TURN);
      await Promise.all(
        some.map(async (scope) => {
          const current = await this.readShown(["scope", scope], now);
          if (current === undefined) shown.delete(scope);
          else shown.set(scope, current);
        }),
      );
    }
    const [global, faults] = await Promise.all([
      this.readShown(GLOBAL, now, before.get("")),
      this.faults.list(),
    ]);
    shown.set("", global ?? NOTHING);
    this.shown = shown;
    this.readAt = now;
    return listsOf(shown, faults.map(shownFault));
  }

  /** The targets of a database as the JSON of `PageTargets`, in pieces. */
  async targets(databaseName: string): Promise<readonly Buffer[]> {
    const { targets, revision } = await this.store.read(["databaseName", databaseName], (records) => ({
      targets: records?.listTargets() ?? [],
      revision: records === undefined ? "" : this.revisionOf(records),
    }));
    const known = this.targetLists.get(revision);
    if (known !== undefined) return known;
    const list = serialisedTargets(revision, targets);
    this.targetLists.set(revision, list);
    list.catch(() => this.targetLists.delete(revision));
    return list;
  }

  /** @param known - returned if there is no later version; its counts do not matter. */
  private async readShown(key: RecordsKey, now: number, known?: Shown): Promise<Shown | undefined> {
    return this.store.read(key, (records) => {
      if (records === undefined || known?.version === records.version) return records && known;
      return shownRecords(records, now, this.revisionOf(records));
    });
  }

  private revisionOf({ scope, version }: Version): string {
    return `${this.epoch}.${scope}.${version}`;
  }
}

const NOTHING: Shown = { version: -1, items: [], isProcessing: false };

function shownRecords(records: ReadableRecords & Version, now: number, revision: string): Shown {
  const { version, database, templates, reports, datasets, credentials } = records;
  const items: Item[] = [];
  const add = <List extends keyof PageLists>(list: List, item: PageLists[List][number]) =>
    items.push({ list, key: KEYS[list](item), json: JSON.stringify(item) });
  const counts = records.countByStatus(now);
  if (database?.kind === "cloud") add("cloudDatabases", { ...database, counts, revision });
  if (database?.kind === "vumark") add("vuMarkDatabases", { ...database, targets: [...templates.values()] });
  for (const report of reports.values()) add("reports", shownReport(report));
  for (const dataset of datasets.values()) add("datasets", shownDataset(dataset));
  for (const credential of credentials.values()) add("credentials", credential);
  return { version, items, isProcessing: counts.processing > 0 };
}

function listsOf(shown: ReadonlyMap<string, Shown>, faults: readonly PageFault[]): StateItems {
  const lists = new Map(LISTS.map((list) => [list, new Map<string, string>()]));
  for (const { items } of shown.values())
    for (const { list, key, json } of items) lists.get(list)?.set(key, json);
  for (const fault of faults) lists.get("faults")?.set(KEYS.faults(fault), JSON.stringify(fault));
  return lists;
}

async function serialisedTargets(revision: string, targets: readonly Target[]): Promise<readonly Buffer[]> {
  const pieces = [Buffer.from(`{"revision":${JSON.stringify(revision)},"targets":[`)];
  for (let start = 0; start < targets.length; start += TARGETS_PER_TURN) {
    await yieldToEventLoop();
    const some = targets
      .slice(start, start + TARGETS_PER_TURN)
      .map((each) => JSON.stringify(shownTarget(each)));
    pieces.push(Buffer.from((start === 0 ? "" : ",") + some.join(",")));
  }
  return [...pieces, Buffer.from("]}")];
}

function shownDataset({ requestBody: { name, models }, ...dataset }: Dataset): PageDataset {
  return {
    ...dataset,
    name: typeof name === "string" ? name : null,
    models: Array.isArray(models) ? models.length : 0,
  };
}

const shownReport = ({ rows, ...report }: Report): PageReport => ({ ...report, rowCount: rows.length });

/** The headers and the body of an answer may be long. */
function shownFault({ answer, ...fault }: AddedFault): PageFault {
  if (answer === null || "resultCode" in answer) return { ...fault, answer };
  return { ...fault, answer: { status: answer.status } };
}
