import * as z from "zod/mini";
import { seededTarget, TARGET_NAMES, targetView } from "./target.ts";
import { optional, record, withoutUndefined } from "./zod/record.ts";
import { aboveZero, key, kind, list, oneOf, orNull, pathName, wholeNumber } from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/** The four states of a database. */
export const DATABASE_STATES = [
  "WORKING",
  "PROJECT_INACTIVE",
  "PROJECT_SUSPENDED",
  "PROJECT_HAS_NO_API_ACCESS",
] as const;
/** The state of a database. States other than `WORKING` refuse some or all requests. */
export type DatabaseState = (typeof DATABASE_STATES)[number];

/** At most `maxRequests` accepted requests in any `windowSeconds`; under `vuforia`, in each minute or longer window of the clock. */
export interface RequestRateLimit {
  /** 0 or more. */
  readonly maxRequests: number;
  /** Length of the window in seconds, above 0. */
  readonly windowSeconds: number;
}

/** Groups of endpoints with a rate limit; a group whose limit is null counts towards `other`. */
export interface RequestRateLimits {
  /** All endpoints without a limit of their own. */
  readonly other: RequestRateLimit | null;
  /** `GET /targets/{id}`. */
  readonly getTarget: RequestRateLimit | null;
  /** `GET /duplicates/{id}`. */
  readonly getDuplicates: RequestRateLimit | null;
  /** `GET /targets`. */
  readonly listTargets: RequestRateLimit | null;
}

/** The limits that the real service documents; none applies by default. */
export const DOCUMENTED_REQUEST_RATE_LIMITS: RequestRateLimits = Object.freeze({
  other: Object.freeze({ maxRequests: 15, windowSeconds: 1 }),
  getTarget: Object.freeze({ maxRequests: 45, windowSeconds: 1 }),
  getDuplicates: Object.freeze({ maxRequests: 10, windowSeconds: 1 }),
  listTargets: Object.freeze({ maxRequests: 2, windowSeconds: 60 }),
});

/** Fields of a cloud database that can be changed. */
export interface DatabaseChanges {
  /** Default `WORKING`. */
  readonly stateName?: DatabaseState;
  /** Requests that the license allows; 0 refuses every request, except queries. Default 100000. */
  readonly requestQuota?: number;
  /** Recognitions that the license allows, as the summary shows them; 0 or more. Default 1000. */
  readonly recoThreshold?: number;
  /** Recognitions of this month, as the summary shows them; 0 or more. Default 0. */
  readonly currentMonthRecos?: number;
  /** Recognitions of the previous month; 0 or more. Default 0. */
  readonly previousMonthRecos?: number;
  /** Recognitions of all time; 0 or more. Default 0. */
  readonly totalRecos?: number;
  /** Targets that the database may hold. Default 1000. */
  readonly targetQuota?: number;
  /** Requests of the target API per second, over all endpoints; null: no limit. Queries are never limited. */
  readonly requestsPerSecondLimit?: number | null;
  /** Limits by group of endpoints of the target API; a group that is null or not given counts towards `other`. */
  readonly requestRateLimits?: Partial<RequestRateLimits> | null;
}

/** Fields of a new cloud database; keys, name and id are generated when not given. */
export interface CloudDatabaseFields extends DatabaseChanges {
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseId?: string;
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseName?: string;
  /** Sent with target API requests. Unique; default: 32 hexadecimal digits. */
  readonly serverAccessKey?: string;
  /** Signs target API requests. Unique; default: 32 hexadecimal digits. */
  readonly serverSecretKey?: string;
  /** Sent with queries. Unique; default: 32 hexadecimal digits. */
  readonly clientAccessKey?: string;
  /** Signs queries. Unique; default: 32 hexadecimal digits. */
  readonly clientSecretKey?: string;
  /** The only type. */
  readonly databaseTypeName?: "CLOUD_RECO";
}

const identity = {
  databaseId: pathName,
  databaseName: pathName,
  serverAccessKey: key,
  serverSecretKey: key,
  clientAccessKey: key,
  clientSecretKey: key,
};
const typeName = oneOf("CLOUD_RECO");

export const stateName = oneOf(...DATABASE_STATES);

