import { createEmulator, createFaults, type Emulator } from "../apis/index.ts";
import type { Settings } from "../apis/services.ts";
import { type ClockSetting, MovableClock } from "../emulator/clock.ts";
import { Faults } from "../emulator/faults.ts";
import { Journal } from "../emulator/journal.ts";
import type { Random } from "../emulator/random.ts";
import { assessImage, backgroundPreparation } from "../images/on-demand.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { ResolvedOptions } from "./options.ts";

/** What `EmulatorControl` acts on. */
export interface EmulatorParts {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly random: Random;
  readonly settings: Settings;
}

/** A mock's state, and the emulator that answers requests from it. */
export class EmulatorState {
  readonly clock: MovableClock;
  readonly emulator: Emulator;
  readonly settings: Settings;

  private constructor(
    private readonly options: ResolvedOptions,
    readonly random: Random,
    readonly store: MemoryStore,
    readonly journal: Journal,
    readonly faults: Faults,
    clockSetting?: ClockSetting,
  ) {
    const { profile, settings } = options;
    this.settings = settings;
    this.clock = new MovableClock(options.clock, clockSetting);
    this.emulator = createEmulator(
      { store, clock: this.clock, random, profile, settings, journal, faults },
      { unservedPaths: "connectionError" },
    );
  }

  static empty(options: ResolvedOptions, random: Random): EmulatorState {
    const { queryMatcher, duplicatesMatcher } = options.settings;
    const store = new MemoryStore(
      (image, upload) => assessImage(image, options.targetRater, random, upload),
      backgroundPreparation(queryMatcher, duplicatesMatcher),
    );
    return new EmulatorState(
      options,
      random,
      store,
      new Journal(options.journalCapacity, options.journalBodyBytes),
      createFaults(options.settings),
    );
  }

  /** Returns an independent copy. The copy's requests are also added to this journal, and this state's faults also apply to it. */
  fork(): EmulatorState {
    const { options, random, store, clock, faults } = this;
    const journal = new Journal(options.journalCapacity, options.journalBodyBytes, this.journal);
    return new EmulatorState(options, random, store.fork(), journal, new Faults([], faults), clock.setting);
  }
}
