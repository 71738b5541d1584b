import type { Database } from "../schema/database.ts";
import type { ProcessingResult } from "../schema/processing.ts";
import type { NewImage, TargetImage } from "../schema/target.ts";
import type { LoadedImage } from "./image-blobs.ts";
import type { RateRule } from "./rate-history.ts";
import type { ReadableRecords, Write } from "./records.ts";
import type { Conflict, StoreState } from "./state.ts";

/** The state's server cannot be reached, lost a part of the state, or another server answers. The message is one line. */
export class StateUnavailableError extends Error {
  override readonly name: string = "StateUnavailableError";
}

/** Identifies a database by a field that requests know, and its value. */
export type DatabaseKey = readonly [
  field: "databaseId" | "databaseName" | "serverAccessKey" | "clientAccessKey",
  value: string,
];

/** Identifies records: those of a database, or those that belong to none. */
export type RecordsKey = DatabaseKey | readonly [field: "global", value: ""];

export const GLOBAL: RecordsKey = ["global", ""];

/** Records as a store has them. */
export type StoredRecords = ReadableRecords & {
  /** Another text after every change, and for every other database. */
  readonly revision: string;
};

/** What to read, and what to make of it. `answer` is synchronous, so it sees the state of one moment. */
export type Read<Result> =
  | {
      readonly of?: undefined;
      readonly key: RecordsKey;
      /** @param records - undefined if there is no such database. */
      readonly answer: (records: StoredRecords | undefined) => Result;
    }
  /** Every database, in order of creation. */
  | { readonly of: "databases"; readonly answer: (databases: readonly StoredRecords[]) => Result }
  | { readonly of: "state"; readonly answer: (state: StoreState) => Result };

export interface Decision<Result> {
  readonly result: Result;
  readonly writes?: readonly Write[];
}

/** A stored image, and the result of processing it. */
export interface ProcessedImage extends ProcessingResult {
  readonly image: TargetImage;
}

/** Changes the records of one key, with an image that the store rates and keeps first. */
export interface ImageChange<Result> {
  readonly key: RecordsKey;
  readonly image: NewImage;
  readonly decide: (records: ReadableRecords | undefined, made: ProcessedImage) => Decision<Result>;
}

/** A change that waits for no image. */
export type PlainChange<Result> = {
  readonly image?: undefined;
  /** What follows from the change; called once, after it was made. */
  readonly after?: (result: Result) => void;
} & (
  | {
      readonly on?: undefined;
      readonly key: RecordsKey;
      /** @param records - undefined if there is no such database. */
      readonly decide: (records: ReadableRecords | undefined) => Decision<Result>;
    }
  | {
      /** The records of every database, and those that belong to none; the result of these is returned. */
      readonly on: "everything";
      readonly decide: (records: ReadableRecords | undefined) => Decision<Result>;
    }
  | {
      /** Creates a database; decides again if another one shares a unique field with it. */
      readonly on: "databases";
      readonly decide: (conflict?: Conflict) => { readonly result: Result; readonly database?: Database };
    }
  | {
      /** Replaces all state. */
      readonly on: "state";
      /** @param findImage - finds an image that the store may have. */
      readonly decide: (findImage: (sha256: string) => LoadedImage | undefined) => {
        readonly result: Result;
        readonly state?: StoreState;
      };
    }
);

/**
 * A change of state: a pure function from what there is to a result and what to write. Conflicts are results. The store decides
 * again if the records changed before it could write, so every change is atomic.
 */
export type Change<Result> = PlainChange<Result> | ImageChange<Result>;

/**
 * All shared state of an emulator. To keep it elsewhere, implement this interface; the contract is in `test/store`. Asynchronous in
 * memory too: decision 0014.
 */
export interface Store {
  /** The store for a request that arrives now. A found database stays the same, even if another one of that name replaces it. */
  forRequest(): Store;
  read<Result>(read: Read<Result>): Promise<Result>;
  run<Result>(change: Change<Result>): Promise<Result>;
  /**
   * Takes one request from every rule's budget, or returns the first full rule. A rule is full if its number of accepted
   * requests lies within its window, before or after `now`.
   */
  takeRateToken(databaseName: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined>;
  /** Another text after every change of a database. */
  revision(): Promise<string>;
}

export type AssessImage = (image: NewImage) => Promise<ProcessingResult & { readonly sha256?: string }>;

/** An image that is retained until a target uses it. */
export interface RetainedImage extends ProcessedImage {
  release(): void;
}
