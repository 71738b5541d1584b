import { describe, it } from "vitest";
import { environments } from "./environments.ts";
import { checkPrograms } from "./programs.ts";

/** Fixed, so that a change alone decides whether the test passes; `npm run fuzz -- combined` takes others. */
const SEEDS = [1, 2, 3];

/** Of each seed; most where they are fast. */
const programsIn = (name: string): number => (name === "mock.fetch" ? 34 : 6);

describe.each(Object.entries(environments))("features together, in %s", (name, environment) => {
  it.each(SEEDS)("do what the model says (seed %i)", { timeout: 120_000, retry: 0 }, async (seed) => {
    await checkPrograms(environment, { programs: programsIn(name), seed });
  });
});
