import { hash } from "node:crypto";
import { type ClockShift, UNMOVED } from "../core/emulator/clock.ts";
import type { Database } from "../core/schema/database.ts";
import type { ProcessingResult } from "../core/schema/processing.ts";
import type { NewImage, SummaryKind, TargetImage } from "../core/schema/target.ts";
import type { RateRule } from "../core/store/rate-history.ts";
import { type Conflict, uniqueValues, writeOfDatabase } from "../core/store/state.ts";
import type { AssessImage, RecordsKey } from "../core/store/store.ts";
import { encodeWrite, type StoredWrite } from "./codec.ts";
import { MOST_SHARED_BODY_BYTES, type PackedJournal } from "./journal-codec.ts";
import {
  arrayIn,
  changesIn,
  clockIn,
  newName,
  type RedisConnection,
  recordPairs,
  uniquePairs,
} from "./redis-connection.ts";

const IMAGE_SECONDS = 60;
const MAX_JOURNAL = 1000;

export interface Summaries {
  readonly kinds: readonly SummaryKind[];
  /** Undefined if the image cannot be decoded. */
  readonly of: (kind: SummaryKind, image: TargetImage) => Promise<Buffer | undefined>;
}

/** One state of a database's records. */
export interface Version {
  /** Identifies the database from its creation to its deletion; never reused, even for a database with the same name. */
  readonly scope: string;
  /** Counts its changes. */
  readonly version: number;
}

export const revisionOf = ({ scope, version }: Version): string => `${scope}.${version}`;

/** Identifies records as a client of Redis also knows them: by scope. */
export type ReplicaKey = RecordsKey | readonly [field: "scope", value: string];

/** Records as they are at a version. */
export interface FoundRecords extends Version {
  /** The version before the changes; undefined if these are all records. */
  readonly since: number | undefined;
  readonly changes: readonly StoredWrite[];
}

/** Instead of a version: the database was deleted. */
export const DELETED = 0;

/** The new version, or why nothing was committed; `missingImage` is the SHA-256 of an image that is not stored. */
type Committed = number | "stale" | "gone" | { readonly missingImage: string };

/**
 * State that Redis or Valkey keeps, for any number of servers of any kind: records, the clock's shift, faults and the journal.
 * Decides only whether a version is still the latest; the logic that changes state is in `store/changes.ts`.
 */
export class RedisBacking {
  clock: ClockShift = UNMOVED;
  hasFaults = false;
  /** Changes whenever the journal is cleared; as of the latest response. */
  journalClears = "0";
  private readonly name = newName();

  /**
   * @param assess - decides the result of processing an image.
   * @param summaries - what queries compare; without these, they need all images.
   * @param clockIsShared - whether rate limits follow the clock of Redis: servers' clocks may differ.
   */
  constructor(
    readonly redis: RedisConnection,
    private readonly assess: AssessImage,
    private readonly summaries?: Summaries,
    private readonly clockIsShared = false,
  ) {}

  /** Reads a database's records, or their changes since a known version. Undefined: there is no such database. */
  async read([field, value]: ReplicaKey, known?: Version): Promise<FoundRecords | "unchanged" | undefined> {
    const wanted = field === "scope" || field === "global" ? value : JSON.stringify(value);
    const answer = await this.redis.run("read", [
      field,
      wanted,
      known?.scope ?? "",
      String(known?.version ?? 0),
    ]);
    const [controls, status, scope, version, records] = arrayIn(answer);
    this.takeControls(controls);
    if (status === "none") return undefined;
    if (status === "unchanged") return "unchanged";
    if (status === "large") return this.readPages({ scope: String(scope), version: Number(version) });
    return {
      scope: String(scope),
      version: Number(version),
      since: status === "since" ? (known?.version ?? 0) : undefined,
      changes: changesIn(records),
    };
  }

