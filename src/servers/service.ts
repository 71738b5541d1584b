import { setTimeout } from "node:timers/promises";
import { createEmulator } from "../apis/index.ts";
import { MovableClock, momentOf } from "../emulator/clock.ts";
import type { EmulatorOptions } from "../emulator/emulator.ts";
import { Journal, type JournalEntry } from "../emulator/journal.ts";
import { header, type Result, type WireRequest } from "../emulator/message.ts";
import { createRandom, systemRandom } from "../emulator/random.ts";
import { bodyReply } from "../emulator/response.ts";
import { namedAccessKey } from "../emulator/signing.ts";
import type { Role } from "../mock/option.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import type { Service } from "../schema/protocol.ts";
import type { SharedState as BackingState } from "../store/backing.ts";
import { ManagerClient } from "../store/manager/manager-client.ts";
import { SERVER_HEADER } from "../store/manager/protocol.ts";
import type { RedisAddress } from "../store/redis/connect.ts";
import { SharedStore } from "../store/shared-store.ts";
import { JournalLink } from "./journal-link.ts";
import { connectToManager, type ManagerAddress } from "./manager-connection.ts";
import {
  failureReply,
  forHealthChecks,
  isHealthCheck,
  type Listen,
  type RunningServer,
  startServer,
} from "./server.ts";
import { remoteFaults, stateInRedis } from "./shared-manager.ts";
import type { LocalState } from "./target-manager.ts";

/** The roles of the stateless servers. */
type ServiceRole = Exclude<Role, "target-manager">;

/** The APIs of each; the first one answers unserved paths. */
const SERVED: Readonly<Record<ServiceRole, readonly [Service, ...Service[]]>> = {
  "target-api": ["target", "modelTarget"],
  query: ["query"],
};

const EMULATOR_OPTIONS: EmulatorOptions = { unservedPaths: "notFound", answerFailure: failureReply };

/** How long a stop waits for the manager to receive the journal, in milliseconds: first while the last requests finish, then after them. */
const STOP_MILLISECONDS = 1200;
const LATEST_ENTRIES_MILLISECONDS = 250;

export interface ServiceSetup {
  readonly listen: Listen;
  /** The state of a manager in this process, or the address of shared state. */
  readonly state: LocalState | ManagerAddress | RedisAddress;
  /** @param url - the server's URL. */
  readonly options: (url: string) => ResolvedOptions;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
}

export interface ServiceServer extends RunningServer {
  /** Resolves when the manager's journal has every entry of this server, or the manager is unavailable. */
  flushJournal(): Promise<void>;
}

/**
 * Starts the target API server or the query server. It starts without the manager too: only requests that need the manager
 * fail.
 *
 * @throws the system's error when it cannot listen there.
 */
export function startServiceServer(
  role: ServiceRole,
  { state, ...setup }: ServiceSetup,
): Promise<ServiceServer> {
  return "store" in state ? startSharing(role, state, setup) : startRemote(role, state, setup);
}

type OwnSetup = Omit<ServiceSetup, "state">;

async function startSharing(
  role: ServiceRole,
  { journal, ...shared }: LocalState,
  { listen, options, onEntry }: OwnSetup,
): Promise<ServiceServer> {
  const apis = SERVED[role];
  journal.events.response.on((entry) => {
    if (apis.includes(entry.api)) onEntry?.(entry);
  });
  const server = await startServer(listen, (url) => {
    const { profile, settings } = options(url);
    const services = { ...shared, profile, settings, journal };
    const emulator = createEmulator(services, EMULATOR_OPTIONS);
    const healthChecked = createEmulator(forHealthChecks(services), EMULATOR_OPTIONS);
    return {
      apis,
      emulator,
      handle: (request) => (isHealthCheck(request) ? healthChecked : emulator).handle(apis, request),
    };
  });
  return { ...server, flushJournal: async () => {} };
}

