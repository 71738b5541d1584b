import type { Settings } from "../apis/services.ts";
import type { MovableClock } from "../emulator/clock.ts";
import type { Faults } from "../emulator/faults.ts";
import type { Journal } from "../emulator/journal.ts";
import type { Random } from "../emulator/random.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/** What `EmulatorControl` acts on. */
export interface EmulatorParts {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly random: Random;
  readonly settings: Settings;
}
