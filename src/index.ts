export type { InstanceFailure, ModelTargetPhase } from "./core/apis/services.ts";
export { type Clock, ManualClock, systemClock } from "./core/emulator/clock.ts";
export type { JournalEntry, JournalEvents } from "./core/emulator/journal.ts";
export type { HeaderList } from "./core/emulator/message.ts";
export type { ProfileName } from "./core/emulator/profiles.ts";
export type { Random } from "./core/emulator/random.ts";
export type { RecordedBody, RecordedRequest, RecordedResponse } from "./core/emulator/recorded-message.ts";
export type { RequestFilter } from "./core/emulator/request-filter.ts";
export { authorizationHeader, rfc1123Date, type SignedParts } from "./core/emulator/signing.ts";
export type { ImageMatcher, MatchedTarget } from "./core/images/matching/comparison.ts";
export {
  createStructuralSimilarityMatcher,
  exactMatcher,
  mappingMatcher,
  structuralSimilarityMatcher,
} from "./core/images/matching/matchers.ts";
export {
  brisqueRater,
  fixedRater,
  perfectRater,
  randomRater,
} from "./core/images/on-demand.ts";
export type { TargetRater } from "./core/images/ratings/rating.ts";
export { MissingSchemeError } from "./core/schema/base-url.ts";
export type { Cause, CauseCode } from "./core/schema/causes/causes.ts";
export {
  type CloudDatabaseFields,
  type DatabaseChanges,
  type DatabaseState,
  DOCUMENTED_REQUEST_RATE_LIMITS,
  type RequestRateLimits,
} from "./core/schema/cloud-database.ts";
export type {
  TemplateTargetFields,
  VuMarkDatabaseChanges,
  VuMarkDatabaseFields,
} from "./core/schema/database.ts";
export type { DatabaseOrName, Fault, FaultRequest } from "./core/schema/fault.ts";
export type { ConfiguredResponse } from "./core/schema/fault-response.ts";
export type {
  ClientCredential,
  DatasetFields,
  DatasetStatus,
  DatasetTypeName,
  GenerationWarning,
} from "./core/schema/model-target.ts";
export type { TargetStatus } from "./core/schema/processing.ts";
export type { ApiName, Operation, ResultCode } from "./core/schema/protocol.ts";
export { InvalidSnapshotError, type Snapshot } from "./core/schema/snapshot.ts";
export type { RecognitionCountChanges, TargetFields, TargetUpdates } from "./core/schema/target.ts";
export { InvalidOptionError } from "./core/schema/zod/problems.ts";
export { formatJournal } from "./explain/journal-text.ts";
export type { UnhandledRequests } from "./intercept/unhandled-requests.ts";
export type { MockClock } from "./mock/clock-handle.ts";
export type { EmulatorControl } from "./mock/emulator-control.ts";
export type {
  FaultHandle,
  MockCloudDatabase,
  MockDataset,
  MockTarget,
  MockVuMarkDatabase,
} from "./mock/handles.ts";
export { MockCloudReco } from "./mock/mock-cloud-reco.ts";
export type { MockPage } from "./mock/page.ts";
export type { PictureOptions } from "./mock/pictures/pictures.ts";
export { flatPicture, samplePicture } from "./mock/pictures/pictures.ts";
export type { MockCloudRecoOptions } from "./options/options.ts";
export type { MockReport } from "./page/model.ts";
export { createFeatureMatcher, featureMatcher, featureRater } from "./recognition/matcher.ts";
