export type { RecognitionCountChanges, TargetFields } from "./added-target.ts";
export { MissingSchemeError } from "./base-url.ts";
export type {
  CloudDatabaseFields,
  DatabaseChanges,
  TemplateTargetFields,
  VuMarkDatabaseFields,
} from "./database-fields.ts";
export {
  type DatabaseState,
  DOCUMENTED_REQUEST_RATE_LIMITS,
  type RequestRateLimit,
  type RequestRateLimits,
} from "./domain/database.ts";
export type { TargetStatus } from "./domain/target.ts";
export type { Fault, FaultHandle, ResultCodeAnswer } from "./fault-fields.ts";
export type { FaultRequest } from "./faults/fault-rule.ts";
export {
  createStructuralSimilarityMatcher,
  exactMatcher,
  type ImageMatcher,
  type MappedImage,
  type MatchedTarget,
  mappingMatcher,
  structuralSimilarityMatcher,
} from "./images/matchers.ts";
export { brisqueRater, fixedRater, perfectRater, randomRater, type TargetRater } from "./images/raters.ts";
export { MockCloudReco } from "./mock-cloud-reco.ts";
export type { MockCloudDatabase, MockTarget, MockVuMarkDatabase } from "./mock-database.ts";
export { InvalidOptionError } from "./option-values.ts";
export type { MockCloudRecoOptions } from "./options.ts";
export type { ProfileName } from "./profiles.ts";
export type { RequestFilter } from "./request-filter.ts";
export type { ResultCode } from "./responses/result-codes.ts";
export { type Clock, systemClock } from "./runtime/clock.ts";
export { formatJournal } from "./runtime/format-journal.ts";
export type { ArrivedRequest, ConsideredTarget, JournalEntry, JournalEvents } from "./runtime/journal.ts";
export { ManualClock } from "./runtime/manual-clock.ts";
export type { Operation, Service } from "./runtime/operation.ts";
export type { Random } from "./runtime/random.ts";
export type { ConfiguredResponse, InstanceFailure, ModelTargetPhase } from "./services.ts";
export { authorizationHeader, rfc1123Date, type SignedParts, type SigningKeys } from "./signing.ts";
export { InvalidSnapshotError } from "./store/snapshot.ts";
export type { Snapshot } from "./store/state.ts";
