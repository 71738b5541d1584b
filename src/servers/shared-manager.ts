import type { Services } from "../core/apis/services.ts";
import { MovableClock, momentOf, systemClock } from "../core/emulator/clock.ts";
import { Journal, type JournalEntry } from "../core/emulator/journal.ts";
import { header, type MethodAndPath, type Result, type WireRequest } from "../core/emulator/message.ts";
import { createRandom } from "../core/emulator/random.ts";
import { namedAccessKey } from "../core/emulator/signing.ts";
import { recogniserOf, summariesFor } from "../core/images/matching/comparison.ts";
import { assessImage, sketchOf } from "../core/images/on-demand.ts";
import { MemoryStore } from "../core/store/memory-store.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { connectToRedis, type RedisAddress } from "../redis/connect.ts";
import { JournalFeed } from "../redis/journal-feed.ts";
import { JournalLink } from "../redis/journal-link.ts";
import type { RedisBacking } from "../redis/redis-backing.ts";
import { RedisFaults } from "../redis/redis-faults.ts";
import { RedisStore } from "../redis/redis-store.ts";
import { fillOnce } from "../redis/whole-state.ts";
import { type ForwardedRequest, loggedOf } from "./forwarding-messages.ts";
import { type AnswerForwarded, answerForwardedRequest } from "./forwarding-route.ts";
import { failureReply } from "./server.ts";
import {
  type Manager,
  type ManagerSetup,
  managerEmulator,
  seedNotRead,
  seedStore,
  startManagerServer,
  toStandardError,
} from "./target-manager.ts";

export { StateRefusedError } from "../redis/redis-connection.ts";

const routedTo =
  (...routes: readonly string[]) =>
  ({ method, path }: MethodAndPath) =>
    routes.includes(`${method} ${path}`);
const clearsJournal = routedTo("POST /reset", "DELETE /requests");
const isOfManager = ({ api }: JournalEntry) => api === "manager";
const changesClock = routedTo("PUT /clock", "POST /clock/advance", "DELETE /clock", "POST /reset");

/** Connects to the state; this server rates the images that it adds. */
export function stateInRedis(
  address: RedisAddress,
  { answerOptions: { queryMatcher, duplicatesMatcher, targetRater }, clock }: ResolvedOptions,
): Promise<RedisBacking> {
  return connectToRedis(
    address,
    (image) => assessImage(image, targetRater),
    {
      kinds: summariesFor(queryMatcher, duplicatesMatcher),
      of: async (kind, image) =>
        kind === "sketch" ? sketchOf(image) : recogniserOf(queryMatcher, duplicatesMatcher)?.summaryOf(image),
    },
    clock === systemClock,
  );
}

/** Adds a seed file to an empty state. Managers that start together wait for the one that does. */
async function addSeed(
  seedFile: string,
  state: RedisBacking,
  services: Services,
  { options, complain = toStandardError, onProgress }: ManagerSetup,
): Promise<void> {
  const isAdded = await fillOnce(state, async () => {
    await state.readClock();
    const store = new MemoryStore((image) => assessImage(image, options.answerOptions.targetRater));
    const clock = new MovableClock(options.clock, state.clock);
    await seedStore(seedFile, { ...services, store, clock }, onProgress);
    return store.state.capture();
  });
  if (!isAdded) complain(seedNotRead(seedFile, `there is a state in ${state.redis.shown}`));
}

/**
 * Starts a target manager with its state in Redis or Valkey: many can run.
 *
 * @throws StateRefusedError; InvalidSeedError; StateUnavailableError while there is a seed file; the system's errors.
 */
