import type { Random } from "../runtime/random.ts";
import type { CloudDatabase, RequestRateLimits, VuMarkDatabase } from "./database.ts";
import type { TemplateTarget } from "./target.ts";

/** Fields of a new record; what is absent or undefined gets its default. */
export type Given<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | undefined };

/** What a new cloud database may be given. */
export type NewCloudDatabase = Given<Omit<CloudDatabase, "kind">>;

/** What a new VuMark database may be given. */
export type NewVuMarkDatabase = Given<Omit<VuMarkDatabase, "kind">>;

/** What a new template target may be given; its name it needs. */
export type NewTemplateTarget = Given<TemplateTarget> & Pick<TemplateTarget, "name">;

/** Rate limits of databases that are added without their own. */
export interface DefaultLimits {
  readonly requestsPerSecondLimit: number | null;
  readonly requestRateLimits: RequestRateLimits | null;
}

const NO_LIMITS: DefaultLimits = { requestsPerSecondLimit: null, requestRateLimits: null };
const GENERATED_HEX_DIGITS = 32;

/**
 * A cloud database with the defaults of protocol section 10: a free license's quotas, no rate limits, generated id,
 * name and keys.
 *
 * @param limits - the limits of a database for which none are given; null given means none.
 */
export function newCloudDatabase(
  given: NewCloudDatabase,
  random: Random,
  limits: DefaultLimits = NO_LIMITS,
): CloudDatabase {
  const generated = () => random.hex(GENERATED_HEX_DIGITS);
  const { requestsPerSecondLimit = limits.requestsPerSecondLimit } = given;
  const { requestRateLimits = limits.requestRateLimits } = given;
  return {
    kind: "cloud",
    id: given.id ?? generated(),
    name: given.name ?? generated(),
    serverAccessKey: given.serverAccessKey ?? generated(),
    serverSecretKey: given.serverSecretKey ?? generated(),
    clientAccessKey: given.clientAccessKey ?? generated(),
    clientSecretKey: given.clientSecretKey ?? generated(),
    state: given.state ?? "WORKING",
    typeName: given.typeName ?? "CLOUD_RECO",
    requestQuota: given.requestQuota ?? 100_000,
    recoThreshold: given.recoThreshold ?? 1000,
    currentMonthRecos: given.currentMonthRecos ?? 0,
    previousMonthRecos: given.previousMonthRecos ?? 0,
    totalRecos: given.totalRecos ?? 0,
    targetQuota: given.targetQuota ?? 1000,
    requestsPerSecondLimit,
    requestRateLimits,
  };
}

/** A VuMark database with the defaults of protocol section 6: generated name and keys. */
export function newVuMarkDatabase(given: NewVuMarkDatabase, random: Random): VuMarkDatabase {
  const generated = () => random.hex(GENERATED_HEX_DIGITS);
  return {
    kind: "vumark",
    name: given.name ?? generated(),
    serverAccessKey: given.serverAccessKey ?? generated(),
    serverSecretKey: given.serverSecretKey ?? generated(),
    state: given.state ?? "WORKING",
  };
}

/** A template target, uploaded now unless said otherwise and, by default, processed at once. */
export function newTemplateTarget(given: NewTemplateTarget, random: Random, now: number): TemplateTarget {
  const uploadedAt = given.uploadedAt ?? now;
  return {
    id: given.id ?? random.hex(GENERATED_HEX_DIGITS),
    name: given.name,
    processingTimeSeconds: given.processingTimeSeconds ?? 0,
    uploadedAt,
    modifiedAt: given.modifiedAt ?? uploadedAt,
    processed: given.processed ?? false,
  };
}
