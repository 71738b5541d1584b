import type { JournalEntry } from "mock-cloud-reco";
import type { ThreeServers, ThreeServersSetup } from "../../src/servers/launch.ts";
import { startServiceServer } from "../../src/servers/service.ts";
import { startTargetManager } from "../../src/servers/target-manager.ts";

/** Three servers in this process that communicate over HTTP, exactly like three processes. */
export interface SeparateServers extends ThreeServers {
  /** The requests to all three servers, oldest first. */
  requests(): Promise<readonly JournalEntry[]>;
}

const UNUSED_URL = "http://localhost";

export async function startSeparateServers({
  listen,
  options,
}: Pick<ThreeServersSetup, "listen" | "options">): Promise<SeparateServers> {
  const manager = await startTargetManager({ listen: listen.manager, options: options(UNUSED_URL) });
  const state = { managerUrl: new URL(manager.url), managerCertificate: listen.manager.tls?.cert };
  const target = await startServiceServer("target-api", { state, listen: listen.target, options });
  const query = await startServiceServer("query", {
    state,
    listen: listen.query,
    options: () => options(UNUSED_URL),
  });
  return {
    manager,
    target,
    query,
    requests: async () => {
      await Promise.all([target.flushJournal(), query.flushJournal()]);
      return [...manager.journal.entries].sort((a, b) => a.time.getTime() - b.time.getTime());
    },
    // The manager last, because the others send it their journals.
    close: async (graceSeconds) => {
      for (const server of [query, target, manager]) await server.close(graceSeconds);
    },
  };
}
