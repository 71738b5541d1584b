import type { ClockSetting } from "../../emulator/clock.ts";
import type { FaultEffect } from "../../emulator/faults.ts";
import type { Random } from "../../emulator/random.ts";
import type { Database } from "../../schema/database.ts";
import type { FaultRequest } from "../../schema/fault.ts";
import type { Snapshot } from "../../schema/snapshot.ts";
import type { SummaryKind, TargetImage } from "../../schema/target.ts";
import type { RecordsKey, Version } from "../keys.ts";
import type { RateRule } from "../rate-history.ts";
import type { Conflict } from "../state.ts";
import type { StoredChange, StoredImage } from "./codec.ts";

/** Makes a summary of an image for other processes; undefined when it cannot be decoded. */
export type SummariseImage = (kind: SummaryKind, image: TargetImage) => Promise<Buffer | undefined>;

/** Records as they are at a version. */
export interface FoundRecords extends Version {
  /** The known version that the changes are relative to; undefined when these are all records. */
  readonly since: number | undefined;
  readonly changes: readonly StoredChange[];
}

/** An image that a change names is not (or no longer) stored. */
export interface MissingImage {
  /** Its SHA-256. */
  readonly missingImage: string;
}

/** The new version, or why nothing was committed. */
export type Committed = number | "stale" | "gone" | MissingImage;

/**
 * Keeps state outside this process. Decides only whether a version is still the latest; the logic that changes state is in
 * `verbs.ts`.
 */
export interface Backing {
  /** Reads a database's records, or their changes since a known version. Undefined: there is no such database. */
  read(key: RecordsKey, known?: Version): Promise<FoundRecords | "unchanged" | undefined>;
  /** The current version of every database, in order of creation. */
  list(): Promise<readonly Version[]>;
  /** Creates an empty database, unless another one shares a unique field. */
  create(database: Database): Promise<Conflict | undefined>;
  /**
   * Commits changes if the version is still the latest, and updates the reference counts of images.
   */
  commit(at: Version, changes: readonly StoredChange[]): Promise<Committed>;
  /** As `Store.takeRateToken`. */
  takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined>;
  /** Rates and stores an image; it stays for a while even if no target uses it. */
  putImage(bytes: Buffer): Promise<StoredImage>;
  /** Bytes of an image that a target uses, or used a short while ago. */
  getImage(sha256: string): Promise<Buffer>;
  /** Summaries of images, in the same order, where the backing has them: queries then need only few images. */
  getSummaries?(kind: SummaryKind, sha256s: readonly string[]): Promise<readonly (Buffer | undefined)[]>;
  reset(): Promise<void>;
  snapshot(): Promise<Snapshot>;
  restore(snapshot: unknown, images?: ReadonlyMap<string, Buffer>): Promise<string | undefined>;
}

/** A request, as far as faults that JSON can hold depend on it. */
export type FaultQuestion = Pick<FaultRequest, "api" | "operation" | "database">;

/** The rest of a request. Only functions of faults look at it, and they do not exist outside their process. */
export const NO_REQUEST: Omit<FaultRequest, keyof FaultQuestion> = {
  method: "",
  path: "",
  query: "",
  headers: {},
  body: Buffer.alloc(0),
};

/** What servers share: records, the clock setting and the journal. */
export interface SharedState extends Backing {
  /** As of the latest response. */
  readonly clock: ClockSetting;
  /** Whether any fault was added, as of the latest response. */
  readonly hasFaults: boolean;
  /** Reads only the clock setting, and whether any fault was added. */
  readClock(): Promise<void>;
  /** As `Faults.choose`. */
  chooseFault(request: FaultQuestion, random: Random): Promise<FaultEffect | undefined>;
  /** Changes whenever the journal is cleared; as of the latest response. */
  readonly journalEra: string;
  /** Adds entries to the shared journal, unless it was cleared since that era: what happened before is not to appear afterwards. */
  putJournal(packed: Buffer, era: string): Promise<void>;
}
