import type { ClientCredential } from "../domain/credential.ts";
import {
  type CloudDatabase,
  DATABASE_STATES,
  type Database,
  type DatabaseSettings,
  type RequestRateLimits,
  type VuMarkDatabase,
} from "../domain/database.ts";
import type { Dataset, GenerationWarning } from "../domain/dataset.ts";
import type { Report } from "../domain/report.ts";
import type {
  RecognitionCounts,
  Target,
  TargetImage,
  TargetStatus,
  TemplateTarget,
} from "../domain/target.ts";
import {
  eitherOf,
  exactly,
  type Guard,
  isBoolean,
  isNumber,
  isObject,
  isText,
  listOf,
  nullOr,
  objectOf,
  partOf,
} from "./record-guards.ts";
import type { Conflict, NewTarget, RateRule, TargetChanges } from "./store.ts";

/*
 * Records as JSON and back, without loss: what snapshots keep and what the servers send each other. Every record is
 * plain data already, but for a target's image, which is named by its hash and kept or sent separately.
 */

/** A target with its image's SHA-256 in place of the image. */
export type TargetRecord = Omit<Target, "image"> & { readonly image: string };

const limit = nullOr(objectOf({ maxRequests: isNumber, windowSeconds: isNumber }));

export const isRequestRateLimits: Guard<RequestRateLimits> = objectOf({
  other: limit,
  getTarget: limit,
  getDuplicates: limit,
  listTargets: limit,
});

const settings = {
  state: exactly(...DATABASE_STATES),
  requestQuota: isNumber,
  targetQuota: isNumber,
  recoThreshold: isNumber,
  currentMonthRecos: isNumber,
  previousMonthRecos: isNumber,
  totalRecos: isNumber,
  requestsPerSecondLimit: nullOr(isNumber),
  requestRateLimits: nullOr(isRequestRateLimits),
};

export const isDatabaseChanges: Guard<Partial<DatabaseSettings>> = partOf(settings);

export const isCloudDatabaseRecord: Guard<CloudDatabase> = objectOf({
  ...settings,
  kind: exactly("cloud"),
  id: isText,
  name: isText,
  serverAccessKey: isText,
  serverSecretKey: isText,
  clientAccessKey: isText,
  clientSecretKey: isText,
  typeName: isText,
});

export const isVuMarkDatabaseRecord: Guard<VuMarkDatabase> = objectOf({
  kind: exactly("vumark"),
  name: isText,
  serverAccessKey: isText,
  serverSecretKey: isText,
  state: exactly(...DATABASE_STATES),
});

export const isDatabaseRecord: Guard<Database> = eitherOf(isCloudDatabaseRecord, isVuMarkDatabaseRecord);

export const isTargetRecord: Guard<TargetRecord> = objectOf({
  id: isText,
  name: isText,
  width: isNumber,
  image: isText,
  active: isBoolean,
  metadata: nullOr(isText),
  processingTimeSeconds: isNumber,
  uploadedAt: isNumber,
  sequence: isNumber,
  modifiedAt: isNumber,
  deletedAt: nullOr(isNumber),
  outcome: exactly("success", "failed"),
  rating: isNumber,
  processed: isBoolean,
  rated: isBoolean,
  currentMonthRecos: isNumber,
  previousMonthRecos: isNumber,
  totalRecos: isNumber,
});

export const isTemplateTargetRecord: Guard<TemplateTarget> = objectOf({
  id: isText,
  name: isText,
  processingTimeSeconds: isNumber,
  uploadedAt: isNumber,
  modifiedAt: isNumber,
  processed: isBoolean,
});

export const isReportRecord: Guard<Report> = objectOf({
  databaseId: isText,
  file: isText,
  rows: listOf(objectOf({ targetId: isText, count: isNumber })),
  requestedAt: isNumber,
  processingTimeSeconds: isNumber,
  processed: isBoolean,
});