/** Null, or limits; those that are not given are null. */
export const requestRateLimits = z.lazy(() => {
  const limit = orNull(record<RequestRateLimit>({ maxRequests: wholeNumber, windowSeconds: aboveZero }));
  const groups = { other: limit, getTarget: limit, getDuplicates: limit, listTargets: limit };
  return orNull(
    record<RequestRateLimits>(
      optional(groups, { other: null, getTarget: null, getDuplicates: null, listTargets: null }),
    ),
  );
});
export const requestsPerSecondLimit = orNull(wholeNumber);

const allowances = {
  requestQuota: wholeNumber,
  recoThreshold: wholeNumber,
  currentMonthRecos: wholeNumber,
  previousMonthRecos: wholeNumber,
  totalRecos: wholeNumber,
  targetQuota: wholeNumber,
  requestsPerSecondLimit,
  requestRateLimits,
};

const DEFAULTS = {
  stateName: "WORKING",
  databaseTypeName: "CLOUD_RECO",
  requestQuota: 100_000,
  recoThreshold: 1000,
  currentMonthRecos: 0,
  previousMonthRecos: 0,
  totalRecos: 0,
  targetQuota: 1000,
} as const;

/** A cloud recognition database: keys, quotas and counts. Its targets are stored separately. */
export interface CloudDatabase extends Required<CloudDatabaseFields> {
  readonly kind: "cloud";
  readonly requestRateLimits: RequestRateLimits | null;
}

/** The fields of a database that can change after it was added. */
export type ChangeableFields = Pick<CloudDatabase, keyof DatabaseChanges>;

export type NewCloudDatabase = Partial<Omit<CloudDatabase, "kind">>;

const fields = { ...identity, stateName, databaseTypeName: typeName, ...allowances };
export const DATABASE_FIELDS: readonly string[] = Object.keys(fields);

export const newCloudDatabaseFields = z.lazy(() => record<NewCloudDatabase>(optional(fields)));
export const databaseChanges = z.lazy(() =>
  record<Partial<ChangeableFields>>(optional({ stateName, ...allowances })),
);

export const cloudDatabaseRecord = z.lazy(() => record<CloudDatabase>({ kind: oneOf("cloud"), ...fields }));

/** As the target manager returns it. */
export const cloudDatabaseJson = wireForm(
  z.lazy(() =>
    record({
      ...identity,
      stateName,
      databaseTypeName: typeName,
      targets: list(targetView),
      ...allowances,
    }),
  ),
  { names: TARGET_NAMES },
);

/** `POST /cloud_databases`: a new database is empty, whatever `targets` holds. */
export const postedCloudDatabase = wireForm(
  z.lazy(() => record<NewCloudDatabase>(optional(fields, DEFAULTS))),
  { resource: cloudDatabaseJson },
);

export const seededCloudDatabase = z.lazy(() => {
  const targets = kind("a list of targets", list(seededTarget));
  return record(optional({ ...fields, targets }));
});

/** `PUT /cloud_databases/{database_name}`. */
export const putCloudDatabase = wireForm(databaseChanges, { resource: cloudDatabaseJson });

/** Rate limits of databases that are added without limits. */
export type DefaultLimits = Pick<CloudDatabase, "requestsPerSecondLimit" | "requestRateLimits">;

const NO_LIMITS: DefaultLimits = { requestsPerSecondLimit: null, requestRateLimits: null };

export interface HexSource {
  hex(digits: number): string;
}

/** Creates a cloud database with the quotas of a free license. A given limit of null overrides the default limits. */
export function newCloudDatabase(
  given: NewCloudDatabase,
  random: HexSource,
  { requestsPerSecondLimit, requestRateLimits }: DefaultLimits = NO_LIMITS,
): CloudDatabase {
  const generated = () => random.hex(32);
  return {
    ...DEFAULTS,
    requestsPerSecondLimit,
    requestRateLimits,
    ...withoutUndefined(given),
    kind: "cloud",
    databaseId: given.databaseId ?? generated(),
    databaseName: given.databaseName ?? generated(),
    serverAccessKey: given.serverAccessKey ?? generated(),
    serverSecretKey: given.serverSecretKey ?? generated(),
    clientAccessKey: given.clientAccessKey ?? generated(),
    clientSecretKey: given.clientSecretKey ?? generated(),
  };
}
