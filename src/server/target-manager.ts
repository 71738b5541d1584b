import { InternalApi } from "../apis/internal/internal-api.ts";
import { Emulator } from "../emulator.ts";
import type { Outcome } from "../http/outcome.ts";
import type { WireRequest } from "../http/wire-message.ts";
import { assessImage } from "../images/assess.ts";
import type { ResolvedOptions } from "../options.ts";
import { Journal, type JournalEntry } from "../runtime/journal.ts";
import { MovableClock } from "../runtime/movable-clock.ts";
import { createRandom } from "../runtime/random.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { failureReply } from "./failure-reply.ts";
import { answerOpenApi } from "./openapi-route.ts";
import { type Listen, type RunningServer, startServer } from "./running-server.ts";

export interface ManagerSetup {
  readonly listen: Listen;
  readonly options: ResolvedOptions;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
}

/** The server that holds all state: protocol section 10, and the routes that the other two use. */
export interface TargetManager extends RunningServer {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  /** Answers a request as if it had come over the network, without a journal entry. */
  readonly handleQuietly: (request: WireRequest) => Promise<Outcome>;
}

/** @throws what the system says when it cannot listen there. */
export async function startTargetManager({ listen, options, onEntry }: ManagerSetup): Promise<TargetManager> {
  const { profile, seed, settings, targetRater } = options;
  const clock = new MovableClock(options.clock);
  const random = createRandom(seed);
  const store = new MemoryStore((image) => assessImage(image, targetRater));
  const services = { store, clock, random, profile, settings };
  const emulatorOptions = { unservedPaths: "notFound", answerFailure: failureReply } as const;
  const emulator = new Emulator(services, emulatorOptions);
  const quiet = new Emulator(services, { ...emulatorOptions, journal: new Journal(1) });
  // Not from the seed: every run of the manager must have a name of its own.
  const internal = new InternalApi(store, emulator.journal, clock, createRandom().hex(16));
  // What the other servers hand over is in this journal too, but it is theirs to log.
  emulator.journal.events.response.on((entry) => {
    if (entry.api === "manager") onEntry?.(entry);
  });
  const server = await startServer(listen, () => ({
    api: "manager",
    emulator,
    settings,
    handle: async (request) =>
      internal.serves(request)
        ? { response: answerOpenApi(request, profile.name) ?? (await internal.answer(request)) }
        : emulator.handle(["manager"], request),
  }));
  return { ...server, store, clock, handleQuietly: (request) => quiet.handle(["manager"], request) };
}
