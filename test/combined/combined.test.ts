import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { firstOf, times } from "../support/combinations.ts";
import { environments, sharedEnvironments } from "./environments.ts";
import type { SharedEnvironment } from "./processes.ts";
import { checkPrograms } from "./programs.ts";

/** Fixed, so that a change alone decides whether the test passes; `npm run fuzz -- combined` takes others. */
const SEEDS = firstOf([1, 2, 3], 1);

/** Of each seed; most where they are fast. */
const programsIn = (name: string): number => (name === "mock.fetch" ? times(34, 12) : times(6, 3));
const PROGRAMS_IN_PROCESSES = 2;
const options = { timeout: 180_000, retry: 0 };

describe.each(Object.entries(environments))("features together, in %s", (name, environment) => {
  it.each(SEEDS)("do what the model says (seed %i)", options, async (seed) => {
    await checkPrograms(environment, { programs: programsIn(name), seed });
  });
});

describe.each(Object.entries(sharedEnvironments))("features together, in %s", (_name, start) => {
  let shared: SharedEnvironment;
  beforeAll(async () => {
    shared = await start(inject("command"));
  }, 60_000);
  afterAll(() => shared?.end());

  it.each(SEEDS)("do what the model says (seed %i)", options, async (seed) => {
    await checkPrograms(shared.environment, { programs: PROGRAMS_IN_PROCESSES, seed });
  });
});
