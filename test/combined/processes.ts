import { startRedis } from "../support/redis-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { type Environment, pageAt, type SeenRequest, untilSeen, type World } from "./environments.ts";
import { PROCESSING_SECONDS, START } from "./state.ts";

export interface SharedEnvironment {
  readonly environment: Environment;
  end(): Promise<void>;
}

interface ListedRequest {
  readonly api: string;
  readonly operation: string | null;
  readonly refused_by: string | null;
  readonly fault: unknown;
  readonly number: number;
}

/**
 * Three processes, which programs reset before they begin.
 *
 * @param command - the path of the command that starts them.
 */
export async function processes(keptIn: "memory" | "redis", command: string): Promise<SharedEnvironment> {
  const redis = keptIn === "redis" ? await startRedis() : undefined;
  const options = {
    PROCESSING_TIME_SECONDS: String(PROCESSING_SECONDS),
    TARGET_RATER: "perfect",
    QUERY_IMAGE_MATCHER: "exact",
    DUPLICATES_IMAGE_MATCHER: "exact",
  };
  const manager = await ServerProcess.of(command, "target-manager", {
    ...options,
    ...(redis && { STATE_URL: redis.url, STATE_PREFIX: "combined" }),
  });
  const others = { ...options, TARGET_MANAGER_BASE_URL: manager.url };
  const target = await ServerProcess.of(command, "target-api", others);
  const query = await ServerProcess.of(command, "query", others);
  const all = [manager, target, query];
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(manager.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok)
      throw new Error(`manager ${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const freeze = () => ask("PUT", "/clock", { now: new Date(START), frozen: true });
  const seen = async (): Promise<readonly SeenRequest[]> => {
    const page: { readonly requests: readonly ListedRequest[] } = JSON.parse(
      await (await ask("GET", "/requests")).text(),
    );
    return page.requests.map(({ api, operation, refused_by, fault, number }) => ({
      api,
      operation: String(operation),
      refused: refused_by !== null,
      fault: fault !== null,
      number,
    }));
  };
  const killed = (server: ServerProcess, losesState = false) => ({
    losesState,
    restart: async () => {
      // A manager on Redis keeps what its journal has shown; a kill may lose later entries.
      if (redis !== undefined) await ask("GET", "/requests");
      await server.kill();
      await server.start();
      if (losesState) await freeze();
    },
  });
  const world: World = {
    control: undefined,
    mock: undefined,
    urls: { target: target.url, query: query.url, manager: manager.url },
    send: fetch,
    clockRuns: true,
    freeze,
    seen: (expected) => untilSeen(seen, expected),
    openPage: async () => pageAt(`${manager.url}/`),
    kill: {
      target: killed(target),
      query: killed(query),
      manager: killed(manager, redis === undefined),
    },
    close: async () => {},
  };
  return {
    environment: async () => {
      await ask("POST", "/reset");
      await ask("DELETE", "/requests");
      await freeze();
      return world;
    },
    end: async () => {
      for (const server of all) await server.kill();
      await redis?.close();
    },
  };
}
