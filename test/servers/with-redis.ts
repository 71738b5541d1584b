import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { afterAll, afterEach, beforeAll } from "vitest";
import { createRandom } from "../../src/emulator/random.ts";
import { resolveOptions } from "../../src/mock/options.ts";
import type { RunningServer } from "../../src/servers/http/listen.ts";
import { startSharedManager } from "../../src/servers/shared-manager.ts";
import type { RedisAddress } from "../../src/store/redis/connect.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";
import { type RunningRedis, startRedis } from "../support/redis-server.ts";
import { openDoor, resolvedBy } from "../support/separate-servers.ts";

export const listen = { host: "127.0.0.1", port: 0 };
export const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
export const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };
export const body = { name: "poster", width: 1, image: makePng().toString("base64") };
export const add = { method: "POST", path: "/targets", body } as const;
export const options = (targetUrl: string) => resolveOptions({ targetUrl, processingTimeSeconds: 0 });

export let redis: RunningRedis;
/** Servers that are closed after the test. */
export const open: { close(graceSeconds?: number): Promise<void> }[] = [];

/** Starts one Redis for all tests of the block. */
export function startForAll(): void {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close(0);
  });
  afterAll(() => redis?.close());
}

/** An emulator of its own. */
export const address = (url = redis.url): RedisAddress => ({
  stateUrl: new URL(url),
  statePrefix: createRandom().hex(8),
});

/** Starts two managers, a target API for each, and a query server; `at` has two ways to reach them. */
export async function opened(state = address(), given: Pick<MockCloudRecoOptions, "realism"> = {}) {
  const own = (targetUrl: string) => resolveOptions({ targetUrl, processingTimeSeconds: 0, ...given });
  const managers: Awaited<ReturnType<typeof startSharedManager>>[] = [];
  const apis: RunningServer[] = [];
  for (let count = 0; count < 2; count += 1) {
    const setup = { listen, options: own("http://unused"), resolveDoor: resolvedBy(own) };
    const manager = await startSharedManager(setup, state);
    managers.push(manager);
    apis.push(await openDoor("target-api", manager.url, listen, options));
  }
  const query = await openDoor("query", managers[0]?.url ?? "", listen, options);
  open.push(...apis, query, ...managers);
  return { at: managers.map((manager, index) => reached(apis[index]?.url ?? "", query.url, manager.url)) };
}
