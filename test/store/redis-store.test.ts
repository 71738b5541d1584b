import { Redis } from "iovalkey";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom } from "../../src/emulator/random.ts";
import { RedisBacking } from "../../src/store/redis/redis-backing.ts";
import { RedisConnection } from "../../src/store/redis/redis-connection.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "../support/redis-server.ts";
import { assessByBytes, cloud, created, image, NOW, newTarget } from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";

let redis: RunningRedis;

const connect = (prefix: string) => {
  const client = new Redis(redis.url);
  const connection = new RedisConnection(client, prefix, redis.url);
  return { client, connection, backing: new RedisBacking(connection, assessByBytes) };
};

describe.skipIf(whyNoRedis !== undefined)("with a real Redis", () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  describeStoreContract("in Redis", async () => {
    const { client, backing } = connect(createRandom().hex(8));
    return { store: new SharedStore(backing), close: async () => client.disconnect() };
  });

  const opened = async (servers: number) => {
    const prefix = createRandom().hex(8);
    const all = Array.from({ length: servers }, () => connect(prefix));
    const [first] = all;
    if (first === undefined) throw new Error("no server");
    return {
      stores: all.map(({ backing }) => new SharedStore(backing)),
      client: first.client,
      prefix,
      [Symbol.dispose]: () => {
        for (const { client } of all) client.disconnect();
      },
    };
  };

  test("of 64 targets with one name added at once through all servers, one is created", async () => {
    using servers = await opened(5);
    const [first] = servers.stores;
    await first?.createDatabase(cloud({ databaseName: "shop" }));
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        servers.stores[index % 5]?.createTarget("shop", newTarget({ name: "poster" }), NOW),
      ),
    );
    expect(results.filter((result) => result === "nameTaken")).toHaveLength(63);
    expect(await first?.countTargets("shop")).toBe(1);
  });

  test("concurrent writes are all kept, and every server sees them", async () => {
    using servers = await opened(4);
    await servers.stores[0]?.createDatabase(cloud({ databaseName: "shop" }));
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        servers.stores[index % 4]?.createTarget("shop", newTarget({ name: `target ${index}` }), NOW),
      ),
    );
    const lists = await Promise.all(servers.stores.map((store) => store.listTargets("shop")));
    expect(lists.map((list) => list.length)).toEqual([40, 40, 40, 40]);
    expect(new Set(lists.map((list) => list.map(({ targetId }) => targetId).join())).size).toBe(1);
  });

  test("a limit is exact across all servers, in any order of requests", async () => {
    using servers = await opened(3);
    await servers.stores[0]?.createDatabase(cloud({ databaseName: "shop" }));
    const rule = { key: "other", maxRequests: 15, windowSeconds: 1 };
    for (let round = 0; round < 50; round += 1) {
      const start = NOW + round * 10_000;
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          servers.stores[index % 3]?.takeRateToken("shop", [rule], start + ((index * 7) % 20)),
        ),
      );
      expect(results.filter((result) => result === undefined)).toHaveLength(15);
    }
  });

  test("an image is kept once while targets use it, and is deleted with the last one", async () => {
    using servers = await opened(1);
    const { client, prefix } = servers;
    const [store] = servers.stores;
    if (store === undefined) throw new Error("no server");
    await store.createDatabase(cloud({ databaseName: "shop" }));
    const first = await created(store, "shop", { image: image(1, 1, 7) });
    const second = await created(store, "shop", { image: image(1, 1, 7) });
    const key = `{${prefix}}:image:${first.image.sha256}`;
    expect(await client.ttl(key)).toBe(-1);
    await store.deleteTarget("shop", first.targetId, NOW, true);
    expect(await client.ttl(key)).toBe(-1);
    await store.deleteTarget("shop", second.targetId, NOW, true);
    expect(await client.ttl(key)).toBeGreaterThan(0);
  });

  test("all keys are in one hash slot", async () => {
    using servers = await opened(1);
    await servers.stores[0]?.createDatabase(cloud({ databaseName: "shop" }));
    const keys = await servers.client.keys(`*${servers.prefix}*`);
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !key.startsWith(`{${servers.prefix}}:`))).toEqual([]);
  });

  test("refuses a state of another version, naming both versions", async () => {
    const { client, connection } = connect("another");
    await client.set("{another}:format", "7");
    await expect(connection.open()).rejects.toThrow(/has version 7; expected version 1$/);
    client.disconnect();
  });
});
