import { ManualClock } from "mock-cloud-reco";
import { afterAll, beforeAll, describe } from "vitest";
import { createRandom } from "../../src/core/emulator/random.ts";
import { deleteState } from "../../src/core/store/snapshot.ts";
import { resolveOptions } from "../../src/options/options.ts";
import { RedisStore } from "../../src/redis/redis-store.ts";
import { startSharedManager, stateInRedis } from "../../src/servers/shared-manager.ts";
import type { Backend, Refused } from "./backends.ts";
import { changing, IDLE_MILLISECONDS, urlsOf, wholeSecondsNow } from "./emulator-changes.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "./redis-server.ts";
import { openApiServer, resolvedBy } from "./separate-servers.ts";

let redis: RunningRedis | undefined;

/** Three servers that keep their state in Redis. */
const redisBackend: Backend = {
  name: "servers with Redis",
  overSockets: true,
  async open(options = {}) {
    if (redis === undefined) throw new Error("Redis is not running");
    const clock = new ManualClock(wholeSecondsNow());
    const resolved = (targetUrl: string) => resolveOptions({ targetUrl, ...options, clock });
    const own = resolved("http://localhost");
    const state = { stateUrl: new URL(redis.url), statePrefix: createRandom().hex(8) };
    const listen = { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: IDLE_MILLISECONDS } };
    const manager = await startSharedManager(
      { listen, options: own, resolveApiServer: resolvedBy(resolved) },
      state,
    );
    const target = await openApiServer("target-api", manager.url, listen, resolved);
    const query = await openApiServer("query", manager.url, listen, resolved);
    const backing = await stateInRedis(state, own);
    const store = new RedisStore(backing);
    return {
      urls: urlsOf({ target, query, manager }),
      clock,
      ...changing(store, own, clock),
      latest: async (): Promise<Refused> => manager.journal.entries.at(-1) ?? {},
      requests: async () => manager.journal.entries,
      [Symbol.asyncDispose]: async () => {
        for (const server of [query, target, manager]) await server.close(0);
        await store.run(deleteState);
        backing.redis.close();
      },
    };
  },
};

/** Runs the same tests on servers with Redis. */
export function describeOnRedis(name: string, define: (backend: Backend) => void): void {
  describe.skipIf(whyNoRedis !== undefined)(`${name} (${redisBackend.name})`, () => {
    beforeAll(async () => {
      redis = await startRedis("--appendfsync", "no");
    });
    afterAll(async () => {
      await redis?.close();
      redis = undefined;
    });
    define(redisBackend);
  });
}
