// The subpaths of other runners, in an ES module.

import { test as browserTest } from "@playwright/test";
import { type MockFixture, useMockCloudReco } from "mock-cloud-reco/jest";
import { assertReceived, assertRefusedNothing, withMockCloudReco } from "mock-cloud-reco/node-test";
import { mockFixtures } from "mock-cloud-reco/playwright";
import { startServers } from "mock-cloud-reco/server";

export const jestFixture: MockFixture = useMockCloudReco({ fakeTimers: { now: 0, doNotFake: ["Date"] } });
// @ts-expect-error -- legacy timers fake process.nextTick
useMockCloudReco({ fakeTimers: { legacyFakeTimers: true } });

export const nodeTest = withMockCloudReco({ seed: 1 }, async ({ mock }, context) => {
  context.diagnostic(mock.explain());
  assertReceived(mock, "addTarget", { times: 1 });
  assertRefusedNothing(mock);
});
// @ts-expect-error -- the test is missing
withMockCloudReco({ seed: 1 });

const ownTest = browserTest.extend<{ own: number }, { all: string }>({
  own: 1,
  all: ["", { scope: "worker" }],
});
for (const each of [
  browserTest.extend(mockFixtures()).extend<{ own: number; all: string }>({ own: 1, all: "" }),
  ownTest.extend(mockFixtures({ failOnRefusedRequests: true, corsAllowOrigin: "*" })),
])
  each("fixtures of Playwright", ({ page, mock, database, own, all }) => {
    const texts: string[] = [page.url(), mock.explain(), database.databaseName, own.toFixed(), all];
    // @ts-expect-error -- not a mock of anything else
    mock.unknown();
    return texts.length > 0 ? undefined : undefined;
  });
// @ts-expect-error -- unknown option
mockFixtures({ failOnRefused: true });

export const servers: PromiseLike<unknown> = startServers();
