import type { Faults } from "../core/emulator/faults.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import { FINISH_ADVICE } from "../core/schema/causes/queries.ts";
import type { CloudDatabase, DatabaseState, RequestRateLimits } from "../core/schema/cloud-database.ts";
import type { VuMarkDatabase } from "../core/schema/database.ts";
import { type Fault, fault } from "../core/schema/fault.ts";
import {
  type Dataset,
  type DatasetStatus,
  type DatasetTypeName,
  datasetStatusAt,
} from "../core/schema/model-target.ts";
import { ratingAt, statusAt, type TargetStatus, whyNotFound } from "../core/schema/processing.ts";
import type { Target } from "../core/schema/target.ts";
import { checked, InvalidOptionError } from "../core/schema/zod/problems.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";
import * as reads from "../core/store/reads.ts";
import { ofDatabase } from "../core/store/records.ts";
import { callerOf } from "../explain/caller.ts";

/** A target at the moment when it was read. */
export interface MockTarget {
  /** Id in the API. */
  readonly targetId: string;
  /** Name, unique among the undeleted targets of the database. */
  readonly name: string;
  /** Width in scene units. */
  readonly width: number;
  /** Whether queries may find the target. */
  readonly activeFlag: boolean;
  /** Metadata in base64, as it was sent, or null. */
  readonly applicationMetadata: string | null;
  /** Processing status. */
  readonly status: TargetStatus;
  /** -1 during the first half of processing, then 0 to 5. */
  readonly trackingRating: number;
  /** Why no query can find the target now; undefined when one can. */
  readonly whyNotFound: string | undefined;
  /** When the target was added; never changes. */
  readonly uploadDate: Date;
  /** When the target was added or last updated. */
  readonly lastModifiedDate: Date;
  /** Recognitions of this month, as set by `setRecognitionCounts`; queries do not count. */
  readonly currentMonthRecos: number;
  /** Recognitions of the previous month, as set by `setRecognitionCounts`. */
  readonly previousMonthRecos: number;
  /** Recognitions of all time, as set by `setRecognitionCounts`. */
  readonly totalRecos: number;
}

export function mockTarget(target: Target, now: number): MockTarget {
  const obstacle = whyNotFound(target, now);
  return {
    targetId: target.targetId,
    name: target.name,
    width: target.width,
    activeFlag: target.activeFlag,
    applicationMetadata: target.applicationMetadata,
    status: statusAt(target, now),
    trackingRating: ratingAt(target, now),
    whyNotFound: obstacle && sentenceOf(obstacle) + (obstacle.code === "target.waiting" ? FINISH_ADVICE : ""),
    uploadDate: new Date(target.uploadDate),
    lastModifiedDate: new Date(target.lastModifiedDate),
    currentMonthRecos: target.currentMonthRecos,
    previousMonthRecos: target.previousMonthRecos,
    totalRecos: target.totalRecos,
  };
}

/**
 * A cloud database of a mock: its keys, and a live view of its state. Returned by `mock.addCloudDatabase`.
 *
 * @throws Error, when its state, quotas, counts or limits are read after the database was deleted.
 *
 * @example
 * const database = mock.addCloudDatabase({ targetQuota: 10 });
 * database.targets.map(({ name, status }) => `${name}: ${status}`);
 */
export class MockCloudDatabase {
  /** Id of the database in report requests. */
  readonly databaseId: string;
  /** Name, unique among all databases. */
  readonly databaseName: string;
  /** Access key of target API requests. */
  readonly serverAccessKey: string;
  /** Secret key that signs target API requests. */
  readonly serverSecretKey: string;
  /** Access key of queries. */
  readonly clientAccessKey: string;
  /** Secret key that signs queries. */
  readonly clientSecretKey: string;
  /** Always `CLOUD_RECO`. */
  readonly databaseTypeName: string;
  readonly #store: () => MemoryStore;
  readonly #now: () => number;

  /** @internal */
  constructor(database: CloudDatabase, store: () => MemoryStore, now: () => number) {
    this.databaseId = database.databaseId;
    this.databaseName = database.databaseName;
    this.serverAccessKey = database.serverAccessKey;
    this.serverSecretKey = database.serverSecretKey;
    this.clientAccessKey = database.clientAccessKey;
    this.clientSecretKey = database.clientSecretKey;
    this.databaseTypeName = database.databaseTypeName;
    this.#store = store;
    this.#now = now;
  }