  /** Reads many records one after the other, and then the changes since that version. */
  private async readPages(at: Version): Promise<FoundRecords | undefined> {
    const changes: StoredWrite[] = [];
    for (let after = "0"; after !== ""; ) {
      const [last, records] = arrayIn(await this.redis.run("page", [at.scope, after]));
      for (const change of changesIn(records)) changes.push(change);
      after = String(last);
    }
    const since = await this.read(["scope", at.scope], at);
    if (since === undefined) return undefined;
    if (since === "unchanged") return { ...at, since: undefined, changes };
    for (const change of since.changes) changes.push(change);
    return { ...since, since: undefined, changes };
  }

  async list(): Promise<readonly Version[]> {
    const scopes = await this.redis.ask((client) => client.zrange(this.redis.key("scopes"), 0, -1));
    if (scopes.length === 0) return [];
    const keys = scopes.map((scope) => this.redis.key(`version:${scope}`));
    const versions = await this.redis.ask((client) => client.mget(keys));
    // A deleted database has no version.
    return scopes.flatMap((scope, index) => {
      const version = versions[index];
      return version == null ? [] : [{ scope, version: Number(version) }];
    });
  }

  /** Creates an empty database, unless another one shares a unique field. */
  async create(database: Database): Promise<Conflict | undefined> {
    const taken = await this.redis.run("create", [
      ...uniquePairs(database),
      ...recordPairs([encodeWrite(writeOfDatabase(database))]),
      newName(),
    ]);
    return uniqueValues(database)[Number(taken) - 1];
  }

  /** Commits changes if the version is still the latest, and updates the reference counts of images. */
  async commit({ scope, version }: Version, changes: readonly StoredWrite[]): Promise<Committed> {
    const isDeletion = changes.some(({ kind, record }) => kind === "database" && record === null);
    const args = [
      scope,
      String(version),
      ...recordPairs(isDeletion ? [] : changes),
      isDeletion ? "yes" : "no",
    ];
    const [answer, missingImage] = arrayIn(await this.redis.run("commit", args, changes.some(isRemoval)));
    if (Number(answer) === DELETED) await this.redis.sweep();
    if (missingImage !== undefined) return { missingImage: String(missingImage) };
    return answer === "gone" || answer === "stale" ? answer : Number(answer);
  }