async function startRemote(
  role: ServiceRole,
  address: ManagerAddress | RedisAddress,
  { listen, options, onEntry }: OwnSetup,
): Promise<ServiceServer> {
  const self = `${role} ${systemRandom.hex(16)}`;
  const { state, disconnect } = await connected(address, self, options);
  const shared = new SharedStore(state);
  // The manager keeps the entries, and numbers them: nothing here may refer to an earlier one.
  const journal = new Journal(0);
  const link = new JournalLink(state);
  journal.recorded.on((entry) => link.add(entry));
  journal.events.response.on((entry) => onEntry?.(entry));
  const apis = SERVED[role];
  const server = await startServer(listen, (url) => {
    const { clock: base, profile, seed, settings: own } = options(url);
    // The manager rates; with Redis, this server does.
    const settings = "managerUrl" in address ? { ...own, targetRater: undefined } : own;
    const clock = new MovableClock(base);
    const services = {
      clock,
      profile,
      settings,
      journal,
      random: createRandom(seed),
      faults: remoteFaults(state),
    };
    const withStore = { ...services, store: shared };
    const emulator = createEmulator(withStore, EMULATOR_OPTIONS);
    const healthChecked = createEmulator(forHealthChecks(withStore), EMULATOR_OPTIONS);
    return {
      apis,
      emulator,
      prepare: async () => {
        await state.readClock().catch(() => {});
        clock.setting = state.clock;
      },
      handle: async (request) => {
        if (header(request, SERVER_HEADER) !== undefined) return notATargetManager(self);
        if (isHealthCheck(request)) return healthChecked.handle(apis, request);
        const arrival = momentOf(base);
        const store = await prepareStore(state, shared, role, request);
        clock.setting = state.clock;
        const forRequest = { ...services, clock: clock.at(arrival), store };
        return createEmulator(forRequest, EMULATOR_OPTIONS).handle(apis, request);
      },
    };
  });
  const flushWithin = async (milliseconds: number) => {
    const timeout = new AbortController();
    const { signal } = timeout;
    await Promise.race([link.flush(), setTimeout(milliseconds, undefined, { signal }).catch(() => {})]);
    timeout.abort();
  };
  const end = async (ending: Promise<void>) => {
    // While the last requests finish, so that a manager that hangs does not delay the stop further.
    await Promise.all([ending, flushWithin(STOP_MILLISECONDS)]);
    await flushWithin(LATEST_ENTRIES_MILLISECONDS);
    disconnect();
  };
  return {
    ...server,
    flushJournal: () => link.flush(),
    close: (graceSeconds) => end(server.close(graceSeconds)),
    kill: () => end(server.kill()),
  };
}

async function connected(
  address: ManagerAddress | RedisAddress,
  self: string,
  options: ServiceSetup["options"],
): Promise<{ readonly state: BackingState; disconnect(): void }> {
  if ("stateUrl" in address) {
    const state = await stateInRedis(address, options("http://localhost"));
    return { state, disconnect: () => state.redis.close() };
  }
  const { exchange, close } = connectToManager(address, self);
  return { state: new ManagerClient(exchange), disconnect: close };
}

/**
 * Answers another server that mistakes this one for its target manager. The journal does not record it, because its entries
 * are sent to the manager, which may be this server.
 */
function notATargetManager(self: string): Result {
  const reply = bodyReply(
    421,
    "text/plain",
    `this is not a target manager but a ${self.split(" ", 1)[0]} server`,
  );
  return { response: { ...reply, headers: [...reply.headers, [SERVER_HEADER, self]] } };
}

/**
 * Learns the clock's setting from the manager before anything reads the clock: by reading the database whose key the
 * request names, which later checks need anyway, or else by reading only the clock. While the manager is unavailable, the
 * clock keeps its last setting, and checks that need the manager report the failure.
 */
async function prepareStore(
  state: BackingState,
  shared: SharedStore,
  role: ServiceRole,
  request: WireRequest,
): Promise<SharedStore> {
  const accessKey = namedAccessKey(header(request, "authorization"));
  if (accessKey === undefined) await state.readClock().catch(() => {});
  const field = role === "query" ? "clientAccessKey" : "serverAccessKey";
  return shared.arrival(accessKey === undefined ? undefined : [field, accessKey]);
}
