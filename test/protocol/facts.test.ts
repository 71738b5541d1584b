import { describe, expect, test } from "vitest";
import { query } from "../../src/apis/query/operations.ts";
import { targetTable } from "../../src/apis/shared/target-table.ts";
import { PROFILE_NAMES } from "../../src/core/profiles.ts";
import { FACTS } from "../../src/verify/facts.ts";
import { QUERY_CHECKS } from "../../src/verify/query-facts.ts";
import type { Outcome } from "../../src/verify/run.ts";
import { TARGET_CHECKS } from "../../src/verify/target-rows.ts";
import { describeBackends } from "../support/backends.ts";
import { factRun, PROCESSING_SECONDS } from "../support/fact-run.ts";

/** Hundreds of requests, on a machine that does other things too. */
const TIMEOUT = 240_000;

/** What a failed test shows of an outcome. */
const shown = (outcome: Outcome) => ({
  result: outcome.result,
  ...(outcome.result === "differs" && { differences: outcome.differences }),
  ...(outcome.result === "untried" && { why: outcome.why }),
});

describeBackends("every fact holds", (backend) => {
  describe.each(PROFILE_NAMES)("%s", (profile) => {
    test(
      "and the check that it names refuses the request",
      async () => {
        await using service = await backend.open({ profile, processingTimeSeconds: PROCESSING_SECONDS });
        const run = await factRun(service, { profile, overSockets: backend.overSockets });
        const found = [];
        for (const fact of FACTS.filter(({ overTls }) => overTls !== true)) {
          const outcome = await run.try(fact);
          const { refusedBy, reason } = await service.latest();
          if (outcome.result !== "holds") found.push({ id: fact.id, ...shown(outcome) });
          // A malformed Content-Length on a socket does not get as far as the checks.
          if (fact.check === undefined || fact.check.startsWith("contentLength")) continue;
          if (refusedBy !== fact.check) found.push({ id: fact.id, expected: fact.check, refusedBy });
          expect(reason, fact.id).toMatch(/\w{3}/);
        }
        expect(found).toEqual([]);
        expect(await run.close()).toEqual([]);
      },
      TIMEOUT,
    );
  });
});

describe("the facts", () => {
  test("have an id and a sentence each, and say how they are known", () => {
    const ids = FACTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { id, sentence, known } of FACTS) {
      expect(id).toMatch(/^(target|query|model-target)-[a-z0-9-]+$/);
      expect(sentence).toMatch(/^[A-Z].{20,}\.$/s);
      expect(known.date === undefined).toBe(known.by !== "observed");
    }
  });

  test("name every row of both tables, in order", () => {
    expect([...TARGET_CHECKS].sort()).toEqual([...new Set(targetTable.rows.map(({ name }) => name))].sort());
    expect([...QUERY_CHECKS]).toEqual(query.checks.map(({ name }) => name));
    const named = new Set(FACTS.map(({ check }) => check));
    for (const check of [...TARGET_CHECKS, ...QUERY_CHECKS]) expect(named).toContain(check);
  });
});
