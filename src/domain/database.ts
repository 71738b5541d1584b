/** The four states of a database (protocol section 10). */
export const DATABASE_STATES = [
  "WORKING",
  "PROJECT_INACTIVE",
  "PROJECT_SUSPENDED",
  "PROJECT_HAS_NO_API_ACCESS",
] as const;
/** The state of a database; any but `WORKING` refuses requests (protocol section 4). */
export type DatabaseState = (typeof DATABASE_STATES)[number];

/** At most `maxRequests` accepted requests in any `windowSeconds`. */
export interface RequestRateLimit {
  /** 0 or more. */
  readonly maxRequests: number;
  /** Length of the rolling window in seconds, above 0. */
  readonly windowSeconds: number;
}

/** The groups of endpoints that a rate limit can be set for; a group whose own limit is null falls into `other`. */
export interface RequestRateLimits {
  /** All endpoints that have no limit of their own. */
  readonly other: RequestRateLimit | null;
  /** `GET /targets/{id}`. */
  readonly getTarget: RequestRateLimit | null;
  /** `GET /duplicates/{id}`. */
  readonly getDuplicates: RequestRateLimit | null;
  /** `GET /targets`. */
  readonly listTargets: RequestRateLimit | null;
}

/** The limits that the real service documents; none applies by default (protocol section 4). */
export const DOCUMENTED_REQUEST_RATE_LIMITS: RequestRateLimits = Object.freeze({
  other: Object.freeze({ maxRequests: 15, windowSeconds: 1 }),
  getTarget: Object.freeze({ maxRequests: 45, windowSeconds: 1 }),
  getDuplicates: Object.freeze({ maxRequests: 10, windowSeconds: 1 }),
  listTargets: Object.freeze({ maxRequests: 2, windowSeconds: 60 }),
});

/** What of a cloud database may change while it is used. */
export interface DatabaseSettings {
  readonly state: DatabaseState;
  readonly requestQuota: number;
  readonly targetQuota: number;
  readonly recoThreshold: number;
  readonly currentMonthRecos: number;
  readonly previousMonthRecos: number;
  readonly totalRecos: number;
  readonly requestsPerSecondLimit: number | null;
  readonly requestRateLimits: RequestRateLimits | null;
}

/** A cloud recognition database: keys, quotas and counts; its targets are kept beside it. */
export interface CloudDatabase extends DatabaseSettings {
  readonly kind: "cloud";
  readonly id: string;
  readonly name: string;
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
  readonly typeName: string;
}

/** A VuMark (template) database. Its name is its id. */
export interface VuMarkDatabase {
  readonly kind: "vumark";
  readonly name: string;
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly state: DatabaseState;
}

export type Database = CloudDatabase | VuMarkDatabase;

export const isCloudDatabase = (database: Database): database is CloudDatabase => database.kind === "cloud";
export const isAnyDatabase = (_database: Database): _database is Database => true;
