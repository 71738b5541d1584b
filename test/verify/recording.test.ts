import { expect, test } from "vitest";
import { PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { FACTS } from "../../src/verify/facts.ts";
import { compare, type Recording, readRecording, record, replay } from "../../src/verify/recording.ts";
import { redactor } from "../../src/verify/redact.ts";
import { serversBackend } from "../support/backends.ts";
import { factRun } from "../support/fact-run.ts";

test.each(PROFILE_NAMES)(
  "a service that has not changed answers as in a run of another day (%s)",
  async (profile) => {
    await using service = await serversBackend.open({ profile, processingTimeSeconds: 2 });
    const keys = await service.addCloudDatabase();
    const recorded = async (prefix: string): Promise<Recording> => {
      const run = await factRun(service, {
        profile,
        overSockets: true,
        prefix,
        keys: { ...keys, ...client },
      });
      const outcomes = [];
      for (const fact of FACTS) outcomes.push(await run.try(fact));
      expect(await run.close()).toEqual([]);
      return record(profile, service.clock.now(), outcomes, redactor(run.secrets));
    };
    const earlier = await recorded("verify-00000000-");
    service.clock.advance(40 * 86_400 + 3723);
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
    const shown = JSON.stringify(Object.values(earlier.facts));
    expect([...own, ...Object.values(client)].filter((secret) => shown.includes(secret))).toEqual([]);
    const read = readRecording(text);
    if (read === undefined) throw new Error("not a recording");
    const outcomes = replay(FACTS, read);
    expect(outcomes.filter(({ result }) => result === "differs")).toEqual([]);
    expect(outcomes.filter(({ result }) => result === "holds")).toHaveLength(Object.keys(read.facts).length);
    const changed = readRecording(text.replace("Date header required.", "A date is required."));
    const differing = changed === undefined ? [] : replay(FACTS, changed);
    expect(differing.filter(({ result }) => result === "differs").map(({ fact }) => fact.id)).toEqual([
      "query-8-no-date",
    ]);
  },
  120_000,
);

const client = { modelTargetClientId: "client-id", modelTargetClientSecret: "client-secret" };
