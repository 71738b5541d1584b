import { createEmulator, type Emulator } from "../apis/index.ts";
import { MovableClock } from "../core/clock.ts";
import { Journal } from "../core/journal.ts";
import type { WireRequest } from "../core/message.ts";
import { createRandom } from "../core/random.ts";
import { assessImage } from "../images/assess.ts";
import { recordEntries, unpackJournal } from "../store/journal-codec.ts";
import { connectToRedis, type RedisAddress } from "../store/redis/connect.ts";
import type { RedisBacking } from "../store/redis/redis-backing.ts";
import { SharedStore } from "../store/shared-store.ts";
import { JournalLink } from "./journal-link.ts";
import { PageApi } from "./page/page-api.ts";
import { faultsInRedis } from "./remote-faults.ts";
import { failureReply, type RunningServer, startServer } from "./server.ts";
import { answerOpenApi, filterFor, type ManagerSetup, type TargetManager } from "./target-manager.ts";
import { whyDistrusted } from "./trusted-callers.ts";

/** A target manager without state of its own, so that many can run. */
export type SharedManager = RunningServer & Pick<TargetManager, "handleQuietly">;

/** Operations that change the clock or the journal of all managers. */
const CHANGES_OF_ALL = new Set([
  "PUT /clock",
  "POST /clock/advance",
  "DELETE /clock",
  "POST /reset",
  "DELETE /requests",
]);

/**
 * Starts a target manager that keeps its state in Redis or Valkey.
 *
 * @throws StateRefusedError; the system's error when it cannot listen there.
 */
export async function startSharedManager(
  { listen, options, onEntry, trust, page }: ManagerSetup,
  address: RedisAddress,
): Promise<SharedManager> {
  const { profile, seed, settings, targetRater } = options;
  const state = await connectToRedis(address, (image) => assessImage(image, targetRater));
  const shared = new SharedStore(state);
  const clock = new MovableClock(options.clock);
  const journal = new Journal(options.journalCapacity);
  const feed = new JournalFeed(state, journal);
  const link = new JournalLink(state);
  journal.events.response.on((entry) => {
    if (entry.api !== "manager" || feed.isReading) return;
    link.add(entry);
    onEntry?.(entry);
  });
  const faults = faultsInRedis(state);
  const services = { store: shared, clock, random: createRandom(seed), profile, settings, journal, faults };
  const emulatorOptions = {
    unservedPaths: "notFound",
    sendsStreams: true,
    answerFailure: failureReply,
  } as const;
  const emulator = createEmulator(services, emulatorOptions);
  const quiet = createEmulator({ ...services, journal: new Journal(1) }, emulatorOptions);
  /** Applies other managers' changes to the clock, handles the request, and publishes its changes. */
  const handleInSync = async (request: WireRequest, by: Emulator) => {
    await state.readClock().catch(() => {});
    const before = state.clock;
    clock.setting = before;
    const result = await by.handle(["manager"], request);
    if (!CHANGES_OF_ALL.has(`${request.method} ${request.path}`)) return result;
    if (clock.setting !== before) await state.setClock(clock.setting);
    if (request.path === "/reset" || request.path === "/requests") await state.clearJournal();
    return result;
  };
  const epoch = createRandom().hex(16);
  const server = await startServer({ ...listen, filterFor }, (url) => {
    const pageApi =
      page &&
      new PageApi({
        store: shared,
        clock,
        epoch,
        journal,
        faults,
        findImage: (sha256) => state.getImage(sha256),
        queryMatcher: settings.queryMatcher,
        urls: () => ({ ...page.urls(), manager: url }),
      });
    return {
      apis: ["manager"],
      emulator,
      settings,
      handle: async (request) => {
        const distrust = whyDistrusted(request, trust);
        if (distrust !== undefined) return emulator.refuse("manager", request, { status: 403, ...distrust });
        const isForPage = pageApi?.serves(request) === true;
        if (isForPage || request.path === "/requests") await feed.read().catch(() => {});
        if (isForPage) return { response: await pageApi.answer(request) };
        const openApi = answerOpenApi(request, profile.name);
        return openApi === undefined ? handleInSync(request, emulator) : { response: openApi };
      },
    };
  });
  const end = async (ending: Promise<void>) => {
    await ending;
    await link.flush();
    state.close();
  };
  return {
    ...server,
    handleQuietly: (request) => handleInSync(request, quiet),
    close: (graceSeconds) => end(server.close(graceSeconds)),
    kill: () => end(server.kill()),
  };
}

/** Copies the requests of other servers into this manager's journal. */
class JournalFeed {
  /** Whether entries of other servers are being copied. */
  isReading = false;
  private latest = "0-0";
  private era: string | null = null;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly state: RedisBacking,
    private readonly journal: Journal,
  ) {}

  /** Resolves when the journal has every entry published so far. */
  read(): Promise<void> {
    this.reading = this.reading.catch(() => {}).then(() => this.follow());
    return this.reading;
  }

  private async follow(): Promise<void> {
    const era = await this.state.journalEra();
    if (era !== this.era) this.journal.clear();
    this.era = era;
    const { pieces, latest } = await this.state.readJournal(this.latest);
    this.latest = latest;
    this.isReading = true;
    try {
      for (const piece of pieces) recordEntries(this.journal, unpackJournal(piece).entries);
    } finally {
      this.isReading = false;
    }
  }
}
