import { type NewDataset, newDataset } from "../schema/model-target.ts";
import { type RecordStore, type Results, type StoreMode, whenDone } from "../store/store.ts";
import type { GivenTarget, Services } from "./services.ts";

/* What the mock's methods and the target manager's routes both do; on a store in memory, at once. */

type Control<Mode extends StoreMode, Used extends keyof Services> = Pick<Services, Used> & {
  readonly store: RecordStore<Mode>;
};

export function addTarget(
  { store, random, answerOptions }: Control<StoreMode, "random" | "answerOptions">,
  databaseName: string,
  given: GivenTarget,
  preciseNow: number,
) {
  const anotherId = () => random.hex(32);
  const { targetId = anotherId(), processingTimeSeconds = answerOptions.processingTimeSeconds } = given;
  const target = { ...given, targetId, processingTimeSeconds };
  const isDrawn = given.targetId === undefined;
  return store.createTarget(databaseName, isDrawn ? { ...target, anotherId } : target, preciseNow);
}

/** Adds a dataset. A uuid that is not given is drawn. */
export function addDataset<Mode extends StoreMode>(
  { store, random, answerOptions }: Control<Mode, "random" | "answerOptions">,
  given: NewDataset,
  now: number,
) {
  const anotherId = () => random.hex(32);
  const dataset = newDataset(given, answerOptions, anotherId, now);
  return store.createDataset(dataset, given.uuid === undefined ? anotherId : undefined);
}

/** Replaces the state with that of a snapshot, or returns what is wrong with it. */
export const restore = <Mode extends StoreMode>(
  { store, consistency }: Control<Mode, "consistency">,
  ...snapshot: Parameters<RecordStore<Mode>["restore"]>
): Results<string | undefined>[Mode] =>
  whenDone(store.restore(...snapshot), (problem: string | undefined) => {
    if (problem === undefined) consistency.end();
    return problem;
  });

/** Ends all processing, and every lag. */
export const finishProcessing = <Mode extends StoreMode>({
  store,
  consistency,
}: Control<Mode, "consistency">): Results<void>[Mode] =>
  whenDone(store.finishProcessing(), () => consistency.end());

/** Deletes all state, faults with their delays, and requests, and undoes every change to the clock. */
export const reset = (services: Control<"either", "consistency" | "faults" | "journal" | "clock">) =>
  whenDone<"either", void, void>(services.store.reset(), () => {
    services.consistency.end();
    return whenDone<"either", void, void>(services.faults.clear(), () => {
      services.journal.clear();
      services.clock.reset();
    });
  });
