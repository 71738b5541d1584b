import fc from "fast-check";
import { changesIn, prefix } from "./changes.ts";
import type { Environment } from "./environments.ts";
import { Model } from "./model.ts";
import { closePage } from "./pages.ts";
import type { Real } from "./real.ts";
import { requests } from "./requests.ts";

const MOST_COMMANDS = 40;
const MOST_MILLISECONDS = 150_000;

interface ProgramsToCheck {
  readonly programs: number;
  readonly seed: number;
  /** How long running them and looking for a shorter one may take together. */
  readonly milliseconds?: number;
}

/**
 * Runs random programs in an environment, each on an emulator of its own.
 *
 * @throws Error with the shortest program that does not do what the model says, and the seed that repeats it.
 */
export async function checkPrograms(
  environment: Environment,
  { programs, seed, milliseconds = MOST_MILLISECONDS }: ProgramsToCheck,
): Promise<void> {
  const probe = await environment();
  const changes = changesIn(probe);
  await probe.close();
  const commands = fc.commands<Model, Real, false>([...requests, ...changes], {
    maxCommands: MOST_COMMANDS,
    size: "max",
  });
  const property = fc.asyncProperty(commands, async (program) => {
    const real: Real = {
      world: await environment(),
      snapshots: [],
      faults: new Map(),
      handles: new Map(),
      calls: [],
      flights: [],
    };
    try {
      await fc.asyncModelRun(() => ({ model: new Model(), real }), [...prefix, ...program]);
    } finally {
      await closePage(real);
      for (const { land } of real.flights) land();
      for (const call of real.calls.reverse()) await call.end();
      await real.world.close();
      await Promise.allSettled(real.flights.map(({ answer }) => answer));
    }
  });
  const limit = { interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: true };
  await fc.assert(property, { numRuns: programs, seed, ...limit });
}
