import { createHash } from "node:crypto";
import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import { type FaultEffect, Faults } from "../../emulator/faults.ts";
import type { Random } from "../../emulator/random.ts";
import type { Database } from "../../schema/database.ts";
import type { Snapshot } from "../../schema/snapshot.ts";
import {
  type Committed,
  type FaultQuestion,
  type FoundRecords,
  NO_REQUEST,
  type RecordsKey,
  type SharedState,
  type SketchImage,
  StateUnavailableError,
  type Version,
} from "../backing.ts";
import { decodeChange, encodeChange, imageIn, type StoredChange, type StoredImage } from "../codec.ts";
import { type KeptImage, keptImage } from "../image-blobs.ts";
import type { RateRule } from "../rate-history.ts";
import { Records } from "../records.ts";
import { readSnapshot, snapshotOf } from "../snapshot.ts";
import { databaseChange, databaseChanges, databaseRecords, globalChanges } from "../state.ts";
import type { AssessImage } from "../store.ts";
import { type Conflict, uniqueValues } from "../unique-fields.ts";
import { acceptedIn, changesIn, clockIn, counted, listOf, recordPairs, uniquePairs } from "./encoding.ts";
import { newName, type RedisConnection } from "./redis-connection.ts";

const IMAGE_SECONDS = 60;
/** Images of a snapshot wait until all others have been uploaded. */
const RESTORED_IMAGE_SECONDS = 3600;
const MAX_JOURNAL = 1000;
/** How many records one call of the script adds, and how many characters of them, so that none takes long. */
const PIECE = { items: 500, characters: 2 ** 22 };

/** State that Redis or Valkey keeps, for any number of servers of any kind. */
export class RedisBacking implements SharedState {
  clock: ClockSetting = UNMOVED;
  hasFaults = false;
  journalEra = "0";
  /** Identifies this process's journal entries. */
  private readonly name = newName();

  /**
   * @param assess - decides the result of processing an image.
   * @param sketchOf - makes the sketch that queries compare first; without one, they need all images.
   * @param clockIsShared - whether rate limits follow the clock of Redis, because those of servers may differ.
   */
  constructor(
    readonly redis: RedisConnection,
    private readonly assess: AssessImage,
    private readonly sketchOf?: SketchImage,
    private readonly clockIsShared = false,
  ) {}

  async read([field, value]: RecordsKey, known?: Version): Promise<FoundRecords | "unchanged" | undefined> {
    const wanted = field === "scope" || field === "global" ? value : JSON.stringify(value);
    const answer = await this.redis.run("read", [
      field,
      wanted,
      known?.scope ?? "",
      String(known?.version ?? 0),
    ]);
    const [settings, status, scope, version, records] = listOf(answer);
    this.note(settings);
    if (status === "none") return undefined;
    if (status === "unchanged") return "unchanged";
    return {
      scope: String(scope),
      version: Number(version),
      since: status === "since" ? (known?.version ?? 0) : undefined,
      changes: changesIn(records),
    };
  }

  async list(): Promise<readonly string[]> {
    return this.redis.ask((client) => client.zrange(this.redis.key("scopes"), 0, -1));
  }

  async create(database: Database): Promise<Conflict | undefined> {
    const taken = await this.redis.run("create", [
      ...uniquePairs(database),
      ...recordPairs([encodeChange(databaseChange(database))]),
      newName(),
    ]);
    return uniqueValues(database)[Number(taken) - 1];
  }

  async commit({ scope, version }: Version, changes: readonly StoredChange[]): Promise<Committed> {
    const isDeletion = changes.some(({ kind, record }) => kind === "database" && record === null);
    const answer = String(
      await this.redis.run("commit", [
        scope,
        String(version),
        ...recordPairs(isDeletion ? [] : changes),
        isDeletion ? "yes" : "no",
      ]),
    );
    if (isDeletion && answer === "0") await this.sweep();
    return answer === "gone" || answer === "stale" || answer === "missingImage" ? answer : Number(answer);
  }

