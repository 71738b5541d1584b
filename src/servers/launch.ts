import { DEFAULT_URLS } from "../core/emulator/profiles.ts";
import { visible } from "../core/general/visible.ts";
import type { TlsFiles } from "../core/http/http-server-options.ts";
import type { Listen, RunningServer } from "../core/http/listen.ts";
import { setImageCacheBytes } from "../core/images/cache-limit.ts";
import { reachedUrl } from "../core/schema/base-url.ts";
import { hasCode } from "../core/schema/causes/causes.ts";
import { withoutUndefined } from "../core/schema/zod/record.ts";
import type { Role } from "../options/option.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { runsAll } from "../options/setting-names.ts";
import type { ServerSettings } from "../options/settings.ts";
import type { RedisAddress } from "../redis/connect.ts";
import { adviceOf, namesOf, type Starter } from "./advice.ts";
import { startApiServer } from "./api-server.ts";
import { generateCertificate } from "./certificate.ts";
import type { LoggedFacts } from "./forwarding-messages.ts";
import { type LogTarget, requestLog, warningLog } from "./log.ts";
import type { StartProgress } from "./server.ts";
import { type CheckedOptions, resolveServerOptions } from "./server-options.ts";
import { startSharedManager } from "./shared-manager.ts";
import {
  type Manager,
  type ManagerSetup,
  type StateSetup,
  startTargetManager,
  type TargetManager,
} from "./target-manager.ts";

/** The name of each server in options, and in errors. */
const SERVERS = {
  "target-manager": { key: "manager", name: "target manager" },
  "target-api": { key: "target", name: "target API server" },
  query: { key: "query", name: "query server" },
} as const;
type ServerKey = (typeof SERVERS)[Role]["key"];

/** How servers start, whatever they were configured with. */
export interface ServersSetup extends StateSetup {
  readonly listen: Readonly<Record<ServerKey, Listen>>;
  /** @param targetUrl - the target API server's URL. */
  readonly options: (targetUrl: string) => ResolvedOptions;
  readonly onEntry?: ((server: Role, entry: LoggedFacts) => void) | undefined;
}

export interface ThreeServers<Running extends Manager = TargetManager> {
  readonly manager: Running;
  readonly target: RunningServer;
  readonly query: RunningServer;
  close(graceSeconds?: number): Promise<void>;
}

/** Starts a manager that keeps the state, here or elsewhere. */
type StartManager<Running extends Manager> = (setup: ManagerSetup) => Promise<Running>;

/** @param state - the Redis or Valkey that keeps the state. */
export const managerOf = (state: RedisAddress | undefined): StartManager<Manager> =>
  state === undefined ? startTargetManager : (setup) => startSharedManager(setup, state);

/** Three servers that run in this process, wherever their state is. */
export interface Launched<Running extends Manager> {
  readonly servers: ThreeServers<Running>;
  readonly options: ResolvedOptions;
  /** The certificate that clients have to trust, as PEM text. */
  readonly certificate: string | undefined;
}

function portOptionOf(starter: Starter, server: ServerKey): string {
  if (starter === "startServers") return `ports.${server}`;
  return runsAll(starter) ? `${server}Port` : "port";
}

function setupOf(
  options: CheckedOptions,
  log: LogTarget,
  onProgress: StartProgress | undefined,
  starter: Starter,
) {
  const { host, hosts, ports, tls, corsOrigin, ...others } = options;
  const { seedFile, stateFile, logLevel, managerCorsOrigin, allowedHosts, ui, ...answering } = others;
  setImageCacheBytes(answering.imageCacheBytes);
  const files: (TlsFiles & { readonly authority?: string }) | undefined =
    tls === "generated" ? generateCertificate([host, ...Object.values(hosts), ...(allowedHosts ?? [])]) : tls;
  const listen = (role: Role): Listen => {
    const { key, name } = SERVERS[role];
    const portOption = namesOf(starter, portOptionOf(starter, key));
    return { host: hosts[key] ?? host, port: ports[key] ?? 0, name, portOption, tls: files, corsOrigin };
  };
  let isGzipTold = false;
  const setup: ServersSetup = {
    listen: {
      manager: { ...listen("target-manager"), corsOrigin: managerCorsOrigin },
      target: listen("target-api"),
      query: listen("query"),
    },
    options: (targetUrl) => resolveServerOptions(answering, adviceOf(starter), targetUrl),
    trust: {
      allowedHosts,
      allowOrigin: managerCorsOrigin,
      names: {
        allowedHosts: namesOf(starter, "allowedHosts"),
        allowOrigin: namesOf(starter, "managerCorsOrigin"),
      },
    },
    page: ui,
    seedFile,
    stateFile,
    complain: (line) => log.write(`${visible(line)}\n`),
    onProgress,
    onEntry: (server, entry) => {
      requestLog(server, logLevel, log)(entry);
      if (!isGzipTold && hasCode(entry.cause, (code) => code === "gzip.unasked")) {
        isGzipTold = true;
        warningLog(logLevel, log)(`${entry.method} ${entry.path}: ${entry.reason} (this is said once)`);
      }
    },
  };
  return { ...setup, certificate: files?.authority ?? files?.cert };
}

