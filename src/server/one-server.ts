import { generateCertificate } from "./certificate.ts";
import { requestLog } from "./request-log.ts";
import type { RunningServer } from "./running-server.ts";
import { seedFrom } from "./seed-file.ts";
import { resolveServerOptions } from "./server-options.ts";
import { startServiceServer } from "./service-server.ts";
import type { Role, ServerSettings } from "./settings.ts";
import { startTargetManager } from "./target-manager.ts";

/** Where report downloads are when nobody said where the target API can be reached (protocol section 11). */
const DEFAULT_SERVICE_BASE_URL = "https://vws.vuforia.com";

/**
 * Starts one of the three servers, as in a process or a container of its own.
 *
 * @throws InvalidSeedError; what the system says when it cannot listen there.
 */
export async function startOneServer(
  role: Role,
  settings: ServerSettings,
  write: (line: string) => void,
): Promise<RunningServer> {
  const { host, port, corsOrigin, logLevel, managerUrl, managerCertificate, seedFile } = settings;
  const tls = settings.tls === "generated" ? generateCertificate([host]) : settings.tls;
  const listen = { host, port, tls, corsOrigin };
  const options = resolveServerOptions(settings.options, DEFAULT_SERVICE_BASE_URL);
  const onEntry = requestLog(role, logLevel, write);
  if (role === "target-manager") {
    const manager = await startTargetManager({ listen, options, onEntry });
    try {
      if (seedFile !== undefined) await seedFrom(seedFile, manager.handleQuietly);
    } catch (error) {
      await manager.kill();
      throw error;
    }
    return manager;
  }
  if (managerUrl === undefined) throw new TypeError(`the ${role} server needs the target manager's URL`);
  return startServiceServer(role === "query" ? "query" : "targetApi", {
    listen,
    managerUrl,
    managerCertificate,
    options: () => options,
    onEntry,
  });
}