const isWarning: Guard<GenerationWarning> = objectOf({ message: isText, details: listOf(isObject) });

export const isDatasetRecord: Guard<Dataset> = objectOf({
  uuid: isText,
  family: exactly("STANDARD", "ADVANCED"),
  requestBody: isObject,
  createdAt: isNumber,
  processingTimeSeconds: isNumber,
  failureMessage: nullOr(isText),
  warning: nullOr(isWarning),
  processed: isBoolean,
});

export const isCredentialRecord: Guard<ClientCredential> = objectOf({
  clientId: isText,
  clientSecret: isText,
  scopes: listOf(isText),
});

/** A target to create, whose image comes separately. */
export const isNewTargetRecord: Guard<Omit<NewTarget, "image">> = objectOf({
  id: isText,
  name: isText,
  width: isNumber,
  active: isBoolean,
  metadata: nullOr(isText),
  processingTimeSeconds: isNumber,
  processed: isBoolean,
});

/** Changes of a target; `newImage`: an image comes separately. */
export type TargetChangesRecord = Omit<TargetChanges, "image"> & { readonly newImage: boolean };

const isTargetChanges: Guard<Omit<TargetChanges, "image">> = partOf({
  name: isText,
  width: isNumber,
  active: isBoolean,
  metadata: nullOr(isText),
});

export const isTargetChangesRecord: Guard<TargetChangesRecord> = (value): value is TargetChangesRecord =>
  objectOf({ newImage: isBoolean })(value) && isTargetChanges(value);

export const isCountChanges: Guard<Partial<RecognitionCounts>> = partOf({
  currentMonthRecos: isNumber,
  previousMonthRecos: isNumber,
  totalRecos: isNumber,
});

export const isTargetStatus: Guard<TargetStatus> = exactly("processing", "success", "failed");
export const isListOptions: Guard<{ deleted: boolean }> = objectOf({ deleted: isBoolean });
export const isRateRule: Guard<RateRule> = objectOf({
  key: isText,
  maxRequests: isNumber,
  windowSeconds: isNumber,
});
export const isConflict: Guard<Conflict> = objectOf({
  conflict: exactly("serverAccessKey", "serverSecretKey", "name", "clientAccessKey", "clientSecretKey", "id"),
  value: isText,
});

export const encodeTarget = (target: Target): TargetRecord => ({ ...target, image: target.image.sha256 });

/** @param imageOf - finds or loads the image with that SHA-256. */
export const decodeTarget = (record: TargetRecord, imageOf: (sha256: string) => TargetImage): Target => ({
  ...record,
  image: imageOf(record.image),
});

/** @throws TypeError when the value is not what it should be; it shows names only, for values may be secrets. */
export function decoded<T>(guard: Guard<T>, value: unknown, what: string): T {
  if (guard(value)) return value;
  const got = isObject(value)
    ? `an object with the fields ${Object.keys(value).join(", ") || "none"}`
    : `a value of type ${value === null ? "null" : typeof value}`;
  throw new TypeError(`expected ${what}, got ${got}`);
}

/** Marks what JSON has no word for, and texts that would look like that. */
const MARK = "\0";

/** JSON that keeps every number: infinities, not-a-number and negative zero too. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "number" && (!Number.isFinite(inner) || Object.is(inner, -0))) {
      return `${MARK}${Object.is(inner, -0) ? "-0" : inner}`;
    }
    return typeof inner === "string" && inner.startsWith(MARK) ? MARK + inner : inner;
  });
}

/**
 * What {@link toText} was given.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function fromText(text: string): unknown {
  // Without any escaped mark there is nothing to restore, and parsing stays fast.
  if (!text.includes("\\u0000")) return JSON.parse(text);
  return JSON.parse(text, (_key, inner: unknown) => {
    if (typeof inner !== "string" || !inner.startsWith(MARK)) return inner;
    const rest = inner.slice(1);
    return rest.startsWith(MARK) ? rest : Number(rest);
  });
}
