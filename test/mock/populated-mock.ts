import {
  exactMatcher,
  ManualClock,
  MockCloudReco,
  type MockCloudRecoOptions,
  perfectRater,
} from "mock-cloud-reco";
import { nodeClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";

export const NOON = new Date("2026-11-21T12:00:00Z");

/** A mock with a database, whose clock a test moves. */
export function opened(options: MockCloudRecoOptions = {}) {
  const clock = new ManualClock(NOON);
  const mock = new MockCloudReco({
    clock,
    processingTimeSeconds: 2,
    queryContentEncoding: "identity",
    targetRater: perfectRater,
    queryMatcher: exactMatcher,
    ...options,
  });
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const session = new MockSession(mock, database, () => clock.now());
  return { mock, clock, database, session, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

/** A mock whose state contains every kind of record. */
export async function populated(service: ReturnType<typeof opened>): Promise<void> {
  const { mock, clock, database, session } = service;
  mock.updateDatabase(database, {
    requestRateLimits: {
      other: null,
      getTarget: null,
      getDuplicates: null,
      listTargets: { maxRequests: 2, windowSeconds: 60 },
    },
  });
  await mock.addTarget(database, { name: "done", targetId: "1", image: makePng(), processed: true });
  await mock.addTarget(database, {
    name: "gone",
    targetId: "2",
    image: makePng({ width: 40 }),
    processed: true,
  });
  await mock.addTarget(database, {
    name: "same image",
    targetId: "3",
    image: makePng(),
    applicationMetadata: "YQ==",
  });
  await session.target({ method: "DELETE", path: "/targets/2" });
  mock.setRecognitionCounts(database, "1", { currentMonthRecos: 3 });
  mock.addVuMarkDatabase({ databaseName: "labels", targets: [{ name: "label", targetId: "4" }] });
  await session.target({
    method: "POST",
    path: `/imagetargets/databases/${database.databaseId}/reports/recoCounts`,
    body: { month: "2026-11" },
  });
  await session.target({ method: "GET", path: "/targets" });
  const manage = (path: string, body: object) =>
    nodeClient({
      method: "POST",
      url: mock.urls.manager + path,
      headers: {},
      body: Buffer.from(JSON.stringify(body)),
    });
  await manage("/oauth2_client_credentials", { client_id: "c", client_secret: "s", scopes: ["a"] });
  await manage("/model_target_datasets", { request_body: { name: "n" }, dataset_type_name: "STANDARD" });
  clock.advance(0.5);
}
