import type { SharedFaults } from "../emulator/faults.ts";
import type { SharedState } from "../store/backing.ts";
import type { RedisBacking } from "../store/redis/redis-backing.ts";

/** Faults that another process keeps, as servers without a target manager's API see them. */
export const remoteFaults = (state: SharedState): SharedFaults => ({
  get isEmpty() {
    return !state.hasFaults;
  },
  choose: (request, random) => state.chooseFault(request, random),
  list: atTheManager,
  create: atTheManager,
  delete: atTheManager,
  clear: atTheManager,
});

function atTheManager(): never {
  throw new Error("only the target manager changes faults");
}

/** Faults that all managers change. */
export const faultsInRedis = (state: RedisBacking): SharedFaults => ({
  get isEmpty() {
    return !state.hasFaults;
  },
  choose: (request, random) => state.chooseFault(request, random),
  list: () => state.withFaults((faults) => faults.list()),
  create: (fault) => state.withFaults((faults) => faults.create(fault)),
  delete: (id) => state.withFaults((faults) => faults.delete(id)),
  clear: () => state.withFaults((faults) => faults.clear()),
});
