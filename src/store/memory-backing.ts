import type { MovableClock } from "../emulator/clock.ts";
import type { Faults } from "../emulator/faults.ts";
import type { Journal } from "../emulator/journal.ts";
import type { Random } from "../emulator/random.ts";
import type { Database } from "../schema/database.ts";
import { faultToJson } from "../schema/fault.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { SummaryKind } from "../schema/target.ts";
import {
  type Committed,
  type FaultQuestion,
  type FoundRecords,
  NO_REQUEST,
  type RecordsKey,
  type SummariseImage,
  type Version,
} from "./backing.ts";
import { decodeChange, encodeChange, imageIn, type StoredChange, type StoredImage } from "./codec.ts";
import { keptImage } from "./image-blobs.ts";
import { JournalReceiver, unpackJournal } from "./journal-codec.ts";
import type { StateCalls } from "./manager/protocol.ts";
import type { Scope } from "./memory-state.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { RateRule } from "./rate-history.ts";
import type { Conflict } from "./state.ts";

/** What the servers of one emulator share, beside the store. */
interface SharedParts {
  readonly journal: Journal;
  readonly clock: MovableClock;
  readonly faults: Faults;
  readonly random: Random;
}

/** A store in this process's memory, as servers in other processes use it. */
export class MemoryBacking implements StateCalls {
  private readonly journal: JournalReceiver;

  /**
   * @param run - names this run of the process: versions of an earlier run are not valid any more.
   * @param summaryOf - makes a summary of an image.
   */
  constructor(
    private readonly store: MemoryStore,
    private readonly parts: SharedParts,
    private readonly run: string,
    private readonly summaryOf: SummariseImage,
  ) {
    this.journal = new JournalReceiver(parts.journal);
  }

  get clock() {
    return this.parts.clock.setting;
  }

  get hasFaults(): boolean {
    return !this.parts.faults.isEmpty;
  }

  get journalEra(): string {
    return String(this.parts.journal.generation);
  }

  async readClock(): Promise<void> {}

  async read(key: RecordsKey, known?: Version): Promise<FoundRecords | "unchanged" | undefined> {
    const scope = this.find(key);
    if (scope === undefined) return undefined;
    const { version } = scope;
    const since = known?.scope === this.name(scope) ? known.version : undefined;
    if (since === version) return "unchanged";
    const changed = since === undefined ? undefined : scope.since(since);
    const changes = [...(changed ?? scope.all())].map(encodeChange);
    return { scope: this.name(scope), version, since: changed && since, changes };
  }

  async list(): Promise<readonly Version[]> {
    return this.store.state.databases.map((scope) => ({ scope: this.name(scope), version: scope.version }));
  }

  async create(database: Database): Promise<Conflict | undefined> {
    return this.store.createDatabase(database);
  }

  /** Must not wait: the version must still be the latest when the changes are committed. */
  async commit(at: Version, changes: readonly StoredChange[]): Promise<Committed> {
    const scope = this.find(["scope", at.scope]);
    if (scope === undefined) return "gone";
    if (scope.version !== at.version) return "stale";
    const { state } = this.store;
    const images = new Map(changes.flatMap(imageIn).map((sha256) => [sha256, state.images.find(sha256)]));
    if ([...images.values()].includes(undefined)) return "missingImage";
    const imageOf = (sha256: string) => images.get(sha256) ?? keptImage(sha256, Buffer.alloc(0));
    state.commit(
      scope,
      changes.map((change) => decodeChange(change, imageOf)),
    );
    return scope.version;
  }

  async takeRateToken(
    scopeName: string,
    rules: readonly RateRule[],
    now: number,
  ): Promise<RateRule | undefined> {
    const scope = this.find(["scope", scopeName]);
    return scope && this.store.state.takeToken(scope, rules, now);
  }

  putImage(bytes: Buffer): Promise<StoredImage> {
    return this.store.putImage(bytes);
  }

  async getImage(sha256: string): Promise<Buffer> {
    const image = this.store.state.images.find(sha256);
    if (image === undefined) throw new Error("the image was deleted in the meantime");
    return image.bytes();
  }

  async getSummaries(
    kind: SummaryKind,
    sha256s: readonly string[],
  ): Promise<readonly (Buffer | undefined)[]> {
    const images = sha256s.map((sha256) => this.store.state.images.find(sha256));
    return Promise.all(images.map((image) => image && this.summaryOf(kind, image)));
  }

  async reset(): Promise<void> {
    this.store.reset();
  }

  async snapshot(): Promise<Snapshot> {
    return this.store.snapshot();
  }

  async restore(snapshot: unknown): Promise<string | undefined> {
    return this.store.restore(snapshot);
  }

  async chooseFault(question: FaultQuestion): ReturnType<StateCalls["chooseFault"]> {
    const { faults, random } = this.parts;
    const chosen = faults.chooseAdded({ ...NO_REQUEST, ...question }, random);
    return chosen && { fault: faultToJson(chosen.fault), addedAt: chosen.addedAt };
  }

  async putJournal(packed: Buffer, era: string): Promise<void> {
    const page = await unpackJournal(packed);
    this.journal.receive(page, era === this.journalEra);
  }

  private find([field, value]: RecordsKey): Scope | undefined {
    const { state } = this.store;
    if (field !== "scope") return state.find([field, value]);
    const [run, scope = ""] = value.split("-");
    return run === this.run ? state.find(["scope", scope]) : undefined;
  }

  private name({ scope }: Scope): string {
    return `${this.run}-${scope}`;
  }
}
