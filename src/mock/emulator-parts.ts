import type { Settings } from "../apis/shared/services.ts";
import type { MovableClock } from "../core/clock.ts";
import type { Faults } from "../core/faults.ts";
import type { Journal } from "../core/journal.ts";
import type { Random } from "../core/random.ts";
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
