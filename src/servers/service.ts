import { createEmulator } from "../apis/index.ts";
import { bodyReply } from "../apis/shared/plain.ts";
import { MovableClock } from "../core/clock.ts";
import type { EmulatorOptions } from "../core/emulator.ts";
import { Journal, type JournalEntry } from "../core/journal.ts";
import { header, type Result, type WireRequest } from "../core/message.ts";
import type { Service } from "../core/operation-names.ts";
import { createRandom } from "../core/random.ts";
import { namedAccessKey } from "../core/signing.ts";
import { assessImage } from "../images/assess.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import type { SharedState as BackingState } from "../store/backing.ts";
import { SERVER_HEADER } from "../store/manager/internal-protocol.ts";
import { ManagerClient } from "../store/manager/manager-client.ts";
import { connectToRedis, type RedisAddress } from "../store/redis/connect.ts";
import { SharedStore } from "../store/shared-store.ts";
import { JournalLink } from "./journal-link.ts";
import { connectToManager } from "./manager-connection.ts";
import { failureReply, type Listen, type RunningServer, startServer } from "./server.ts";
import type { LocalState } from "./target-manager.ts";

/** What each of the two servers without state serves; the first API answers what none of them serves. */
const SERVED = {
  targetApi: ["target", "modelTarget"],
  query: ["query"],
} as const satisfies Readonly<Record<string, readonly [Service, ...Service[]]>>;

const ROLE_NAMES = { targetApi: "target-api", query: "query" } as const;

/** How long a stop waits for the manager to take the journal, in milliseconds: first beside the last requests, then alone. */
const STOP_MILLISECONDS = 1200;
const LATEST_ENTRIES_MILLISECONDS = 250;

/** Where the target manager is that keeps the state. */
export interface ManagerAddress {
  readonly managerUrl: URL;
  /** A certificate to trust when the manager is spoken to over TLS, as PEM text. */
  readonly managerCertificate?: string | undefined;
  /** How long the manager may be silent while it has requests, in milliseconds. */
  readonly managerPatienceMilliseconds?: number | undefined;
}

export interface ServiceSetup {
  readonly listen: Listen;
  /** Of a manager in this process, or behind an address. */
  readonly state: LocalState | ManagerAddress | RedisAddress;
  /** @param url - the server's own URL. */
  readonly options: (url: string) => ResolvedOptions;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
}

/** A server without state. */
export interface ServiceServer extends RunningServer {
  /** Resolves when the manager's journal has every entry of this server, or the manager is away. */
  flushJournal(): Promise<void>;
}

/**
 * Starts the target API server or the query server. Whether the manager is there matters only
 * to the requests that need it.
 *
 * @throws what the system says when it cannot listen there.
 */
export function startServiceServer(
  role: keyof typeof SERVED,
  { listen, state, options, onEntry }: ServiceSetup,
): Promise<ServiceServer> {
  return "store" in state
    ? startSharing(role, state, listen, options, onEntry)
    : startRemote(role, state, listen, options, onEntry);
}

async function startSharing(
  role: keyof typeof SERVED,
  { journal, faults, ...shared }: LocalState,
  listen: Listen,
  options: ServiceSetup["options"],
  onEntry: ServiceSetup["onEntry"],
): Promise<ServiceServer> {
  const apis: readonly [Service, ...Service[]] = SERVED[role];
  journal.events.response.on((entry) => {
    if (apis.includes(entry.api)) onEntry?.(entry);
  });
  const server = await startServer(listen, (url) => {
    const { profile, settings } = options(url);
    const emulator = createEmulator(
      { ...shared, profile, settings, journal },
      { unservedPaths: "notFound", answerFailure: failureReply, faults },
    );
    return { api: apis[0], emulator, handle: (request) => emulator.handle(apis, request) };
  });
  return { ...server, flushJournal: async () => {} };
}

async function startRemote(
  role: keyof typeof SERVED,
  address: ManagerAddress | RedisAddress,
  listen: Listen,
  options: ServiceSetup["options"],
  onEntry: ServiceSetup["onEntry"],
): Promise<ServiceServer> {
  const self = `${ROLE_NAMES[role]} ${createRandom().hex(16)}`;
  const { state, disconnect } = await connected(address, self, options);
  const shared = new SharedStore(state);
  // The manager keeps the entries; here they only pass, and bodies take memory until they were handed over.
  const journal = new Journal(1);
  const link = new JournalLink(state, () => journal.clear());
  journal.events.response.on((entry) => {
    link.add(entry);
    onEntry?.(entry);
  });
  const apis = SERVED[role];
  const server = await startServer(listen, (url) => {
    const { clock: base, profile, seed, settings } = options(url);
    const clock = new MovableClock(base);
    const services = { clock, profile, settings, journal, random: createRandom(seed) };
    const emulatorOptions: EmulatorOptions = {
      unservedPaths: "notFound",
      answerFailure: failureReply,
    };
    const emulator = createEmulator({ ...services, store: shared }, emulatorOptions);
    return {
      api: apis[0],
      emulator,
      handle: async (request) => {
        if (header(request, SERVER_HEADER) !== undefined) return refusedToServer(self);
        const arrival = base.now();
        const store = await arrive(state, shared, role, request);
        clock.setting = state.clock;
        const forRequest = { ...services, clock: clock.at(arrival), store };
        return createEmulator(forRequest, emulatorOptions).handle(apis, request);
      },
    };
  });
  const handOver = async (milliseconds: number) => {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([link.flush(), enough]);
    clearTimeout(timer);
  };
  const end = async (ending: Promise<void>) => {
    // At the same time as the last requests: a manager that hangs keeps the server no longer than they do.
    await Promise.all([ending, handOver(STOP_MILLISECONDS)]);
    await handOver(LATEST_ENTRIES_MILLISECONDS);
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
    const { targetRater } = options("http://localhost");
    const state = await connectToRedis(address, (image) => assessImage(image, targetRater));
    return { state, disconnect: () => state.close() };
  }
  const { managerUrl, managerCertificate, managerPatienceMilliseconds } = address;
  const { exchange, close } = connectToManager(managerUrl, {
    ca: managerCertificate,
    self,
    patienceMilliseconds: managerPatienceMilliseconds,
  });
  return { state: new ManagerClient(exchange), disconnect: close };
}

/**
 * Answers another server that takes this one for its target manager. Not journalled: that would be sent to the manager,
 * which may be this very server.
 */
function refusedToServer(self: string): Result {
  const reply = bodyReply(
    421,
    "text/plain",
    `this is not a target manager but a ${self.split(" ", 1)[0]} server`,
  );
  return { response: { ...reply, headers: [...reply.headers, [SERVER_HEADER, self]] } };
}

/**
 * Has the manager say how the clock is set, before anything looks at it: by asking for the database whose key the request
 * names, which is then read already, or for nothing else. While the manager is away, the clock stays as it was set, and
 * the checks that need the manager say so.
 */
async function arrive(
  state: BackingState,
  shared: SharedStore,
  role: keyof typeof SERVED,
  request: WireRequest,
): Promise<SharedStore> {
  const accessKey = namedAccessKey(header(request, "authorization"));
  if (accessKey === undefined) await state.readClock().catch(() => {});
  const field = role === "query" ? "clientAccessKey" : "serverAccessKey";
  return shared.arrival(accessKey === undefined ? undefined : [field, accessKey]);
}
