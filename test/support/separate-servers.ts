import type { JournalEntry } from "mock-cloud-reco";
import type { Listen, RunningServer } from "../../src/core/http/listen.ts";
import { startApiServer } from "../../src/servers/api-server.ts";
import type { ApiServerRole } from "../../src/servers/forwarding-messages.ts";
import { type ServersSetup, startThreeServers, type ThreeServers } from "../../src/servers/launch.ts";
import { startTargetManager } from "../../src/servers/target-manager.ts";

/** Three servers in this process that keep their state in memory. */
export const startJoinedServers = (setup: ServersSetup) => startThreeServers(setup, startTargetManager);

/** Three servers in this process that communicate over HTTP, exactly like three processes. */
export interface SeparateServers extends ThreeServers {
  /** The requests to all three servers, oldest first. */
  requests(): Promise<readonly JournalEntry[]>;
}

const UNUSED_URL = "http://localhost";

/** Options with functions, which an API server cannot tell the manager: the manager knows them by the API server's URL. */
type Options = ServersSetup["options"];
export const resolvedBy = (options: Options) => (settings: string) =>
  options(JSON.parse(settings).serviceBaseUrl);

/** Another API server to a manager that resolves settings by {@link resolvedBy}. */
export const openApiServer = (
  role: ApiServerRole,
  managerUrl: string,
  listen: Listen,
  options: Options,
  managerCertificate?: string,
): Promise<RunningServer> =>
  startApiServer(role, {
    listen,
    options,
    manager: {
      managerUrl: new URL(managerUrl),
      managerCertificate,
      settings: (url) => ({ serviceBaseUrl: url }),
    },
  });

export async function startSeparateServers({
  listen,
  options,
}: Pick<ServersSetup, "listen" | "options">): Promise<SeparateServers> {
  const manager = await startTargetManager({
    listen: listen.manager,
    options: options(UNUSED_URL),
    resolveApiServer: resolvedBy(options),
  });
  const certificate = listen.manager.tls?.cert;
  const target = await openApiServer("target-api", manager.url, listen.target, options, certificate);
  const query = await openApiServer("query", manager.url, listen.query, options, certificate);
  return {
    manager,
    target,
    query,
    requests: async () => manager.journal.entries,
    close: async (graceSeconds) => {
      for (const server of [query, target, manager]) await server.close(graceSeconds);
    },
  };
}