  async takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const parts = rules.flatMap(({ key, maxRequests, windowSeconds }) => [
      key,
      String(maxRequests),
      String(windowSeconds * 1000),
    ]);
    const moment = this.clockIsShared ? "" : String(now);
    const full = await this.redis.run("take", [scope, moment, String(rules.length), ...parts]);
    return rules[Number(full) - 1];
  }

  async putImage(bytes: Buffer): Promise<StoredImage> {
    const { sha256 = createHash("sha256").update(bytes).digest("hex"), ...assessment } =
      await this.assess(bytes);
    const sketch = await this.sketchOf?.({ sha256, bytes: () => bytes });
    if (sketch !== undefined) await this.keepForNow(`sketch:${sha256}`, sketch);
    await this.keepForNow(`image:${sha256}`, bytes);
    return { sha256, ...assessment };
  }

  async getSketches(sha256s: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    const keys = sha256s.map((sha256) => this.redis.key(`sketch:${sha256}`));
    return (await this.redis.ask((client) => client.mgetBuffer(keys))).map((sketch) => sketch ?? undefined);
  }

  async getImage(sha256: string): Promise<Buffer> {
    const bytes = await this.redis.ask((client) => client.getBuffer(this.redis.key(`image:${sha256}`)));
    if (bytes === null) throw new Error("the image was deleted in the meantime");
    return bytes;
  }

  async reset(): Promise<void> {
    await this.replace(0, ["0"]);
  }

  async snapshot(): Promise<Snapshot> {
    const [databases, others] = listOf(await this.redis.run("everything", []));
    const read = listOf(databases).map((database) => {
      const [records, accepted] = listOf(database);
      return { changes: changesIn(records), accepted: listOf(accepted).map(acceptedIn).sort(byLimit) };
    });
    const images = new Map<string, KeptImage>();
    for (const sha256 of read.flatMap(({ changes }) => changes.flatMap(imageIn)))
      images.set(sha256, images.get(sha256) ?? keptImage(sha256, await this.getImage(sha256)));
    const imageOf = (sha256: string) => images.get(sha256) ?? keptImage(sha256, Buffer.alloc(0));
    const recordsFrom = (changes: readonly StoredChange[]) => {
      const records = new Records();
      for (const change of changes) records.apply(decodeChange(change, imageOf));
      return records;
    };
    const global = recordsFrom(changesIn(others));
    return snapshotOf({
      databases: read.flatMap(({ changes, accepted }) => databaseRecords(recordsFrom(changes), accepted)),
      datasets: [...global.datasets.values()],
      credentials: [...global.credentials.values()],
      images,
    });
  }

  async restore(snapshot: unknown, images?: ReadonlyMap<string, Buffer>): Promise<string | undefined> {
    const state = readSnapshot(snapshot, images);
    if (typeof state === "string") return state;
    for (const [sha256, image] of state.images)
      await this.keepForNow(`image:${sha256}`, image.bytes(), RESTORED_IMAGE_SECONDS);
    const built: string[] = [];
    for (const records of state.databases) {
      const scope = `${newName()}-restored`;
      for (const changes of inPieces(databaseChanges(records).map(encodeChange)))
        await this.build(scope, changes, []);
      const accepted = records.accepted.flatMap(({ limit, moments }) =>
        moments.map((at) => [limit, String(at)]),
      );
      for (const piece of inPieces(accepted)) await this.build(scope, [], piece);
      built.push(scope, ...uniquePairs(records.database));
    }
    const others = recordPairs(globalChanges(state).map(encodeChange));
    await this.replace(state.databases.length, [...built, ...others]);
    return undefined;
  }

  private async build(
    scope: string,
    changes: readonly StoredChange[],
    accepted: readonly (readonly string[])[],
  ): Promise<void> {
    const answer = await this.redis.run("build", [scope, ...recordPairs(changes), ...counted(accepted)]);
    if (answer !== 1) throw new StateUnavailableError("an image was lost while the snapshot was restored");
  }

  private async replace(count: number, built: readonly string[]): Promise<void> {
    if ((await this.redis.run("replace", [String(count), ...built])) !== 1)
      throw new StateUnavailableError("the snapshot took too long to restore");
    await this.sweep();
  }

  /** Removes in steps what was dropped. */
  private async sweep(): Promise<void> {
    while (Number(await this.redis.run("sweep", [])) > 0);
  }

  async readClock(): Promise<void> {
    this.note(await this.redis.run("settings", []));
  }

  async setClock(setting: ClockSetting): Promise<void> {
    this.clock = setting;
    await this.redis.ask((client) => client.set(this.redis.key("clock"), JSON.stringify(setting)));
  }

  /** Acts on the faults until nothing else changed them in the meantime. */
  async withFaults<T>(act: (faults: Faults) => T): Promise<T> {
    for (;;) {
      const before = (await this.redis.ask((client) => client.get(this.redis.key("faults")))) ?? undefined;
      const faults = Faults.fromText(before);
      const result = act(faults);
      const after = faults.toText();
      if (after === before || (await this.redis.run("faults", [before ?? "", after ?? ""])) === 1)
        return result;
    }
  }

  chooseFault(request: FaultQuestion, random: Random): Promise<FaultEffect | undefined> {
    return this.withFaults((faults) => faults.choose({ ...NO_REQUEST, ...request }, random));
  }

  private note(settings: unknown): void {
    const [clock, faults, era] = listOf(settings);
    this.clock = clockIn(clock);
    this.hasFaults = faults === 1;
    this.journalEra = String(era);
  }

  async putJournal(packed: Buffer, era: string): Promise<void> {
    await this.redis.run("publish", [era, String(MAX_JOURNAL), this.name, packed]);
  }

  /**
   * What was added after an entry of the stream, and the latest entry's id.
   *
   * @param own - whether what this process added is wanted, too.
   */
  async readJournal(
    after: string,
    own: boolean,
  ): Promise<{ readonly pieces: readonly Buffer[]; readonly latest: string }> {
    const found = await this.redis.ask((client) =>
      client.xrangeBuffer(this.redis.key("journal"), `(${after}`, "+"),
    );
    return {
      pieces: found.flatMap(([, [name, packed]]) =>
        packed === undefined || (!own && name?.toString() === this.name) ? [] : [packed],
      ),
      latest: found.at(-1)?.[0].toString() ?? after,
    };
  }

  async clearJournal(): Promise<void> {
    this.note(await this.redis.run("clear", []));
  }

  /** Whether there are no databases, and no other manager has claimed in the last minute to add the first ones. */
  async claimsSeeding(): Promise<boolean> {
    if ((await this.list()).length > 0) return false;
    return (
      (await this.redis.ask((client) => client.set(this.redis.key("seeding"), this.name, "EX", 60, "NX"))) ===
      "OK"
    );
  }

  private async keepForNow(name: string, bytes: Buffer, seconds = IMAGE_SECONDS): Promise<void> {
    const key = this.redis.key(name);
    // Of what exists, the expiry is only ever extended; without one, it stays.
    const isNew = await this.redis.ask((client) => client.set(key, bytes, "EX", seconds, "NX"));
    if (isNew === null) await this.redis.ask((client) => client.expire(key, seconds, "GT"));
  }
}

function* inPieces<T extends StoredChange | readonly string[]>(all: readonly T[]): Iterable<readonly T[]> {
  let piece: T[] = [];
  let characters = 0;
  for (const each of all) {
    piece.push(each);
    // Only a target's metadata can be long.
    characters +=
      "kind" in each && each.kind === "target" ? (each.record?.applicationMetadata?.length ?? 0) : 0;
    if (piece.length < PIECE.items && characters < PIECE.characters) continue;
    yield piece;
    [piece, characters] = [[], 0];
  }
  if (piece.length > 0) yield piece;
}

const byLimit = (a: { readonly limit: string }, b: { readonly limit: string }): number =>
  a.limit < b.limit ? -1 : 1;
