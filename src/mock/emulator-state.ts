import { createEmulator, createFaults, type Emulator } from "../apis/index.ts";
import type { Settings } from "../apis/services.ts";
import { type ClockSetting, MovableClock } from "../emulator/clock.ts";
import type { Faults } from "../emulator/faults.ts";
import { Journal } from "../emulator/journal.ts";
import type { Random } from "../emulator/random.ts";
import { assessImage, backgroundPreparation } from "../images/on-demand.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { ResolvedOptions } from "./options.ts";
import { ExpectedRefusals } from "./requests.ts";

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
  readonly expectedRefusals: ExpectedRefusals;

  private constructor(
    private readonly options: ResolvedOptions,
    readonly random: Random,
    readonly store: MemoryStore,
    readonly journal: Journal,
    readonly faults: Faults,
    outer?: { readonly clockSetting: ClockSetting; readonly expectedRefusals: ExpectedRefusals },
  ) {
    const { profile, settings } = options;
    this.settings = settings;
    this.clock = new MovableClock(options.clock, outer?.clockSetting);
    this.expectedRefusals = outer?.expectedRefusals ?? new ExpectedRefusals();
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

  /** Returns an independent copy, until {@link end}. Only the copy's requests are also added to this journal. */
  fork(): EmulatorState {
    const { options, random, store, journal, faults } = this;
    return new EmulatorState(options, random, store.fork(), journal.fork(), faults.fork(), {
      clockSetting: this.clock.setting,
      expectedRefusals: this.expectedRefusals.fork(),
    });
  }

  /** Ends a copy. */
  end(): void {
    this.expectedRefusals.end(this.journal.entries);
    this.journal.end();
  }
}
