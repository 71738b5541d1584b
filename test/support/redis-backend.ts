import { type JournalEntry, ManualClock } from "mock-cloud-reco";
import { afterAll, beforeAll, describe } from "vitest";
import { createRandom } from "../../src/emulator/random.ts";
import { resolveOptions } from "../../src/mock/options.ts";
import { startServiceServer } from "../../src/servers/service.ts";
import { startSharedManager, stateInRedis } from "../../src/servers/shared-manager.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import type { Backend, Refused } from "./backends.ts";
import { changing, IDLE_MILLISECONDS, urlsOf, wholeSecondsNow } from "./emulator-changes.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "./redis-server.ts";

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
    let latest: Refused = {};
    const setup = {
      state,
      listen: { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: IDLE_MILLISECONDS } },
      options: resolved,
      onEntry: (entry: JournalEntry) => {
        latest = entry;
      },
    };
    const manager = await startSharedManager({ ...setup, options: own }, state);
    const target = await startServiceServer("target-api", setup);
    const query = await startServiceServer("query", setup);
    const backing = await stateInRedis(state, own);
    return {
      urls: urlsOf({ target, query, manager }),
      clock,
      ...changing(new SharedStore(backing), own, clock),
      latest: async () => {
        await Promise.all([target.flushJournal(), query.flushJournal()]);
        return latest;
      },
      [Symbol.asyncDispose]: async () => {
        for (const server of [query, target, manager]) await server.close(0);
        await backing.reset();
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