/** Report downloads need the target API server's URL; the other servers' options do not. */
const UNUSED_URL = DEFAULT_URLS.target;

/** @param urls - of the other servers. Default: unknown. */
function startManager<Running extends Manager>(
  setup: ServersSetup,
  start: StartManager<Running>,
  urls?: ManagerSetup["urls"],
): Promise<Running> {
  const { listen, options, onEntry } = setup;
  return start({
    ...setup,
    listen: listen.manager,
    options: options(UNUSED_URL),
    onEntry: (entry) => onEntry?.("target-manager", entry),
    urls,
  });
}

/**
 * Starts the three servers in this process: one emulator at three addresses.
 *
 * @throws the system's error when one cannot listen, StateRefusedError, InvalidSeedError; none keeps running.
 */
export async function startThreeServers<Running extends Manager>(
  setup: ServersSetup,
  start: StartManager<Running>,
): Promise<ThreeServers<Running>> {
  const { listen, options, onEntry } = setup;
  const apiServers: { target?: RunningServer; query?: RunningServer } = {};
  const urlOf = (api: "target" | "query", host?: string) => {
    const { url } = apiServers[api] ?? {};
    return url === undefined ? null : reachedUrl(url, listen[api].host, host);
  };
  const started: { close(graceSeconds?: number): Promise<void> }[] = [];
  const closeAll = async (graceSeconds?: number) => {
    for (const server of started.splice(0).reverse()) await server.close(graceSeconds);
  };
  let closing: Promise<void> | undefined;
  const close = (graceSeconds?: number) => {
    // Further calls wait, too. The error is reported once.
    const earlier = closing?.catch(() => {});
    closing ??= closeAll(graceSeconds);
    return earlier ?? closing;
  };
  try {
    const manager = await startManager(setup, start, (host) => ({
      target: urlOf("target", host),
      query: urlOf("query", host),
    }));
    started.push(manager);
    const target = await startApiServer("target-api", {
      manager,
      listen: listen.target,
      options,
      onEntry: (entry) => onEntry?.("target-api", entry),
    });
    started.push(target);
    const query = await startApiServer("query", {
      manager,
      listen: listen.query,
      options: () => options(UNUSED_URL),
      onEntry: (entry) => onEntry?.("query", entry),
    });
    started.push(query);
    Object.assign(apiServers, { target, query });
    return { manager, target, query, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/**
 * Starts three servers as their options or settings say.
 *
 * @throws InvalidOptionError, MissingSchemeError; the errors of {@link startThreeServers}.
 */
export async function launchServers<Running extends Manager>(
  options: CheckedOptions,
  start: StartManager<Running>,
  log: LogTarget,
  starter: Starter,
  onProgress?: StartProgress,
): Promise<Launched<Running>> {
  const { certificate, ...setup } = setupOf(options, log, onProgress, starter);
  const servers = await startThreeServers(setup, start);
  return { servers, options: setup.options(UNUSED_URL), certificate };
}

/**
 * Starts one of the servers in its own process or container.
 *
 * @throws InvalidSeedError; the system's error when it cannot listen there.
 */
export async function launchServer(
  role: Role,
  settings: ServerSettings,
  log: LogTarget,
  onProgress?: StartProgress,
): Promise<RunningServer> {
  const { options, port, state, managerUrl, managerCertificate, logFormat, warnings, ...own } = settings;
  const { key } = SERVERS[role];
  const given = { ...options, ...withoutUndefined(own) };
  const setup = setupOf({ ...given, hosts: {}, ports: { [key]: port } }, log, onProgress, role);
  warnings.forEach(warningLog(own.logLevel, log));
  // The other servers run in other processes, and their addresses are unknown here.
  if (role === "target-manager") return startManager(setup, managerOf(state));
  if (managerUrl === undefined) throw new TypeError(`the ${role} server needs the target manager's URL`);
  // Its own URL is unknown here: report downloads have the default one.
  const resolved = setup.options(DEFAULT_URLS.target);
  return startApiServer(role, {
    listen: setup.listen[key],
    manager: { managerUrl, managerCertificate, settings: () => options },
    options: () => resolved,
    onEntry: (entry) => setup.onEntry?.(role, entry),
  });
}
