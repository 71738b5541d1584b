import {
  type CloudDatabase,
  DATABASE_STATES,
  type DatabaseSettings,
  type DatabaseState,
  type RequestRateLimits,
} from "./domain/database.ts";
import type { NewCloudDatabase } from "./domain/new-database.ts";
import {
  type Acceptable,
  checkShape,
  oneOf,
  orNull,
  type Shape,
  seconds,
  someText,
  wholeNumber,
} from "./option-values.ts";
import { requestRateLimitsShape } from "./options.ts";

/** Fields of a cloud database that may change while it is used (protocol section 10). */
export interface DatabaseChanges {
  /** Default `WORKING`. */
  readonly stateName?: DatabaseState;
  /** Requests that the license allows; 0 refuses every request. Default 100000. */
  readonly requestQuota?: number;
  /** Targets that the database may hold. Default 1000. */
  readonly targetQuota?: number;
  /** Recognitions that the license allows, as the summary shows it; 0 or more. Default 1000. */
  readonly recoThreshold?: number;
  /** Recognitions of this month, as the summary shows them; 0 or more. Default 0. */
  readonly currentMonthRecos?: number;
  /** Recognitions of the previous month; 0 or more. Default 0. */
  readonly previousMonthRecos?: number;
  /** Recognitions of all time; 0 or more. Default 0. */
  readonly totalRecos?: number;
  /** Requests per second over all endpoints; null: no limit. */
  readonly requestsPerSecondLimit?: number | null;
  /** Limits by group of endpoints; a group that is null or not given falls into `other`. */
  readonly requestRateLimits?: Partial<RequestRateLimits> | null;
}

/** Fields of a new cloud database; keys, name and id are generated when not given. */
export interface CloudDatabaseFields extends DatabaseChanges {
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseId?: string;
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseName?: string;
  /** Names the keys that sign target API requests. Unique; default: 32 hexadecimal digits. */
  readonly serverAccessKey?: string;
  /** Signs target API requests. Unique; default: 32 hexadecimal digits. */
  readonly serverSecretKey?: string;
  /** Names the keys that sign queries. Unique; default: 32 hexadecimal digits. */
  readonly clientAccessKey?: string;
  /** Signs queries. Unique; default: 32 hexadecimal digits. */
  readonly clientSecretKey?: string;
  /** Default `CLOUD_RECO`. */
  readonly databaseTypeName?: string;
}

/** Fields of a new VuMark database. */
export interface VuMarkDatabaseFields {
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseName?: string;
  /** Names the keys that sign instance requests. Unique; default: 32 hexadecimal digits. */
  readonly serverAccessKey?: string;
  /** Signs instance requests. Unique; default: 32 hexadecimal digits. */
  readonly serverSecretKey?: string;
  /** Default `WORKING`. */
  readonly stateName?: DatabaseState;
  /** Template targets that it begins with. */
  readonly targets?: readonly TemplateTargetFields[];
}

/** Fields of a new template (VuMark) target. */
export interface TemplateTargetFields {
  /** At least one character. */
  readonly name: string;
  /** Default: 32 hexadecimal digits. */
  readonly targetId?: string;
  /** Default 0: processed at once. */
  readonly processingTimeSeconds?: number;
}

const changeFields: Readonly<Record<keyof DatabaseChanges, Acceptable | Shape>> = {
  stateName: oneOf(...DATABASE_STATES),
  requestQuota: wholeNumber(),
  targetQuota: wholeNumber(),
  recoThreshold: wholeNumber(),
  currentMonthRecos: wholeNumber(),
  previousMonthRecos: wholeNumber(),
  totalRecos: wholeNumber(),
  requestsPerSecondLimit: orNull(wholeNumber()),
  requestRateLimits: requestRateLimitsShape,
};
const keyFields = { databaseName: someText, serverAccessKey: someText, serverSecretKey: someText };
const cloudFields: Readonly<Record<keyof CloudDatabaseFields, Acceptable | Shape>> = {
  ...changeFields,
  ...keyFields,
  databaseId: someText,
  clientAccessKey: someText,
  clientSecretKey: someText,
  databaseTypeName: someText,
};

/** @throws InvalidOptionError naming the field. */
export function databaseSettings(fields: DatabaseChanges): Partial<DatabaseSettings> {
  checkShape("database", fields, { fields: changeFields });
  return settingsOf(fields);
}

/** @throws InvalidOptionError naming the field. */
export function cloudDatabase(fields: CloudDatabaseFields): NewCloudDatabase {
  checkShape("database", fields, { fields: cloudFields });
  const { databaseId: id, databaseName: name, databaseTypeName: typeName, ...rest } = fields;
  const { serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey } = rest;
  return {
    ...settingsOf(fields),
    id,
    name,
    typeName,
    serverAccessKey,
    serverSecretKey,
    clientAccessKey,
    clientSecretKey,
  };
}

/** @throws InvalidOptionError naming the field. */
export function checkVuMarkDatabase({ targets = [], ...fields }: VuMarkDatabaseFields): void {
  checkShape("database", fields, { fields: { ...keyFields, stateName: oneOf(...DATABASE_STATES) } });
  for (const [index, target] of targets.entries()) {
    checkShape(`database.targets[${index}]`, target, {
      fields: { name: someText, targetId: someText, processingTimeSeconds: seconds },
      required: ["name"],
    });
  }
}

function settingsOf({ stateName, requestRateLimits, ...fields }: DatabaseChanges): Partial<DatabaseSettings> {
  const { requestQuota, targetQuota, recoThreshold, currentMonthRecos, previousMonthRecos, totalRecos } =
    fields;
  const given = {
    state: stateName,
    requestQuota,
    targetQuota,
    recoThreshold,
    currentMonthRecos,
    previousMonthRecos,
    totalRecos,
    requestsPerSecondLimit: fields.requestsPerSecondLimit,
    requestRateLimits: requestRateLimits && { ...NO_LIMITS, ...requestRateLimits },
  };
  return withoutUndefined(given);
}

const NO_LIMITS: RequestRateLimits = { other: null, getTarget: null, getDuplicates: null, listTargets: null };

/** What was not given stays as it is. */
function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in value) {
    const field = value[key];
    if (isDefined(field)) given[key] = field;
  }
  return given;
}

const isDefined = <T>(value: T): value is Exclude<T, undefined> => value !== undefined;

/** The keys of a database, as signing wants them. */
export type DatabaseKeys = Pick<
  CloudDatabase,
  "serverAccessKey" | "serverSecretKey" | "clientAccessKey" | "clientSecretKey"
>;
