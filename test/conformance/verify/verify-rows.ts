import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { KEY_PAIRS, type Keys, variableOf } from "../engine/fact.ts";
import { redactor } from "../engine/redact.ts";
import { type Outcome, Run } from "../engine/run.ts";
import type { RunClock, Verified } from "../engine/verified.ts";
import { wireClient } from "../engine/wire-client.ts";
import { FACTS } from "../facts.ts";
import { holds, titleOf } from "../holds.ts";
import { ANSWERS } from "../rows.ts";
import { evidenceOf } from "./evidence.ts";

/*
 * The rows at a service of any kind: `npm run verify` runs this file, with the service that its options name.
 */

/** How long the removal of what was added may take after the run was stopped. */
const CLOSING_SECONDS = 20;

const settings = inject("verify");
const [stopped, closed] = [new AbortController(), new AbortController()];

const clock: RunClock = {
  now: () => new Date(),
  sleep: (seconds) =>
    new Promise((resolve) => {
      // Once the run was stopped, only the removal waits.
      const { signal } = stopped.signal.aborted ? closed : stopped;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, signal.aborted ? 0 : seconds * 1000);
      signal.addEventListener("abort", end);
    }),
};

/** An empty value counts as none. */
const keys: Keys = Object.fromEntries(
  KEY_PAIRS.flat().map((name) => {
    const variable = variableOf(name);
    // The second is what `serve --env` and `exec` call it.
    return [name, process.env[variable] || process.env[`VUFORIA_${variable}`] || undefined];
  }),
);

const verified: Verified = {
  ...{ urls: settings.urls, keys, profile: settings.profile, write: settings.write, spend: settings.spend },
  ...{ send: wireClient(settings.timeoutSeconds), waitSeconds: settings.waitSeconds, clock },
  prefix: `verify-${randomBytes(4).toString("hex")}-`,
  ...{ stopped: stopped.signal, closed: closed.signal },
};
const run = new Run(verified);
const outcomes: Outcome[] = [];
const facts = FACTS.filter(({ id }) => settings.facts.includes(id));
const possible = facts.filter((fact) => run.whyNot(fact) === undefined);

if (possible.length === 0) {
  const reasons = new Set(facts.map((fact) => run.whyNot(fact)));
  throw new Error(`nothing can be tried: ${[...reasons].join("; ")}`);
}

/** Finds out whether the service answers by the other profile, by which most facts would differ. */
async function expectProfile(): Promise<void> {
  const api = (["target", "query"] as const).find((one) => possible.some((fact) => fact.api === one));
  if (settings.isProfileChosen || api === undefined) return;
  const other = await run.otherProfile(api);
  if (other === undefined) return;
  const sent = ANSWERS.profiles[other].region;
  throw new Error(
    `The service answers as the profile ${other} says (it sends ${sent}): add --profile ${other}`,
  );
}

function writeEvidence(): void {
  const { evidence, urls, profile } = settings;
  if (evidence === undefined) return;
  const service = { service: urls.target, profile, now: clock.now() };
  const content = evidenceOf(service, outcomes, redactor(run.secrets));
  writeFileSync(evidence, `${JSON.stringify(content, null, 1)}\n`, { mode: 0o600 });
}

describe(`the rows at ${settings.urls.target} (${settings.profile})`, () => {
  beforeAll(expectProfile);
  afterAll(async () => {
    if (stopped.signal.aborted) setTimeout(() => closed.abort(), CLOSING_SECONDS * 1000).unref();
    const left = await run.close();
    writeEvidence();
    expect(left.map(redactor(run.secrets)), "what the run added and could not remove").toEqual([]);
  });
  for (const fact of facts)
    test(titleOf(fact), async (context) => {
      // Vitest aborts it when the run is cancelled.
      context.signal.addEventListener("abort", () => stopped.abort());
      await holds(fact, run, context, (outcome) => outcomes.push(outcome));
    });
});
