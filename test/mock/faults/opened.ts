import { exactMatcher, MockCloudReco, type MockCloudRecoOptions, perfectRater } from "mock-cloud-reco";
import { onTestFinished } from "vitest";
import { MockSession } from "../../support/mock-session.ts";

/** A mock that stops when the test ends, and a client of it. */
export function opened(options: MockCloudRecoOptions = {}) {
  const mock = new MockCloudReco({
    processingTimeSeconds: 0,
    queryMatcher: exactMatcher,
    targetRater: perfectRater,
    ...options,
  });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  return { mock, database, session: new MockSession(mock, database) };
}

export const LIST = { method: "GET", path: "/targets" };
