import { type NewDataset, newDataset } from "../schema/model-target.ts";
import * as changes from "../store/changes.ts";
import { deleteState, restoreSnapshot } from "../store/snapshot.ts";
import type { PlainChange } from "../store/store.ts";
import type { ControlledParts } from "./services.ts";

/* What the mock's methods and the target manager's routes both do. */

/** Adds a dataset. A uuid that is not given is generated. */
export function addDataset({ random, answerOptions }: ControlledParts, given: NewDataset, now: number) {
  const anotherId = () => random.hex(32);
  const dataset = newDataset(given, answerOptions, anotherId, now);
  return changes.createDataset(dataset, given.uuid === undefined ? anotherId : undefined);
}

/** Replaces the state with that of a snapshot, or returns what is wrong with it. */
export const restore = (
  { consistency }: ControlledParts,
  ...snapshot: Parameters<typeof restoreSnapshot>
): PlainChange<string | undefined> => ({
  ...restoreSnapshot(...snapshot),
  after: (problem) => {
    if (problem === undefined) consistency.end();
  },
});

/** Ends all processing, and every lag. */
export const finishProcessing = ({ consistency }: ControlledParts): PlainChange<void> => ({
  ...changes.finishProcessing,
  after: () => consistency.end(),
});

/** Deletes all state, faults with their delays, and requests, and undoes every change to the clock. In memory, before it returns. */
export async function reset({ store, consistency, faults, journal, clock }: ControlledParts): Promise<void> {
  let cleared: Promise<void> | undefined;
  const after = () => {
    consistency.end();
    cleared = faults.clear();
    journal.clear();
    clock.reset();
  };
  await store.run({ ...deleteState, after });
  await cleared;
}
