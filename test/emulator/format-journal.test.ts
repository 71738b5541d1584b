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
    /^#1 .*Z POST \/targets → 400 Fail \(addTarget, database "shop"\) \[width\.wrong\]\n {3}\w+: send width as [\s\S]*[✓✗] "poster"[\s\S]*addFault: /,
  );
});

test("no text of an entry adds lines or controls the terminal", async () => {
  await using mock = new MockCloudReco();
  await mock.fetch(`${mock.urls.target}/summary`);
  const response = await mock.fetch(`${mock.urls.manager}/requests`);
  const { requests } = (await response.json()) as { requests: Parameters<typeof formatJournal>[0] };
  const [plain = ""] = formatJournal(requests).split("\n");
  const text = "a\n#2 b\r\u001b[2J\u0000\u007f\u009b";
  const changed = requests.map((entry) => ({
    ...entry,
    path: `/${text}`,
    database_name: text,
    reason: text,
    refused_by: text,
    considered: [{ matched: false, name: text, target_id: text, code: "target.inactive", why: text }],
  }));
  const lines = formatJournal(changed).split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe(
    plain
      .replace("/summary", String.raw`/a\n#2 b\r\u001b[2J\u0000\u007f\u009b`)
      .replace(")", String.raw`, database "a\n#2 b\r\u001b[2J\u0000\u007f\u009b")`),
  );
  expect(lines.join("")).toMatch(/^\P{Cc}+$/u);
});

test("what is no entry of the manager's list is refused by name", () => {
  const entry = { refused_by: null, number: 0 };
  expect(() => formatJournal([entry])).toThrow(
    "Invalid entry.number: expected a whole number, 1 or more; got 0.",
  );
});
