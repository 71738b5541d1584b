import { formatJournal, MockCloudReco } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";

test("entries that the target manager lists are formatted like the mock's own", async () => {
  await using mock = new MockCloudReco({ processingTimeSeconds: 0 });
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const session = new MockSession(mock, database);
  await session.add({ name: "poster", width: 0 });
  await session.add({ name: "poster" });
  await session.query(makePng());
  mock.addFault({ operation: "listTargets", response: { status: 500 } });
  await session.target({ method: "GET", path: "/targets" });
  const own = mock.requests;
  const response = await mock.fetch(`${mock.urls.manager}/requests`);
  const { requests } = (await response.json()) as { requests: Parameters<typeof formatJournal>[0] };
  expect(requests).toHaveLength(own.length);
  expect(formatJournal(requests)).toBe(formatJournal(own));
  expect(formatJournal(requests)).toMatch(
    /^#1 .*Z POST \/targets → 400 Fail \(addTarget, database "shop"\)\n {3}widthPositive: [\s\S]*[✓✗] "poster"[\s\S]*addFault: /,
  );
});

test("what is no entry of the manager's list is refused by name", () => {
  const entry = { refused_by: null, number: 0 };
  expect(() => formatJournal([entry])).toThrow(
    "Invalid entry.number: expected a whole number, 1 or more; got 0.",
  );
});
