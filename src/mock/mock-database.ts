import type { CloudDatabase, DatabaseState, RequestRateLimits } from "../schema/cloud-database.ts";
import { ratingAt, statusAt, type Target, type TargetStatus, whyNotFound } from "../schema/target.ts";
import type { VuMarkDatabase } from "../schema/vumark-database.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/** A target as it is now. */
export interface MockTarget {
  /** As the API gives it. */
  readonly targetId: string;
  /** Unique among the undeleted targets of the database. */
  readonly name: string;
  /** Width in scene units. */
  readonly width: number;
  /** Inactive targets are not found. */
  readonly activeFlag: boolean;
  /** Metadata as it was sent (base64), or null. */
  readonly applicationMetadata: string | null;
  /** At the moment of reading. */
  readonly status: TargetStatus;
  /** -1 in the first half of processing, then 0 to 5. */
  readonly trackingRating: number;
  /** Why no query finds it now, in words; undefined when one may. */
  readonly whyNotFound: string | undefined;
  /** When it was added; never changes. */
  readonly uploadDate: Date;
  /** When it was added or last updated. */
  readonly lastModifiedDate: Date;
  /** As set by `setRecognitionCounts`; never counted. */
  readonly currentMonthRecos: number;
  /** As set by `setRecognitionCounts`; never counted. */
  readonly previousMonthRecos: number;
  /** As set by `setRecognitionCounts`; never counted. */
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
    whyNotFound: obstacle && obstacle.why + obstacle.detail,
    uploadDate: new Date(target.uploadDate),
    lastModifiedDate: new Date(target.lastModifiedDate),
    currentMonthRecos: target.currentMonthRecos,
    previousMonthRecos: target.previousMonthRecos,
    totalRecos: target.totalRecos,
  };
}

/**
 * A cloud database of a mock: its keys, and a live view of its state. Made by `mock.addCloudDatabase`.
 *
 * @example
 * const database = mock.addCloudDatabase({ targetQuota: 10 });
 * database.targets.map(({ name, status }) => `${name}: ${status}`);
 */
export class MockCloudDatabase {
  /** Names the database in report requests. */
  readonly databaseId: string;
  /** Unique among all databases. */
  readonly databaseName: string;
  /** Names the keys that sign target API requests. */
  readonly serverAccessKey: string;
  /** Signs target API requests. */
  readonly serverSecretKey: string;
  /** Names the keys that sign queries. */
  readonly clientAccessKey: string;
  /** Signs queries. */
  readonly clientSecretKey: string;
  /** `CLOUD_RECO` unless it was given. */
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

  /** Undeleted targets, newest state, in order of creation. Empty when the database is gone. */
  get targets(): readonly MockTarget[] {
    const now = this.#now();
    return this.#store()
      .listTargets(this.databaseName)
      .map((target) => mockTarget(target, now));
  }

  /** The state now; throws an Error when the database was deleted, as the next ones do. */
  get stateName(): DatabaseState {
    return this.#current.stateName;
  }
  /** Requests that the license allows; at 0 every request is refused. */
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
  /** Recognitions of this month, as set. */
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
  /** Requests per second over all endpoints; null: no limit. */
  get requestsPerSecondLimit(): number | null {
    return this.#current.requestsPerSecondLimit;
  }
  /** Limits by group of endpoints; null: none. */
  get requestRateLimits(): RequestRateLimits | null {
    return this.#current.requestRateLimits;
  }

  get #current(): CloudDatabase {
    const database = this.#store().findDatabaseByName(this.databaseName);
    if (database?.kind !== "cloud") throw new Error(`the database "${this.databaseName}" was deleted`);
    return database;
  }
}

/**
 * A VuMark database of a mock. Made by `mock.addVuMarkDatabase`.
 *
 * @example
 * const { targets } = mock.addVuMarkDatabase({ targets: [{ name: "label" }] });
 */
export class MockVuMarkDatabase {
  /** Unique among all databases. */
  readonly databaseName: string;
  /** Names the keys that sign instance requests. */
  readonly serverAccessKey: string;
  /** Signs instance requests. */
  readonly serverSecretKey: string;
  readonly #store: () => MemoryStore;

  /** @internal */
  constructor(database: VuMarkDatabase, store: () => MemoryStore) {
    this.databaseName = database.databaseName;
    this.serverAccessKey = database.serverAccessKey;
    this.serverSecretKey = database.serverSecretKey;
    this.#store = store;
  }

  /** Template targets, in the order in which they were added. */
  get targets(): readonly {
    /** As the API gives it. */
    readonly targetId: string;
    /** As it was named. */
    readonly name: string;
  }[] {
    return this.#store()
      .listTemplateTargets(this.databaseName)
      .map(({ targetId: id, name }) => ({ targetId: id, name }));
  }
}
