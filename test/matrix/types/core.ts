// Code that must compile, and code that must not. Compiled with the sources by `npm run types`, and with the packed package by the
// oldest supported TypeScript.
import {
  type Clock,
  createStructuralSimilarityMatcher,
  DOCUMENTED_REQUEST_RATE_LIMITS,
  fixedRater,
  type ImageMatcher,
  type JournalEntry,
  ManualClock,
  MockCloudReco,
  type MockCloudRecoOptions,
  type MockTarget,
  type Operation,
  rfc1123Date,
  type TargetRater,
} from "mock-cloud-reco";
import { openApiDocument } from "mock-cloud-reco/openapi";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles when a value has exactly this type. */
const exactly = <Wanted>() => ({
  is: <Given>(_value: Given, ..._same: Equal<Wanted, Given> extends true ? [] : [never]) => {},
});

const half: TargetRater = (image) => image.length % 6;
const never: ImageMatcher = async () => null;
const clock: Clock = { now: () => new Date(0) };
const options: MockCloudRecoOptions = {
  clock,
  seed: "a seed",
  profile: "vuforia",
  queryMatcher: never,
  duplicatesMatcher: createStructuralSimilarityMatcher({ threshold: 0.8 }),
  targetRater: half,
  requestRateLimits: DOCUMENTED_REQUEST_RATE_LIMITS,
  cloudQueryFailure: { status: 500, headers: {}, body: "" },
};

export async function disposes(): Promise<readonly JournalEntry[]> {
  await using mock = new MockCloudReco({ ...options, clock: new ManualClock(), targetRater: fixedRater(3) });
  using other = new MockCloudReco({ targetUrl: "https://vws.test" });
  exactly<string>().is(other.urls.query);
  return mock.requests;
}

export async function reads(mock: MockCloudReco): Promise<void> {
  const database = mock.addCloudDatabase({ targetQuota: 10, requestsPerSecondLimit: null });
  const target = await mock.addTarget(database, { image: new Uint8Array(), processed: true });
  exactly<MockTarget>().is(target);
  exactly<"processing" | "success" | "failed">().is(target.status);
  exactly<string | null>().is(target.applicationMetadata);
  exactly<readonly MockTarget[]>().is(database.targets);
  const [first] = mock.requestsOf({ operation: "addTarget", database, refused: true });
  exactly<Operation | undefined>().is(first?.operation);
  const remove = mock.on("rejected", ({ reason }) => exactly<string | undefined>().is(reason));
  exactly<() => void>().is(remove);
  exactly<string>().is(rfc1123Date(new Date(0)));
  exactly<"3.1.0">().is(openApiDocument({ urls: mock.urls }).openapi);
}

export function refuses(mock: MockCloudReco): void {
  const database = mock.addCloudDatabase();
  // @ts-expect-error -- unknown option
  new MockCloudReco({ targetURL: "https://vws.test" });
  // @ts-expect-error -- unknown profile
  new MockCloudReco({ profile: "strict" });
  // @ts-expect-error -- a rater must return a number
  new MockCloudReco({ targetRater: () => "5" });
  // @ts-expect-error -- a target must have an image
  mock.addTarget(database, { name: "no image" });
  // @ts-expect-error -- unknown field
  mock.addCloudDatabase({ name: "it is databaseName" });
  // @ts-expect-error -- a live view is read-only
  database.targets = [];
  // @ts-expect-error -- unknown operation
  mock.requestsOf({ operation: "addTargets" });
  // @ts-expect-error -- unknown event
  mock.on("refused", () => {});
  // @ts-expect-error -- only a mock creates databases
  mock.deleteDatabase({ databaseName: "name" });
}
