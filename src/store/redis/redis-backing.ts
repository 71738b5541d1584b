import { createHash } from "node:crypto";
import type { Redis } from "iovalkey";
import { type ClockSetting, UNMOVED } from "../../core/clock.ts";
import { type FaultEffect, Faults } from "../../core/faults.ts";
import { createRandom, type Random } from "../../core/random.ts";
import { messageOf } from "../../core/text.ts";
import type { Database } from "../../schema/database.ts";
import type { FaultRequest } from "../../schema/fault.ts";
import type { Snapshot } from "../../schema/snapshot.ts";
import {
  type Committed,
  type FoundRecords,
  GLOBAL,
  type RecordsKey,
  type SharedState,
  StateUnavailableError,
  type Version,
} from "../backing.ts";
import { encodeChange, imageIn, type StoredChange, type StoredImage } from "../codec.ts";
import type { RateRule } from "../rate-history.ts";
import { readSnapshot, snapshotOf } from "../snapshot.ts";
import { databaseChange, databaseChanges, globalChanges } from "../state.ts";
import type { AssessImage } from "../store.ts";
import { type Conflict, uniqueValues } from "../unique-fields.ts";
import {
  changeIn,
  clockIn,
  counted,
  listOf,
  pairsOf,
  recordPairs,
  recordsIn,
  uniquePairs,
} from "./encoding.ts";
import { SCRIPT } from "./script.ts";

/** The version of the layout that `script.ts` describes. */
const FORMAT = "1";
const IMAGE_SECONDS = 60;
const MAX_JOURNAL = 1000;

/** The state in Redis cannot be used: it has another version, or the password is wrong. */
export class StateRefusedError extends Error {
  override readonly name = "StateRefusedError";
}

/** State that Redis or Valkey keeps, for any number of servers of any kind. */
export class RedisBacking implements SharedState {
  clock: ClockSetting = UNMOVED;
  hasFaults = false;
  private readonly prefix: string;
  /** Identifies this process's journal entries. */
  private readonly name = newName();

  /**
   * @param shown - the URL without user and password.
   * @param assess - decides the result of processing an image.
   */
  constructor(
    private readonly client: Redis,
    prefix: string,
    private readonly shown: string,
    private readonly assess: AssessImage,
  ) {
    this.prefix = `{${prefix}}:`;
  }

  /**
   * Checks that the state has this version, or creates it with this version.
   *
   * @throws StateRefusedError naming both versions; StateUnavailableError.
   */
  async open(): Promise<void> {
    const format = String(await this.run("hello", [FORMAT]));
    if (format === FORMAT) return;
    throw new StateRefusedError(
      `the state at ${this.shown} has version ${format}; expected version ${FORMAT}`,
    );
  }

  async read(
    [field, value]: RecordsKey,
    known: Version | undefined,
  ): Promise<FoundRecords | "unchanged" | undefined> {
    const wanted = field === "scope" || field === "global" ? value : JSON.stringify(value);
    const answer = await this.run("read", [field, wanted, known?.scope ?? "", String(known?.version ?? 0)]);
    const [settings, status, scope, version, records] = listOf(answer);
    this.note(settings);
    if (status === "none") return undefined;
    if (status === "unchanged") return "unchanged";
    return {
      scope: String(scope),
      version: Number(version),
      since: status === "since" ? (known?.version ?? 0) : undefined,
      changes: pairsOf(listOf(records)).map(([place, text]) => changeIn(place, text)),
    };
  }

  async list(): Promise<readonly string[]> {
    return this.ask(() => this.client.zrange(this.key("scopes"), 0, -1));
  }

  async create(database: Database): Promise<Conflict | undefined> {
    const taken = await this.run("create", [
      ...uniquePairs(database),
      ...recordPairs([encodeChange(databaseChange(database))]),
      newName(),
    ]);
    return uniqueValues(database)[Number(taken) - 1];
  }

  async commit({ scope, version }: Version, changes: readonly StoredChange[]): Promise<Committed> {
    const isDeletion = changes.some(({ kind, record }) => kind === "database" && record === null);
    const answer = String(
      await this.run("commit", [
        scope,
        String(version),
        ...recordPairs(isDeletion ? [] : changes),
        isDeletion ? "yes" : "no",
      ]),
    );
    return answer === "gone" || answer === "stale" || answer === "missingImage" ? answer : Number(answer);
  }

