export type { InstanceFailure, ModelTargetPhase } from "./apis/services.ts";
export { type Clock, ManualClock, systemClock } from "./emulator/clock.ts";
export type { JournalEntry, JournalEvents } from "./emulator/journal.ts";
export type { HeaderList } from "./emulator/message.ts";
export type { ProfileName } from "./emulator/profiles.ts";
export type { Random } from "./emulator/random.ts";
export type { RecordedBody } from "./emulator/recorded-body.ts";
export type { RecordedRequest, RecordedResponse } from "./emulator/recorded-message.ts";
export type { RequestFilter } from "./emulator/request-filter.ts";
export { authorizationHeader, rfc1123Date, type SignedParts } from "./emulator/signing.ts";
export { formatJournal } from "./explain/journal-text.ts";
export type { ImageMatcher, MatchedTarget } from "./images/matching/comparison.ts";
export {
  createFeatureMatcher,
  createStructuralSimilarityMatcher,
  exactMatcher,
  featureMatcher,
  mappingMatcher,
  structuralSimilarityMatcher,
} from "./images/matching/matchers.ts";
export { brisqueRater, featureRater, fixedRater, perfectRater, randomRater } from "./images/on-demand.ts";
export type { TargetRater } from "./images/ratings/rating.ts";
export type { UnhandledRequests } from "./intercept/unhandled-requests.ts";
export type { EmulatorControl } from "./mock/emulator-control.ts";
export type {
  FaultHandle,
  MockClock,
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
export { MissingSchemeError } from "./schema/base-url.ts";
export {
  type CloudDatabaseFields,
  type DatabaseChanges,
  type DatabaseState,
  DOCUMENTED_REQUEST_RATE_LIMITS,
  type RequestRateLimits,
} from "./schema/cloud-database.ts";
export type { TemplateTargetFields, VuMarkDatabaseChanges, VuMarkDatabaseFields } from "./schema/database.ts";
export type { DatabaseOrName, Fault, FaultRequest } from "./schema/fault.ts";
export type { ConfiguredResponse } from "./schema/fault-response.ts";
export type {
  ClientCredential,
  DatasetFields,
  DatasetStatus,
  DatasetTypeName,
  GenerationWarning,
} from "./schema/model-target.ts";
export type { TargetStatus } from "./schema/processing.ts";
export type { ApiName, Operation, ResultCode } from "./schema/protocol.ts";
export type { Snapshot } from "./schema/snapshot.ts";
export type { RecognitionCountChanges, TargetFields, TargetUpdates } from "./schema/target.ts";
export { InvalidOptionError } from "./schema/zod/problems.ts";
export { InvalidSnapshotError } from "./store/snapshot.ts";
