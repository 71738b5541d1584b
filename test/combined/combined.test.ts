import { describe, it } from "vitest";
import { environments } from "./environments.ts";
import { checkPrograms } from "./programs.ts";

/** Fixed, so that a change alone decides whether the test passes; `npm run fuzz -- combined` takes others. */
const SEEDS = [1, 2, 3];

describe.each(Object.entries(environments))("features together, in %s", (_name, environment) => {
  it.each(SEEDS)("do what the model says (seed %i)", { timeout: 120_000, retry: 0 }, async (seed) => {
    await checkPrograms(environment, { programs: 13, seed });
  });
});
