import { Emulator } from "./emulator.ts";
import { Faults } from "./faults/faults.ts";
import { assessImage } from "./images/assess.ts";
import type { ResolvedOptions } from "./options.ts";
import { Journal } from "./runtime/journal.ts";
import { type ClockSetting, MovableClock } from "./runtime/movable-clock.ts";
import type { Random } from "./runtime/random.ts";
import { MemoryStore } from "./store/memory-store.ts";

/** One state of a mock, and what answers requests from it. */
export class World {
  readonly clock: MovableClock;
  readonly emulator: Emulator;

  private constructor(
    private readonly options: ResolvedOptions,
    private readonly random: Random,
    readonly store: MemoryStore,
    journal: Journal,
    clockSetting?: ClockSetting,
    faults?: Faults,
  ) {
    const { profile, settings } = options;
    this.clock = new MovableClock(options.clock, clockSetting);
    this.emulator = new Emulator(
      { store, clock: this.clock, random, profile, settings },
      { unservedPaths: "connectionError", journal, ...(faults && { faults }) },
    );
  }

  static empty(options: ResolvedOptions, random: Random): World {
    const store = new MemoryStore((image) => assessImage(image, options.targetRater, random));
    return new World(options, random, store, new Journal(options.journalCapacity));
  }

  /** One that begins with what is here. Its requests are in this one's journal too; this one's faults apply there too. */
  fork(): World {
    const { options, random, store, clock, emulator } = this;
    const journal = new Journal(options.journalCapacity, emulator.journal);
    return new World(options, random, store.fork(), journal, clock.setting, new Faults([], emulator.faults));
  }
}