export async function startSharedManager(
  setup: ManagerSetup,
  address: RedisAddress,
): Promise<Manager & { readonly journal: Journal }> {
  const { options, seedFile } = setup;
  const { profile, seed, answerOptions } = options;
  const state = await stateInRedis(address, options);
  const store = new RedisStore(state);
  const clock = new MovableClock(options.clock);
  const { journal, link, feed } = shareJournal(state, setup);
  const services = {
    store,
    clock,
    random: createRandom(seed),
    profile,
    answerOptions,
    journal,
    faults: new RedisFaults(state),
    consistency: options.newConsistency(),
  };
  if (seedFile !== undefined) {
    await addSeed(seedFile, state, services, setup).catch((error: unknown) => {
      state.redis.close();
      throw error;
    });
  }
  const answerForwarded: AnswerForwarded = async ({ profile, answerOptions }, asked) => {
    // The request has arrived when this process got it, however long Redis takes to tell the clock's shift.
    const arrival = momentOf(options.clock);
    const arrived = await arrivalOf(asked, state, store);
    const own = new MovableClock(options.clock, state.clock).at(arrival);
    return answerForwardedRequest(asked, { ...services, store: arrived, clock: own, profile, answerOptions });
  };
  const server = await startManagerServer(setup, {
    services,
    answerForwarded,
    answer: answerShared(options, services, state, link),
    findImage: (sha256) => state.getImage(sha256),
    beforeReading: async () => {
      await feed.read();
      clock.shift = state.clock;
    },
    end: async () => {
      await link.flush();
      state.redis.close();
    },
  });
  return { ...server, store, answerForwarded, journal };
}

/** Connects this manager's journal to those of the others: its entries go to them, and theirs come by the feed. */
function shareJournal(state: RedisBacking, { options, onEntry }: ManagerSetup) {
  const journal = new Journal(options.journalCapacity, options.journalBodyBytes);
  const link = new JournalLink(state);
  const feed = new JournalFeed(state, journal, link);
  // The feed records the others' entries here too: they must not go back, nor be logged twice.
  journal.recorded.on((entry) => {
    if (!feed.isReading && !(isOfManager(entry) && clearsJournal(entry))) link.add(entry);
  });
  journal.events.response.on((entry) => {
    if (!feed.isReading && isOfManager(entry)) onEntry?.(loggedOf(entry));
  });
  return { journal, link, feed };
}

/** Answers the manager's own routes with the clock of all managers. Requests that change it wait for each other. */
function answerShared(
  options: ResolvedOptions,
  services: Services,
  state: RedisBacking,
  link: JournalLink,
): (request: WireRequest) => Promise<Result> {
  const { clock } = services;
  /** Handles the request, and publishes its changes of clock and journal. */
  const handleInSync = async (request: WireRequest) => {
    // Without Redis the last shift counts: a route that needs no state still answers.
    await state.readClock().catch(() => {});
    clock.shift = state.clock;
    // Earlier entries must not appear after the clear.
    if (clearsJournal(request)) await link.flush();
    // Its own clock, which no other request sets back.
    const own = new MovableClock(options.clock, state.clock);
    const emulator = managerEmulator({ ...services, clock: own });
    const result = await emulator.handle(["manager"], request);
    if (changesClock(request)) await state.setClock(own.shift);
    if (clearsJournal(request)) await state.clearJournal();
    return result;
  };
  return async (request) => {
    try {
      if (!changesClock(request)) return await handleInSync(request);
      return await state.redis.exclusively("clock", () => handleInSync(request));
    } catch (error) {
      return managerEmulator(services).handle(["manager"], request, failureReply(error));
    }
  };
}

/** Reads the clock's shift first: with the request's database, which later checks need anyway, or alone. */
async function arrivalOf(
  { role, request, malformed }: ForwardedRequest,
  state: RedisBacking,
  store: RedisStore,
): Promise<RedisStore> {
  const accessKey = malformed === undefined ? namedAccessKey(header(request, "authorization")) : undefined;
  if (accessKey === undefined) await state.readClock().catch(() => {});
  const field = role === "query" ? "clientAccessKey" : "serverAccessKey";
  return store.arrival(accessKey === undefined ? undefined : [field, accessKey]);
}
