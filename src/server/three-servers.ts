import type { ResolvedOptions } from "../options.ts";
import type { JournalEntry } from "../runtime/journal.ts";
import { JOURNAL_PATH } from "../store/internal-protocol.ts";
import { type SentEntry, unpackJournal } from "../store/journal-codec.ts";
import { ManagerClient } from "../store/manager-client.ts";
import { connectToManager } from "./manager-exchange.ts";
import type { Listen } from "./running-server.ts";
import { type ServiceServer, startServiceServer } from "./service-server.ts";
import { startTargetManager, type TargetManager } from "./target-manager.ts";

export interface ThreeServersSetup {
  readonly listen: Readonly<Record<"manager" | "target" | "query", Listen>>;
  /** @param targetUrl - the target API server's own URL. */
  readonly options: (targetUrl: string) => ResolvedOptions;
  readonly onEntry?:
    | ((server: "target-manager" | "target-api" | "query", entry: JournalEntry) => void)
    | undefined;
  /** Runs before the others start. */
  readonly whenManagerRuns?: (manager: TargetManager) => Promise<void>;
}

export interface ThreeServers {
  readonly manager: TargetManager;
  readonly target: ServiceServer;
  readonly query: ServiceServer;
  /** What all three were asked, oldest first. */
  requests(): Promise<readonly SentEntry[]>;
  close(graceSeconds?: number): Promise<void>;
}

/** Only the target API server's own URL tells where reports are downloaded; the others have none. */
const UNUSED_URL = "http://localhost";

/**
 * Starts the three servers in this process. They speak over HTTP, exactly as three processes do.
 *
 * @throws what the system says when one cannot listen; none is left behind.
 */
export async function startThreeServers(setup: ThreeServersSetup): Promise<ThreeServers> {
  const { listen, options, onEntry, whenManagerRuns } = setup;
  const started: { close(graceSeconds?: number): Promise<void> }[] = [];
  const close = async (graceSeconds?: number) => {
    // The manager last: the others hand it their journals.
    for (const server of started.splice(0).reverse()) await server.close(graceSeconds);
  };
  try {
    const manager = await startTargetManager({
      listen: listen.manager,
      options: options(UNUSED_URL),
      onEntry: (entry) => onEntry?.("target-manager", entry),
    });
    started.push(manager);
    await whenManagerRuns?.(manager);
    const shared = { managerUrl: new URL(manager.url), managerCertificate: listen.manager.tls?.cert };
    const target = await startServiceServer("targetApi", {
      ...shared,
      listen: listen.target,
      options,
      onEntry: (entry) => onEntry?.("target-api", entry),
    });
    started.push(target);
    const query = await startServiceServer("query", {
      ...shared,
      listen: listen.query,
      options: () => options(UNUSED_URL),
      onEntry: (entry) => onEntry?.("query", entry),
    });
    started.push(query);
    const requests = async () => {
      await Promise.all([target.flushJournal(), query.flushJournal()]);
      const connection = connectToManager(shared.managerUrl, shared.managerCertificate);
      try {
        const page = await new ManagerClient(connection.exchange).ask("GET", JOURNAL_PATH);
        return [...unpackJournal(page.body).entries].sort((a, b) => a.time.getTime() - b.time.getTime());
      } finally {
        connection.close();
      }
    };
    return { manager, target, query, requests, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}
