import { expect, test } from "vitest";
import { PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { FACTS } from "../../src/verify/facts.ts";
import { compare, type Recording, record } from "../../src/verify/recording.ts";
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
      return record(profile, outcomes, redactor(run.secrets));
    };
    const earlier = await recorded("verify-00000000-");
    service.clock.advance(40 * 86_400 + 3723);
    const later = await recorded("verify-ffffffff-");
    expect(Object.keys(later.facts).length).toBeGreaterThan(500);
    expect(compare(earlier, later)).toEqual([]);
    expect(JSON.stringify(later)).not.toContain(keys.serverSecretKey);
  },
  120_000,
);

const client = { modelTargetClientId: "client-id", modelTargetClientSecret: "client-secret" };
