import { setImageCacheBytes } from "../images/cache-limit.ts";
import type { Role } from "../mock/option.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import type { RedisAddress } from "../store/redis/connect.ts";
import { generateCertificate } from "./certificate.ts";
import { startDoor } from "./door.ts";
import type { LoggedFacts } from "./door-messages.ts";
import type { Listen, RunningServer } from "./http/listen.ts";
import { type LogTarget, requestLog } from "./log.ts";
import { seedFrom } from "./seed-file.ts";
import type { StartProgress } from "./server.ts";
import { resolveServerOptions } from "./server-options.ts";
import type { ServerSettings } from "./settings.ts";
import { startSharedManager } from "./shared-manager.ts";
import { type Manager, type ManagerSetup, startTargetManager, type TargetManager } from "./target-manager.ts";

export interface ThreeServersSetup
  extends Pick<ManagerSetup, "trust" | "stateFile" | "complain" | "onProgress" | "resolveDoor"> {
  readonly listen: Readonly<Record<"manager" | "target" | "query", Listen>>;
  /** @param targetUrl - the target API server's URL. */
  readonly options: (targetUrl: string) => ResolvedOptions;
  readonly onEntry?: ((server: Role, entry: LoggedFacts) => void) | undefined;
  /** Whether the manager serves its page to browsers. */
  readonly page?: boolean | undefined;
  /** Runs before the other servers start. */
  readonly whenManagerRuns?: (manager: Manager) => Promise<void>;
}

export interface ThreeServers<Running extends Manager = TargetManager> {
  readonly manager: Running;
  readonly target: RunningServer;
  readonly query: RunningServer;
  close(graceSeconds?: number): Promise<void>;
}

/** Report downloads need the target API server's URL; the other servers' options do not. */
export const UNUSED_URL = "http://localhost";

/**
 * Starts the three servers in this process. They share their state, as one emulator at three addresses.
 *
 * @param address - of the Redis or Valkey that keeps the state. Default: the target manager keeps it.
 * @throws the system's error when one cannot listen, StateRefusedError; none keeps running.
 */
export function startThreeServers(setup: ThreeServersSetup): Promise<ThreeServers>;
export function startThreeServers(
  setup: ThreeServersSetup,
  address: RedisAddress | undefined,
): Promise<ThreeServers<Manager>>;
export async function startThreeServers(
  setup: ThreeServersSetup,
  address?: RedisAddress,
): Promise<ThreeServers<Manager>> {
  const { listen, options, onEntry, page, whenManagerRuns } = setup;
  const urls: { target: string | null; query: string | null } = { target: null, query: null };
  const started: { close(graceSeconds?: number): Promise<void> }[] = [];
  const closeAll = async (graceSeconds?: number) => {
    for (const server of started.splice(0).reverse()) await server.close(graceSeconds);
  };
  let closing: Promise<void> | undefined;
  const close = (graceSeconds?: number) => {
    // Who closes them again waits, too. What is wrong is told once.
    const earlier = closing?.catch(() => {});
    closing ??= closeAll(graceSeconds);
    return earlier ?? closing;
  };
  try {
    const own: ManagerSetup = {
      ...setup,
      listen: listen.manager,
      options: options(UNUSED_URL),
      onEntry: (entry) => onEntry?.("target-manager", entry),
      page: page === true ? { urls: () => urls } : undefined,
    };
    const manager = await (address ? startSharedManager(own, address) : startTargetManager(own));
    started.push(manager);
    await whenManagerRuns?.(manager);
    const target = await startDoor("target-api", {
      manager,
      listen: listen.target,
      options,
      onEntry: (entry) => onEntry?.("target-api", entry),
    });
    started.push(target);
    const query = await startDoor("query", {
      manager,
      listen: listen.query,
      options: () => options(UNUSED_URL),
      onEntry: (entry) => onEntry?.("query", entry),
    });
    started.push(query);
    urls.target = target.url;
    urls.query = query.url;
    return { manager, target, query, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/**
 * Starts one of the three servers in its own process or container.
 *
 * @throws InvalidSeedError; the system's error when it cannot listen there.
 */
export async function startOneServer(
  role: Role,
  settings: ServerSettings,
  log: LogTarget,
  onProgress?: StartProgress,
): Promise<RunningServer> {
  const { host, port, logLevel, managerUrl, managerCertificate, state, seedFile, stateFile } = settings;
  const { corsOrigin, managerCorsOrigin, allowedHosts, ui } = settings;
  const tls =
    settings.tls === "generated" ? generateCertificate([host, ...(allowedHosts ?? [])]) : settings.tls;
  const listen = { host, port, name: `${role} server`, portOption: "--port or PORT", tls, corsOrigin };
  const options = resolveServerOptions(settings.options);
  setImageCacheBytes(settings.options.imageCacheBytes);
  const onEntry = requestLog(role, logLevel, log);
  if (role === "target-manager") {
    const setup: ManagerSetup = {
      listen: { ...listen, corsOrigin: managerCorsOrigin },
      options,
      onEntry,
      stateFile,
      onProgress,
      trust: { allowedHosts, allowOrigin: managerCorsOrigin },
      // The other servers run in other processes, and their addresses are unknown here.
      page: ui ? { urls: () => ({ target: null, query: null }) } : undefined,
    };
    const manager = await (state ? startSharedManager(setup, state) : startTargetManager(setup));
    try {
      if (seedFile !== undefined && !manager.isRestored)
        await seedFrom(seedFile, manager.handleQuietly, onProgress);
    } catch (error) {
      await manager.kill();
      throw error;
    }
    return manager;
  }
  if (managerUrl === undefined) throw new TypeError(`the ${role} server needs the target manager's URL`);
  return startDoor(role, {
    listen,
    manager: { managerUrl, managerCertificate, settings: () => settings.options },
    options: () => options,
    onEntry,
  });
}