  /** As `Store.takeRateToken`. */
  async takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const parts = rules.flatMap(({ key, maxRequests, windowSeconds, isAligned }) => [
      key,
      String(maxRequests),
      String(windowSeconds * 1000),
      isAligned ? "yes" : "no",
    ]);
    const moment = this.clockIsShared ? "" : String(now);
    const full = await this.redis.run("take", [scope, moment, String(rules.length), ...parts]);
    return rules[Number(full) - 1];
  }

  /** Rates and stores an image; it stays for a while even if no target uses it. */
  async putImage(image: NewImage): Promise<ProcessingResult & { readonly sha256: string }> {
    const { bytes } = image;
    const { outcome, rating, sha256 = hash("sha256", bytes) } = await this.assess(image);
    await this.keepSummaries(sha256, bytes);
    await this.keepImage(sha256, bytes);
    return { sha256, outcome, rating };
  }

  async keepSummaries(sha256: string, bytes: Buffer, seconds?: number): Promise<void> {
    for (const kind of this.summaries?.kinds ?? []) {
      const summary = await this.summaries?.of(kind, { sha256, bytes: () => bytes });
      if (summary !== undefined) await this.keepForNow(`${kind}:${sha256}`, summary, seconds);
    }
  }

  /** Summaries of images, in the same order. */
  async getSummaries(
    kind: SummaryKind,
    sha256s: readonly string[],
  ): Promise<readonly (Buffer | undefined)[]> {
    const keys = sha256s.map((sha256) => this.redis.key(`${kind}:${sha256}`));
    return (await this.redis.ask((client) => client.mgetBuffer(keys))).map((found) => found ?? undefined);
  }

  /** Bytes of an image that a target uses or used recently. */
  async getImage(sha256: string): Promise<Buffer> {
    const bytes = await this.redis.ask((client) => client.getBuffer(this.redis.key(`image:${sha256}`)));
    if (bytes === null) throw new Error("the image was deleted in the meantime");
    return bytes;
  }

  keepImage(sha256: string, bytes: Buffer, seconds?: number): Promise<void> {
    return this.keepForNow(`image:${sha256}`, bytes, seconds);
  }

  async readClock(): Promise<void> {
    this.takeControls(await this.redis.run("controls", []));
  }

  async setClock(shift: ClockShift): Promise<void> {
    this.clock = shift;
    await this.redis.ask((client) => client.set(this.redis.key("clock"), JSON.stringify(shift)));
  }

  /** As `Faults.toText` returned them. */
  async readFaults(): Promise<string | undefined> {
    return (await this.redis.ask((client) => client.get(this.redis.key("faults")))) ?? undefined;
  }

  /**
   * Replaces the faults, unless another server changed them meanwhile.
   *
   * @param ended - the fault whose delays end: an id, `*` for all, or none.
   * @returns how often the delays of all faults have ended.
   */
  async writeFaults(before = "", after = "", ended = ""): Promise<number | undefined> {
    const ends = await this.redis.run("faults", [before, after, ended]);
    return ends === null ? undefined : Number(ends);
  }

  /** How often the delays of all faults have ended, and the given ones whose own have. */
  async readEndedFaults(
    ids: readonly string[],
  ): Promise<{ readonly ends: number; readonly ended: readonly string[] }> {
    const [ends, ended] = arrayIn(await this.redis.run("ended-faults", ids));
    return { ends: Number(ends), ended: arrayIn(ended).map(String) };
  }

  private takeControls(controls: unknown): void {
    const [clock, faults, clears] = arrayIn(controls);
    this.clock = clockIn(clock);
    this.hasFaults = faults === 1;
    this.journalClears = String(clears);
  }

  /** Adds entries to the journal, unless it was cleared since. */
  async putJournal({ page, bodies }: PackedJournal, clears: string): Promise<void> {
    const limits = [String(MAX_JOURNAL), String(MOST_SHARED_BODY_BYTES)];
    await this.redis.run("publish", [clears, ...limits, this.name, page, bodies ?? ""]);
  }

  /** Entries after an entry of the stream, and the latest id. `own`: this process's entries, too. */
  async readJournal(
    after: string,
    own: boolean,
  ): Promise<{ readonly pieces: readonly PackedJournal[]; readonly latest: string }> {
    const read = (name: string) =>
      this.redis.ask((client) => client.xrangeBuffer(this.redis.key(name), `(${after}`, "+"));
    const found = (await read("journal")).map(([id, [name, page]]) => ({ id: id.toString(), name, page }));
    const wanted = found.filter(({ name }) => own || name?.toString() !== this.name);
    // Afterwards, so that those of all these pages are there, if they are kept.
    const kept = wanted.length === 0 ? [] : await read("journal-bodies");
    const bodies = new Map(kept.map(([id, [, bytes]]) => [id.toString(), bytes]));
    return {
      pieces: wanted.flatMap(({ id, page }) =>
        page === undefined ? [] : [{ page, bodies: bodies.get(id) }],
      ),
      latest: found.at(-1)?.id ?? after,
    };
  }

  async clearJournal(): Promise<void> {
    this.takeControls(await this.redis.run("clear", []));
  }

  private async keepForNow(name: string, bytes: Buffer, seconds = IMAGE_SECONDS): Promise<void> {
    const key = this.redis.key(name);
    // An existing expiry is only extended; an image without one stays.
    const isNew = await this.redis.ask((client) => client.set(key, bytes, "EX", seconds, "NX"));
    if (isNew === null) await this.redis.ask((client) => client.expire(key, seconds, "GT"));
  }
}

/** Whether a change removes a record, or deletes a target. */
const isRemoval = ({ kind, record }: StoredWrite): boolean =>
  record === null || (kind === "target" && record.deleteDate !== null);
