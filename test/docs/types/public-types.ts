import {
  type ApiName,
  authorizationHeader,
  type Clock,
  type ConfiguredResponse,
  createStructuralSimilarityMatcher,
  exactMatcher,
  fixedRater,
  type ImageMatcher,
  type JournalEntry,
  type JournalEvents,
  ManualClock,
  type MockCloudDatabase,
  type MockCloudReco,
  type MockCloudRecoOptions,
  type MockTarget,
  type MockVuMarkDatabase,
  type Operation,
  type rfc1123Date,
  type TargetRater,
  type TargetStatus,
} from "mock-cloud-reco";
import { type OpenApiDocument, openApiDocument } from "mock-cloud-reco/openapi";
import { expectTypeOf } from "vitest";

/** What users' code may rely on; types.test.ts compiles it. */
export async function publicTypes(mock: MockCloudReco, database: MockCloudDatabase): Promise<void> {
  expectTypeOf<ConstructorParameters<typeof MockCloudReco>[0]>().toEqualTypeOf<
    MockCloudRecoOptions | undefined
  >();
  expectTypeOf<MockCloudReco>().toExtend<AsyncDisposable & Disposable>();
  expectTypeOf(mock.urls).toEqualTypeOf<Readonly<Record<ApiName, string>>>();
  expectTypeOf(mock.requests).toEqualTypeOf<readonly JournalEntry[]>();
  expectTypeOf(mock.addCloudDatabase).returns.toEqualTypeOf<MockCloudDatabase>();
  expectTypeOf(mock.addVuMarkDatabase).returns.toEqualTypeOf<MockVuMarkDatabase>();
  expectTypeOf(mock.addTarget).returns.resolves.toEqualTypeOf<MockTarget>();
  expectTypeOf(mock.explain()).toBeString();
  mock.on("request", (arrived) => expectTypeOf(arrived).toEqualTypeOf<JournalEvents["request"]>());
  mock.on("response", (entry) => expectTypeOf(entry).toEqualTypeOf<JournalEntry>());
  expectTypeOf(mock.on("rejected", () => undefined)).toEqualTypeOf<() => void>();
  expectTypeOf(await mock.isolate(async () => 1)).toEqualTypeOf<number>();

  expectTypeOf(database.targets).toEqualTypeOf<readonly MockTarget[]>();
  expectTypeOf(database.requestsPerSecondLimit).toEqualTypeOf<number | null>();
  expectTypeOf<MockTarget["status"]>().toEqualTypeOf<TargetStatus>();
  expectTypeOf<TargetStatus>().toEqualTypeOf<"processing" | "success" | "failed">();
  expectTypeOf<ApiName>().toEqualTypeOf<"target" | "modelTarget" | "query" | "manager">();
  expectTypeOf<"addTarget" | "manager.addTarget">().toExtend<Operation>();
  expectTypeOf<"addTargets">().not.toExtend<Operation>();
  expectTypeOf<JournalEntry["status"]>().toEqualTypeOf<number | undefined>();

  expectTypeOf<MockCloudRecoOptions>().toExtend<Partial<MockCloudRecoOptions>>();
  expectTypeOf<MockCloudRecoOptions["profile"]>().toEqualTypeOf<"neutral" | "vuforia" | undefined>();
  expectTypeOf<MockCloudRecoOptions["cloudQueryFailure"]>().toEqualTypeOf<ConfiguredResponse | undefined>();
  expectTypeOf(ManualClock).instance.toExtend<Clock>();
  expectTypeOf<{ now: () => Date }>().toExtend<Clock>();

  expectTypeOf(exactMatcher).toEqualTypeOf<ImageMatcher>();
  expectTypeOf(createStructuralSimilarityMatcher({ threshold: 0.4 })).toEqualTypeOf<ImageMatcher>();
  expectTypeOf<(a: Buffer, b: Buffer) => number | null>().toExtend<ImageMatcher>();
  expectTypeOf<(a: Buffer, b: Buffer) => Promise<undefined>>().toExtend<ImageMatcher>();
  expectTypeOf<(a: Buffer, b: Buffer) => boolean>().not.toExtend<ImageMatcher>();
  expectTypeOf(fixedRater(3)).toEqualTypeOf<TargetRater>();
  expectTypeOf<(image: Buffer) => string>().not.toExtend<TargetRater>();

  expectTypeOf(authorizationHeader).returns.toBeString();
  expectTypeOf<Parameters<typeof rfc1123Date>[0]>().toEqualTypeOf<Date | undefined>();
  expectTypeOf(openApiDocument).returns.toEqualTypeOf<OpenApiDocument>();
}
