import { createFaults } from "../apis/index.ts";
import { MovableClock } from "../emulator/clock.ts";
import type { Faults } from "../emulator/faults.ts";
import { Journal } from "../emulator/journal.ts";
import { type HeaderList, header } from "../emulator/message.ts";
import { createRandom, type Random } from "../emulator/random.ts";
import { compareBySimilarity } from "../images/matching/comparison.ts";
import { packedSketchOf, prepareInBackground } from "../images/matching/ranking.ts";
import { assessImage } from "../images/ratings/assess.ts";
import { SERVER_HEADER } from "../store/manager/protocol.ts";
import { StateServer } from "../store/manager/state-server.ts";
import { MemoryBacking } from "../store/memory-backing.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { keepState } from "./kept-state.ts";
import { type Manager, type ManagerSetup, managerEmulator, startManagerServer } from "./manager-server.ts";

/** Progress reports let waiting servers distinguish a busy manager from one that hangs. */
const reportsProgress = (head: { readonly headers: HeaderList }) => header(head, SERVER_HEADER) !== undefined;

/** What the servers of one process share, as one emulator at several addresses. */
export interface LocalState {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly random: Random;
}

/** The server that keeps all state. It also serves the routes that the other servers use. */
export interface TargetManager extends Manager, LocalState {
  readonly store: MemoryStore;
}

/** @throws StateFileError; the system's error when it cannot listen there. */
export async function startTargetManager(setup: ManagerSetup): Promise<TargetManager> {
  const { listen, options, onEntry, stateFile, complain = toStandardError, onProgress } = setup;
  const { profile, seed, settings, targetRater } = options;
  const { queryMatcher, duplicatesMatcher } = settings;
  const store = new MemoryStore(
    (image) => assessImage(image, targetRater),
    compareBySimilarity(queryMatcher, duplicatesMatcher) ? prepareInBackground : undefined,
  );
  const state: LocalState = {
    store,
    clock: new MovableClock(options.clock),
    journal: new Journal(options.journalCapacity, options.journalBodyBytes),
    faults: createFaults(settings),
    random: createRandom(seed),
  };
  const { journal } = state;
  const services = { ...state, profile, settings };
  const emulator = managerEmulator(services);
  const quiet = managerEmulator({ ...services, journal: new Journal(1) });
  // Not from the seed, because every run of the manager needs its own name.
  const epoch = createRandom().hex(16);
  const internal = new StateServer(new MemoryBacking(store, state, epoch, packedSketchOf), epoch);
  // The journal has the other servers' entries too, but those servers log them.
  journal.events.response.on((entry) => {
    if (entry.api === "manager") onEntry?.(entry);
  });
  const kept = stateFile === undefined ? undefined : await keepState(stateFile, store, complain, onProgress);
  const server = await startManagerServer(
    { ...setup, listen: { ...listen, reportsProgress } },
    {
      services,
      epoch,
      answer: async (request) =>
        internal.serves(request)
          ? { response: await internal.answer(request) }
          : emulator.handle(["manager"], request),
      findImage: (sha256) => store.state.images.find(sha256)?.bytes(),
      end: async () => kept?.close(),
    },
  );
  return {
    ...server,
    ...state,
    handleQuietly: (request) => quiet.handle(["manager"], request),
    isRestored: kept?.isRestored ?? false,
  };
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);
