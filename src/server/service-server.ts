import { Emulator, type EmulatorOptions } from "../emulator.ts";
import { namedAccessKey } from "../guards/rate-limits.ts";
import { header, type WireRequest } from "../http/wire-message.ts";
import type { ResolvedOptions } from "../options.ts";
import { Journal, type JournalEntry } from "../runtime/journal.ts";
import { type ClockSetting, MovableClock } from "../runtime/movable-clock.ts";
import type { Service } from "../runtime/operation.ts";
import { createRandom } from "../runtime/random.ts";
import { CLOCK_PATH } from "../store/internal-protocol.ts";
import { ManagerClient } from "../store/manager-client.ts";
import { RemoteStore } from "../store/remote-store.ts";
import { failureReply } from "./failure-reply.ts";
import { JournalLink } from "./journal-link.ts";
import { connectToManager } from "./manager-exchange.ts";
import { type Listen, type RunningServer, startServer } from "./running-server.ts";

/** What each of the two servers without state serves; the first API answers what none of them serves. */
const SERVED = {
  targetApi: ["target", "modelTarget"],
  query: ["query"],
} as const satisfies Readonly<Record<string, readonly [Service, ...Service[]]>>;

export interface ServiceSetup {
  readonly listen: Listen;
  readonly managerUrl: URL;
  /** A certificate to trust when the manager is spoken to over TLS, as PEM text. */
  readonly managerCertificate?: string | undefined;
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
 * Starts the target API server or the query server (protocol section 11). Whether the manager is there matters only
 * to the requests that need it.
 *
 * @throws what the system says when it cannot listen there.
 */
export async function startServiceServer(
  role: keyof typeof SERVED,
  { listen, managerUrl, managerCertificate, options, onEntry }: ServiceSetup,
): Promise<ServiceServer> {
  const connection = connectToManager(managerUrl, managerCertificate);
  const manager = new ManagerClient(connection.exchange);
  const remote = new RemoteStore(manager);
  const link = new JournalLink(manager);
  // The manager keeps the entries; here they only pass.
  const journal = new Journal(1);
  journal.events.response.on((entry) => {
    link.add(entry);
    onEntry?.(entry);
  });
  const apis = SERVED[role];
  const emulatorOptions: EmulatorOptions = {
    unservedPaths: "notFound",
    answerFailure: failureReply,
    journal,
  };
  const server = await startServer(listen, (url) => {
    const { clock: base, profile, seed, settings } = options(url);
    const clock = new MovableClock(base);
    const services = { clock, profile, settings, random: createRandom(seed) };
    const emulator = new Emulator({ ...services, store: remote }, emulatorOptions);
    return {
      api: apis[0],
      emulator,
      settings,
      handle: async (request) => {
        const arrival = base.now();
        const store = remote.forRequest();
        clock.setting = await hearOfClock(manager, store, role, request);
        const forRequest = { ...services, clock: clock.at(arrival), store };
        return new Emulator(forRequest, emulatorOptions).handle(apis, request);
      },
    };
  });
  const ended = async () => {
    await link.flush();
    connection.close();
  };
  return {
    ...server,
    flushJournal: () => link.flush(),
    close: (graceSeconds) => server.close(graceSeconds).then(ended),
    kill: () => server.kill().then(ended),
  };
}

/**
 * Has the manager say how the clock is set, before anything looks at it: by asking for the database whose key the request
 * names, which is then read already, or for nothing else. While the manager is away, the clock stays as it was set.
 */
async function hearOfClock(
  manager: ManagerClient,
  store: RemoteStore,
  role: keyof typeof SERVED,
  request: WireRequest,
): Promise<ClockSetting> {
  const accessKey = namedAccessKey(header(request, "authorization"));
  try {
    if (accessKey === undefined) await manager.ask("GET", CLOCK_PATH);
    else if (role === "query") await store.findDatabaseByClientAccessKey(accessKey);
    else await store.findDatabaseByServerAccessKey(accessKey);
  } catch {
    // The checks that need the manager say so; others can do without.
  }
  return manager.clock;
}
