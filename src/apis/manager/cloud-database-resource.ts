import type { CloudDatabase, DatabaseSettings, RequestRateLimit } from "../../domain/database.ts";
import type { NewCloudDatabase } from "../../domain/new-database.ts";
import { withoutUndefined } from "../../domain/without-undefined.ts";
import { rateLimits, secretText, stateName, text, wholeNumber } from "./field-kinds.ts";
import { type Fields, nullable } from "./fields.ts";

/** A cloud database as the target manager shows it (protocol section 10). `targets` are target resources. */
export const cloudDatabaseResource = (database: CloudDatabase, targets: readonly object[]) => ({
  database_id: database.id,
  database_name: database.name,
  server_access_key: database.serverAccessKey,
  server_secret_key: database.serverSecretKey,
  client_access_key: database.clientAccessKey,
  client_secret_key: database.clientSecretKey,
  state_name: database.state,
  database_type_name: database.typeName,
  targets,
  request_quota: database.requestQuota,
  reco_threshold: database.recoThreshold,
  current_month_recos: database.currentMonthRecos,
  previous_month_recos: database.previousMonthRecos,
  total_recos: database.totalRecos,
  target_quota: database.targetQuota,
  requests_per_second_limit: database.requestsPerSecondLimit,
  request_rate_limits: database.requestRateLimits && {
    other: rateLimitResource(database.requestRateLimits.other),
    get_target: rateLimitResource(database.requestRateLimits.getTarget),
    get_duplicates: rateLimitResource(database.requestRateLimits.getDuplicates),
    list_targets: rateLimitResource(database.requestRateLimits.listTargets),
  },
});

const rateLimitResource = (limit: RequestRateLimit | null) =>
  limit ? { max_requests: limit.maxRequests, window_seconds: limit.windowSeconds } : null;

/** What a new cloud database is given; unknown keys and `targets` are ignored. */
export const readCloudDatabase = (fields: Fields): NewCloudDatabase => ({
  id: fields.optional("database_id", text),
  name: fields.optional("database_name", text),
  serverAccessKey: fields.optional("server_access_key", secretText),
  serverSecretKey: fields.optional("server_secret_key", secretText),
  clientAccessKey: fields.optional("client_access_key", secretText),
  clientSecretKey: fields.optional("client_secret_key", secretText),
  typeName: fields.optional("database_type_name", text),
  ...readDatabaseSettings(fields),
});

/** What of a cloud database may change while it is used. */
export const readDatabaseSettings = (fields: Fields): Partial<DatabaseSettings> =>
  withoutUndefined({
    state: fields.optional("state_name", stateName),
    requestQuota: fields.optional("request_quota", wholeNumber),
    recoThreshold: fields.optional("reco_threshold", wholeNumber),
    currentMonthRecos: fields.optional("current_month_recos", wholeNumber),
    previousMonthRecos: fields.optional("previous_month_recos", wholeNumber),
    totalRecos: fields.optional("total_recos", wholeNumber),
    targetQuota: fields.optional("target_quota", wholeNumber),
    requestsPerSecondLimit: fields.optional("requests_per_second_limit", nullable(wholeNumber)),
    requestRateLimits: fields.optional("request_rate_limits", nullable(rateLimits)),
  });