  /** Current undeleted targets, in order of creation. Empty after the database was deleted. */
  get targets(): readonly MockTarget[] {
    const [store, now] = [this.#store(), this.#now()];
    if (!isKept(this, store)) return [];
    return store.readNow(reads.targets(this.databaseName)).map((target) => mockTarget(target, now));
  }

  /** Current state. */
  get stateName(): DatabaseState {
    return this.#current.stateName;
  }
  /** Requests that the license allows; 0 refuses every request, except queries. */
  get requestQuota(): number {
    return this.#current.requestQuota;
  }
  /** Targets that the database may hold. */
  get targetQuota(): number {
    return this.#current.targetQuota;
  }
  /** Recognitions that the license allows. */
  get recoThreshold(): number {
    return this.#current.recoThreshold;
  }
  /** Recognitions of this month, as set; queries do not count. */
  get currentMonthRecos(): number {
    return this.#current.currentMonthRecos;
  }
  /** Recognitions of the previous month, as set. */
  get previousMonthRecos(): number {
    return this.#current.previousMonthRecos;
  }
  /** Recognitions of all time, as set. */
  get totalRecos(): number {
    return this.#current.totalRecos;
  }
  /** Requests per second for all endpoints together; null: no limit. */
  get requestsPerSecondLimit(): number | null {
    return this.#current.requestsPerSecondLimit;
  }
  /** Rate limits by group of endpoints; null: none. */
  get requestRateLimits(): RequestRateLimits | null {
    return this.#current.requestRateLimits;
  }

  get #current(): CloudDatabase {
    const store = this.#store();
    const database = isKept(this, store) ? store.readNow(reads.database(this.databaseName)) : undefined;
    if (database?.kind !== "cloud") throw new Error(`the database "${this.databaseName}" was deleted`);
    return database;
  }
}

/**
 * A VuMark database of a mock: its keys, and a live view of its template targets. Returned by `mock.addVuMarkDatabase`.
 *
 * @example
 * const { targets } = mock.addVuMarkDatabase({ targets: [{ name: "label" }] });
 */
export class MockVuMarkDatabase {
  /** Name, unique among all databases. */
  readonly databaseName: string;
  /** Access key of instance requests. */
  readonly serverAccessKey: string;
  /** Secret key that signs instance requests. */
  readonly serverSecretKey: string;
  readonly #store: () => MemoryStore;

  /** @internal */
  constructor(database: VuMarkDatabase, store: () => MemoryStore) {
    this.databaseName = database.databaseName;
    this.serverAccessKey = database.serverAccessKey;
    this.serverSecretKey = database.serverSecretKey;
    this.#store = store;
  }

  /** Template targets, in the order in which they were added. Empty after the database was deleted. */
  get targets(): readonly {
    /** Id in the API. */
    readonly targetId: string;
    /** Name of the template target. */
    readonly name: string;
  }[] {
    const store = this.#store();
    if (!isKept(this, store)) return [];
    return store
      .readNow(reads.templateTargets(this.databaseName))
      .map(({ targetId, name }) => ({ targetId, name }));
  }
}

/** Whether a store still has the database of a handle, and not only a later one of the same name. */
export const isKept = (
  { databaseName, serverAccessKey }: MockCloudDatabase | MockVuMarkDatabase,
  store: MemoryStore,
): boolean =>
  store.readNow({ key: ["serverAccessKey", serverAccessKey], answer: ofDatabase })?.database.databaseName ===
  databaseName;

/** A Model Target dataset at the moment when it was read. */
export interface MockDataset {
  /** Id in the API. */
  readonly uuid: string;
  /** Family of endpoints that serve it. */
  readonly datasetTypeName: DatasetTypeName;
  /** Processing status. */
  readonly status: DatasetStatus;
  /** When it was created. */
  readonly createdAt: Date;
}

export const mockDataset = (dataset: Dataset, now: number): MockDataset => ({
  uuid: dataset.uuid,
  datasetTypeName: dataset.datasetTypeName,
  status: datasetStatusAt(dataset, now),
  createdAt: new Date(dataset.createdAt),
});

/**
 * An active fault.
 *
 * @example
 * using fault = mock.addFault({ resetConnection: true });
 * expect(fault.timesApplied).toBe(1);
 */
export interface FaultHandle extends Disposable {
  /** How many requests the fault has been applied to; those of an isolated call count in that call only. */
  readonly timesApplied: number;
  /**
   * Removes the fault and answers the requests that it delays, also if it was used up; in an isolated call, for that call only.
   * Does nothing when it was already removed.
   */
  remove(): void;
}

/** Fields of a response that are often given to the fault itself. */
const ANSWER_FIELDS = ["status", "headers", "body", "resultCode"];

/**
 * Adds a fault.
 *
 * @param faults - those of the state that the caller sees: an isolated call has its own copy of each fault.
 * @param method - the public method: its caller is reported as where the fault was added.
 * @throws InvalidOptionError for an invalid field, or for a fault without any effect.
 */
export function createFault(
  faults: () => Faults,
  given: Fault,
  method: (fault: Fault) => FaultHandle,
): FaultHandle {
  for (const name of ANSWER_FIELDS)
    if (name in Object(given))
      throw new InvalidOptionError(`fault.${name}`, "a value", `response: { ${name} } instead`);
  const added = faults().add(checked("fault", fault, given), callerOf(method));
  const remove = () => void faults().delete(added.id);
  return {
    get timesApplied() {
      return faults().timesApplied(added.id) ?? added.applied;
    },
    remove,
    [Symbol.dispose]: remove,
  };
}
