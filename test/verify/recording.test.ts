import { ManualClock } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import { PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { compare, type Recording, readRecording, record, replay } from "../../src/verify/recording.ts";
import { redactor } from "../../src/verify/report.ts";
import { FACTS_TIMEOUT, factRun, PROCESSING_SECONDS, shown } from "../support/fact-run.ts";

test.each(PROFILE_NAMES)(
  "every fact holds on servers of one process, which answer as in a run of another day (%s)",
  async (profile) => {
    const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
    const modelTargetUser = { name: client.modelTargetUsername, password: client.modelTargetPassword };
    await using servers = await startServers({
      ...{ profile, clock, modelTargetUser },
      processingTimeSeconds: PROCESSING_SECONDS,
    });
    const keys = servers.addCloudDatabase();
    const service = { urls: servers.urls, clock, addCloudDatabase: () => keys };
    const recorded = async (prefix: string): Promise<Recording> => {
      const run = await factRun(service, {
        profile,
        overSockets: true,
        prefix,
        keys: { ...keys, ...client },
      });
      const outcomes = [];
      for (const fact of FACTS) outcomes.push(await run.try(fact));
      // Facts about TLS are not tried without it.
      const tried = outcomes.filter(({ fact }) => fact.overTls !== true);
      expect(
        tried
          .filter(({ result }) => result !== "holds")
          .map((outcome) => ({ id: outcome.fact.id, ...shown(outcome) })),
      ).toEqual([]);
      expect(await run.close()).toEqual([]);
      return record(profile, clock.now(), outcomes, redactor(run.secrets));
    };
    const earlier = await recorded("verify-00000000-");
    clock.advance(40 * 86_400 + 3723);
    const later = await recorded("verify-ffffffff-");
    expect(Object.keys(later.facts).length).toBeGreaterThan(500);
    expect(compare(earlier, later)).toEqual([]);
    const text = JSON.stringify(earlier);
    const { serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey, databaseId, databaseName } =
      keys;
    const own = [
      serverAccessKey,
      serverSecretKey,
      clientAccessKey,
      clientSecretKey,
      databaseId,
      databaseName,
    ];
    const facts = JSON.stringify(Object.values(earlier.facts));
    expect([...own, ...Object.values(client)].filter((secret) => facts.includes(secret))).toEqual([]);
    const read = readRecording(text);
    const outcomes = replay(FACTS, read);
    expect(outcomes.filter(({ result }) => result === "differs")).toEqual([]);
    expect(outcomes.filter(({ result }) => result === "holds")).toHaveLength(Object.keys(read.facts).length);
    const changed = readRecording(text.replace("Date header required.", "A date is required."));
    const differing = replay(FACTS, changed);
    expect(differing.filter(({ result }) => result === "differs").map(({ fact }) => fact.id)).toEqual([
      "query-8-no-date",
    ]);
  },
  FACTS_TIMEOUT,
);

test.each<[string, (recording: Record<string, Record<string, unknown>>) => unknown, string]>([
  [
    "another format",
    (recording) => ({ ...recording, format: "other" }),
    'it has no "format": "mock-cloud-reco recording"',
  ],
  ["a list", () => [], 'it has no "format": "mock-cloud-reco recording"'],
  ["another version", (recording) => ({ ...recording, version: 2 }), "it has version 2; expected version 1"],
  ["no version", ({ version: _, ...recording }) => recording, "it has no version; expected version 1"],
  [
    "another profile",
    (recording) => ({ ...recording, profile: "s3cret" }),
    "profile is not as this package writes it",
  ],
  [
    "a header without value",
    (recording) => ({
      ...recording,
      facts: { x: { ...FACT, response: { ...FACT.response, headers: [["s3cret"]] } } },
    }),
    "facts.x.response.headers.0",
  ],
  [
    "a date that is none",
    (recording) => ({ ...recording, facts: { x: { ...FACT, at: { ...FACT.at, now: "s3cret" } } } }),
    "facts.x.at.now is not as this package writes it",
  ],
])("a recording with %s is refused, without its values", (_what, change, message) => {
  const recording = {
    format: "mock-cloud-reco recording",
    version: 1,
    profile: "neutral",
    recorded: "x",
    facts: { x: FACT },
  };
  expect(readRecording(JSON.stringify(recording))).toEqual(recording);
  const read = () => readRecording(JSON.stringify(change(JSON.parse(JSON.stringify(recording)))));
  expect(read).toThrow(message);
  expect(read).not.toThrow("s3cret");
});

const FACT = {
  result: "holds",
  request: { method: "GET", path: "/summary", headers: [["Date", "x"]], bodyBytes: 0 },
  response: { status: 200, headers: [["Date", "x"]], body: "", bodyBytes: 0 },
  at: { now: "2026-11-21T10:42:00.000Z", targetId: "x", targetName: "x", newName: "x", given: {} },
};
const client = {
  modelTargetClientId: "client-id",
  modelTargetClientSecret: "client-secret",
  modelTargetUsername: "user@example.com",
  modelTargetPassword: "a password of theirs",
};
