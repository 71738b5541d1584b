import type { CloudDatabase, DatabaseState, RequestRateLimits, VuMarkDatabase } from "./domain/database.ts";
import { ratingAt, statusAt, type Target, type TargetStatus } from "./domain/target.ts";
import type { Clock } from "./runtime/clock.ts";
import type { MemoryStore } from "./store/memory-store.ts";

/** A target as it is now. */
export interface MockTarget {
  readonly targetId: string;
  readonly name: string;
  /** Width in scene units. */
  readonly width: number;
  readonly activeFlag: boolean;
  /** Metadata as it was sent (base64), or null. */
  readonly applicationMetadata: string | null;
  readonly status: TargetStatus;
  /** -1 in the first half of processing, then 0 to 5. */
  readonly trackingRating: number;
  readonly uploadDate: Date;
  readonly lastModifiedDate: Date;
  readonly currentMonthRecos: number;
  readonly previousMonthRecos: number;
  readonly totalRecos: number;
}

export function mockTarget(target: Target, now: number): MockTarget {
  return {
    targetId: target.id,
    name: target.name,
    width: target.width,
    activeFlag: target.active,
    applicationMetadata: target.metadata,
    status: statusAt(target, now),
    trackingRating: ratingAt(target, now),
    uploadDate: new Date(target.uploadedAt),
    lastModifiedDate: new Date(target.modifiedAt),
    currentMonthRecos: target.currentMonthRecos,
    previousMonthRecos: target.previousMonthRecos,
    totalRecos: target.totalRecos,
  };
}

/** A cloud database of a mock: its keys, and a live view of its state. Made by `mock.addCloudDatabase`. */
export class MockCloudDatabase {
  readonly databaseId: string;
  readonly databaseName: string;
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
  readonly databaseTypeName: string;
  readonly #store: () => MemoryStore;
  readonly #clock: Clock;

  /** @internal */
  constructor(database: CloudDatabase, store: () => MemoryStore, clock: Clock) {
    this.databaseId = database.id;
    this.databaseName = database.name;
    this.serverAccessKey = database.serverAccessKey;
    this.serverSecretKey = database.serverSecretKey;
    this.clientAccessKey = database.clientAccessKey;
    this.clientSecretKey = database.clientSecretKey;
    this.databaseTypeName = database.typeName;
    this.#store = store;
    this.#clock = clock;
  }

  /** Undeleted targets, newest state, in order of creation. Empty when the database is gone. */
  get targets(): readonly MockTarget[] {
    const now = this.#clock.now().getTime();
    return this.#store()
      .listTargets(this.databaseName)
      .map((target) => mockTarget(target, now));
  }

  get stateName(): DatabaseState {
    return this.#current.state;
  }
  get requestQuota(): number {
    return this.#current.requestQuota;
  }
  get targetQuota(): number {
    return this.#current.targetQuota;
  }
  get recoThreshold(): number {
    return this.#current.recoThreshold;
  }
  get currentMonthRecos(): number {
    return this.#current.currentMonthRecos;
  }
  get previousMonthRecos(): number {
    return this.#current.previousMonthRecos;
  }
  get totalRecos(): number {
    return this.#current.totalRecos;
  }
  get requestsPerSecondLimit(): number | null {
    return this.#current.requestsPerSecondLimit;
  }
  get requestRateLimits(): RequestRateLimits | null {
    return this.#current.requestRateLimits;
  }

  get #current(): CloudDatabase {
    const database = this.#store().findDatabaseByName(this.databaseName);
    if (database?.kind !== "cloud") throw new Error(`the database "${this.databaseName}" was deleted`);
    return database;
  }
}

/** A VuMark database of a mock. Made by `mock.addVuMarkDatabase`. */
export class MockVuMarkDatabase {
  readonly databaseName: string;
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly #store: () => MemoryStore;

  /** @internal */
  constructor(database: VuMarkDatabase, store: () => MemoryStore) {
    this.databaseName = database.name;
    this.serverAccessKey = database.serverAccessKey;
    this.serverSecretKey = database.serverSecretKey;
    this.#store = store;
  }

  /** Template targets, in the order in which they were added. */
  get targets(): readonly { readonly targetId: string; readonly name: string }[] {
    return this.#store()
      .listTemplateTargets(this.databaseName)
      .map(({ id, name }) => ({ targetId: id, name }));
  }
}