  async takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const parts = rules.flatMap(({ key, maxRequests, windowSeconds }) => [
      key,
      String(maxRequests),
      String(windowSeconds * 1000),
    ]);
    const full = await this.run("take", [scope, String(now), String(rules.length), ...parts]);
    return rules[Number(full) - 1];
  }

  async putImage(bytes: Buffer): Promise<StoredImage> {
    const { sha256 = createHash("sha256").update(bytes).digest("hex"), ...assessment } =
      await this.assess(bytes);
    await this.keepForNow(sha256, bytes);
    return { sha256, ...assessment };
  }

  async getImage(sha256: string): Promise<Buffer> {
    const bytes = await this.ask(() => this.client.getBuffer(this.key(`image:${sha256}`)));
    if (bytes === null) throw new Error("the image was deleted in the meantime");
    return bytes;
  }

  async reset(): Promise<void> {
    await this.run("replace", ["0", "0"]);
  }

  async snapshot(): Promise<Snapshot> {
    for (;;) {
      const before = await this.counter();
      const snapshot = await this.capture();
      if ((await this.counter()) === before) return snapshot;
    }
  }

  async restore(snapshot: unknown, images?: ReadonlyMap<string, Buffer>): Promise<string | undefined> {
    const state = readSnapshot(snapshot, images);
    if (typeof state === "string") return state;
    for (const [sha256, image] of state.images) await this.keepForNow(sha256, image.bytes());
    const databases = state.databases.flatMap((records) => [
      ...uniquePairs(records.database),
      ...recordPairs(databaseChanges(records).map(encodeChange)),
      newName(),
      ...counted(records.accepted.flatMap(({ limit, moments }) => moments.map((at) => [limit, String(at)]))),
    ]);
    const others = recordPairs(globalChanges(state).map(encodeChange));
    await this.run("replace", [String(state.databases.length), ...databases, ...others]);
    return undefined;
  }

  async readClock(): Promise<void> {
    this.note(await this.run("settings", []));
  }

  async setClock(setting: ClockSetting): Promise<void> {
    this.clock = setting;
    await this.ask(() => this.client.set(this.key("clock"), JSON.stringify(setting)));
  }

  /** Acts on the faults until nothing else changed them in the meantime. */
  async withFaults<T>(act: (faults: Faults) => T): Promise<T> {
    for (;;) {
      const before = (await this.ask(() => this.client.get(this.key("faults")))) ?? undefined;
      const faults = Faults.fromText(before);
      const result = act(faults);
      const after = faults.toText();
      if (after === before || (await this.run("faults", [before ?? "", after ?? ""])) === 1) return result;
    }
  }

  chooseFault(request: FaultRequest, random: Random): Promise<FaultEffect | undefined> {
    return this.withFaults((faults) => faults.choose(request, random));
  }

  private note(settings: unknown): void {
    const [clock, faults] = listOf(settings);
    this.clock = clockIn(clock);
    this.hasFaults = faults === 1;
  }

  async putJournal(packed: Buffer): Promise<void> {
    await this.ask(() =>
      this.client.xadd(this.key("journal"), "MAXLEN", "~", MAX_JOURNAL, "*", this.name, packed),
    );
  }

  /** What other servers added after an entry of the stream, and the latest entry's id. */
  async readJournal(after: string): Promise<{ readonly pieces: readonly Buffer[]; readonly latest: string }> {
    const found = await this.ask(() => this.client.xrangeBuffer(this.key("journal"), `(${after}`, "+"));
    return {
      pieces: found.flatMap(([, [name, packed]]) =>
        packed === undefined || name?.toString() === this.name ? [] : [packed],
      ),
      latest: found.at(-1)?.[0].toString() ?? after,
    };
  }

  /** Changes whenever the journal was cleared. */
  journalEra(): Promise<string | null> {
    return this.ask(() => this.client.get(this.key("journal-era")));
  }

  async clearJournal(): Promise<void> {
    await this.ask(() => this.client.del(this.key("journal")));
    await this.ask(() => this.client.incr(this.key("journal-era")));
  }

  close(): void {
    this.client.disconnect();
  }

  private async capture(): Promise<Snapshot> {
    const read = async (key: RecordsKey) => {
      const found = await this.read(key, undefined);
      return found === undefined || found === "unchanged" ? [] : found.changes;
    };
    const scopes = await this.list();
    const databases = await Promise.all(
      scopes.map(async (scope) => ({ changes: await read(["scope", scope]), scope })),
    );
    const global = await read(GLOBAL);
    const images = new Map<string, Buffer>();
    for (const sha256 of databases.flatMap(({ changes }) => changes.flatMap(imageIn)))
      if (!images.has(sha256)) images.set(sha256, await this.getImage(sha256));
    const whole = {
      version: 1,
      databases: await Promise.all(
        databases.map(async ({ changes, scope }) => ({
          database: recordsIn(changes, "database")[0],
          targets: recordsIn(changes, "target"),
          templates: recordsIn(changes, "template"),
          reports: recordsIn(changes, "report"),
          accepted: await this.accepted(scope),
        })),
      ),
      datasets: recordsIn(global, "dataset"),
      credentials: recordsIn(global, "credential"),
      images: Object.fromEntries([...images.keys()].map((sha256) => [sha256, ""])),
    };
    const state = readSnapshot(whole, images);
    if (typeof state === "string") throw new Error(`the state at ${this.shown} is damaged: ${state}`);
    return snapshotOf(state);
  }

  private async accepted(scope: string) {
    const limits = (await this.ask(() => this.client.smembers(this.key(`limits:${scope}`)))).sort();
    return Promise.all(
      limits.map(async (limit) => {
        const found = await this.ask(() =>
          this.client.zrange(this.key(`accepted:${scope}:${limit}`), 0, -1, "WITHSCORES"),
        );
        return { limit, moments: found.filter((_, index) => index % 2 === 1).map(Number) };
      }),
    );
  }

  private counter(): Promise<string | null> {
    return this.ask(() => this.client.get(this.key("counter")));
  }

  private async keepForNow(sha256: string, bytes: Buffer): Promise<void> {
    const key = this.key(`image:${sha256}`);
    // An existing image's expiry is only ever extended; without one, the image stays.
    const isNew = await this.ask(() => this.client.set(key, bytes, "EX", IMAGE_SECONDS, "NX"));
    if (isNew === null) await this.ask(() => this.client.expire(key, IMAGE_SECONDS, "GT"));
  }

  private key(name: string): string {
    return this.prefix + name;
  }

  private run(operation: string, args: readonly string[]): Promise<unknown> {
    return this.ask(() => this.client.eval(SCRIPT, 1, this.prefix, operation, ...args));
  }

  private async ask<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const why = messageOf(error).replace(/\s+/g, " ");
      throw new StateUnavailableError(`the state at ${this.shown} cannot be used: ${why}`);
    }
  }
}

const newName = (): string => createRandom().hex(8);
