import { test as base, expect } from "@playwright/test";
import { mockFixtures } from "mock-cloud-reco/playwright";

const wrong = (database) => ({ headers: { Authorization: `VWS ${database.serverAccessKey}:wrong` } });

const test = base.extend(mockFixtures({ report: "on-failure", reportFolder: "reports" }));
test("a test that fails says why", async ({ database }) => {
  const { status } = await fetch("https://vws.vuforia.com/summary", wrong(database));
  expect(status).toBe(200);
});

const strict = base.extend(mockFixtures({ failOnRefusedRequests: true }));
strict("a test that ignores a refusal fails", async ({ database }) => {
  await fetch("https://vws.vuforia.com/targets", wrong(database));
});
strict("without any fixture too", () => fetch("https://vws.vuforia.com/duplicates/0"));
strict("an expected refusal does not fail", async ({ mock, database }) => {
  mock.expectRefusal({ operation: "databaseSummary" });
  await fetch("https://vws.vuforia.com/summary", wrong(database));
});
