import { type exactMatcher, fixedRater, ManualClock, MockCloudReco, type TargetRater } from "mock-cloud-reco";
import { MockSession } from "../../support/mock-session.ts";

const NOON = new Date("2026-11-21T12:00:00Z");

/** A mock at noon, with one database and a client of it. */
export async function opened(
  options: { queryMatcher?: typeof exactMatcher; targetRater?: TargetRater } = {},
) {
  const clock = new ManualClock(NOON);
  const mock = new MockCloudReco({
    clock,
    seed: 1,
    processingTimeSeconds: 2,
    queryContentEncoding: "identity",
    targetRater: fixedRater(5),
    ...options,
  });
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const session = new MockSession(mock, database, () => clock.now());
  return { mock, clock, database, session, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

/** Lines without indentation. */
export const lines = (text: string): string[] => text.split("\n").map((line) => line.trim());
