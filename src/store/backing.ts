import type { ClockSetting } from "../core/clock.ts";
import type { Database } from "../schema/database.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { StoredChange, StoredImage } from "./codec.ts";
import type { RateRule } from "./rate-history.ts";
import type { Conflict, DatabaseKey } from "./store.ts";

/** One state of a database's records. */
export interface Version {
  /** Names the database from its creation to its deletion: no other one has it, whatever its name. */
  readonly scope: string;
  /** Counts its changes. */
  readonly version: number;
}

/** Records as they are at a version. */
export interface FoundRecords extends Version {
  /** The known version after which these records changed; undefined: these are all records. */
  readonly since: number | undefined;
  readonly changes: readonly StoredChange[];
}

/** Names records: a database's by a field or by their scope, or those that belong to no database. */
export type RecordsKey = DatabaseKey | readonly [field: "scope" | "global", value: string];

export const GLOBAL: RecordsKey = ["global", ""];

/** The image that a change names is not kept (any more): put it again. */
export type Committed = number | "stale" | "gone" | "missingImage";

/**
 * A place outside of this process that keeps state. It decides nothing but whether a version is still the latest; what
 * changes state is in `verbs.ts`.
 */
export interface Backing {
  /** A database's records, or how they changed since a known version. Undefined: there is no such database. */
  read(key: RecordsKey, known: Version | undefined): Promise<FoundRecords | "unchanged" | undefined>;
  /** Scopes of all databases, in order of creation. */
  list(): Promise<readonly string[]>;
  /** Adds an empty database; of two that share a unique field, one is refused. */
  create(database: Database): Promise<Conflict | undefined>;
  /**
   * Keeps changes if the version is still the latest, and counts the references to images.
   *
   * @returns the new version, or why nothing was kept.
   */
  commit(at: Version, changes: readonly StoredChange[]): Promise<Committed>;
  /** As `Store.takeRateToken`. */
  takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined>;
  /** Rates an image, and keeps it for a while even if no target has it. */
  putImage(bytes: Buffer): Promise<StoredImage>;
  /** Bytes of an image that a target has, or had a short while ago. */
  getImage(sha256: string): Promise<Buffer>;
  reset(): Promise<void>;
  snapshot(): Promise<Snapshot>;
  restore(snapshot: unknown): Promise<string | undefined>;
}

/** What servers share beside records: how the clock is set, and the journal. */
export interface SharedState extends Backing {
  /** As the latest answer said. */
  readonly clock: ClockSetting;
  /** Asks for nothing but how the clock is set. */
  readClock(): Promise<void>;
  /** Hands entries over to the journal of all servers. */
  putJournal(packed: Buffer): Promise<void>;
}

/** The place that keeps the state cannot be reached, or is something else. The message is one line. */
export class StateUnavailableError extends Error {
  override readonly name: string = "StateUnavailableError";
}
