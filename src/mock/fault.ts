import type { Faults } from "../emulator/faults.ts";
import { type Fault, fault } from "../schema/fault.ts";
import { checked } from "../schema/kernel/problems.ts";

/**
 * An active fault.
 *
 * @example
 * using fault = mock.addFault({ resetConnection: true });
 * expect(fault.timesApplied).toBe(1);
 */
export interface FaultHandle extends Disposable {
  /** How many requests the fault has been applied to. */
  readonly timesApplied: number;
  /** Removes the fault. Does nothing when it was already removed. */
  remove(): void;
}

/**
 * Adds a fault.
 *
 * @throws InvalidOptionError for an invalid field, or for a fault without any effect.
 */
export function createFault(faults: Faults, given: Fault): FaultHandle {
  const added = faults.add(checked("fault", fault, given));
  const remove = () => faults.remove(added);
  return {
    get timesApplied() {
      return added.applied;
    },
    remove,
    [Symbol.dispose]: remove,
  };
}
