import { Redis } from "iovalkey";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createRandom } from "../../src/emulator/random.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { RedisBacking, type Summaries } from "../../src/store/redis/redis-backing.ts";
import { RedisConnection } from "../../src/store/redis/redis-connection.ts";
import { RedisStore } from "../../src/store/redis/redis-store.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "../support/redis-server.ts";
import { assessByBytes, cloud, countTargets, created, image, NOW, newTarget } from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";

let redis: RunningRedis;

const connect = (prefix: string, clockIsShared = false, summaries?: Summaries) => {
  const client = new Redis(redis.url);
  const connection = new RedisConnection(client, prefix, redis.url);
  const backing = new RedisBacking(connection, assessByBytes, summaries, clockIsShared);
  return { client, connection, backing };
};

describe.skipIf(whyNoRedis !== undefined)("with a real Redis", () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  describeStoreContract("in Redis", async () => {
    const { client, backing } = connect(createRandom().hex(8));
    return { store: new RedisStore(backing), close: async () => client.disconnect() };
  });

  const opened = async (servers: number) => {
    const prefix = createRandom().hex(8);
    const all = Array.from({ length: servers }, () => connect(prefix));
    const [first] = all;
    if (first === undefined) throw new Error("no server");
    return {
      stores: all.map(({ backing }) => new RedisStore(backing)),
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
    expect(first && (await countTargets(first, "shop"))).toBe(1);
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
    const rule = { key: "other", maxRequests: 15, windowSeconds: 1, isAligned: false };
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

  test("a snapshot of many records is that of one moment, although others change them meanwhile", async () => {
    using servers = await opened(3);
    const [reader, writer, other] = servers.stores;
    if (reader === undefined || writer === undefined || other === undefined) throw new Error("no server");
    for (const databaseName of ["a", "b"])
      await writer.createDatabase(cloud({ databaseName, targetQuota: 100_000 }));
    const first = await created(writer, "a", { name: "first", image: image(1) });
    const { databases, images, ...others } = structuredClone({ ...(await writer.snapshot()) });
    const [record] = databases[0]?.targets ?? [];
    if (record === undefined) throw new Error("no target");
    // More than are read at once.
    const targets = Array.from({ length: 2500 }, (_, index) => ({
      ...record,
      targetId: `${first.targetId}${index}`,
      name: `target ${index}`,
    }));
    const given = { ...others, images, databases: databases.map((each) => ({ ...each, targets })) };
    expect(await writer.restore(given)).toBeUndefined();
    expect((await other.listTargets("a")).length).toBe(2500);
    let isReading = true;
    const changes = async () => {
      let count = 0;
      for (; isReading || count < 3; count += 1) {
        // Always first in one, then in the other.
        for (const name of ["a", "b"]) {
          await created(writer, name, { name: `new ${count}`, image: image(2) });
          await writer.deleteTarget(name, `${first.targetId}${count}`, NOW, true);
        }
      }
      return count;
    };
    const changing = changes();
    for (let round = 0; round < 3; round += 1) {
      const [a, b] = (await reader.snapshot()).databases.map((database) => {
        const added = database.targets.filter(({ name }) => name.startsWith("new")).length;
        const deleted = database.targets.filter(({ deleteDate }) => deleteDate !== null).length;
        expect(new Set(database.targets.map(({ targetId }) => targetId)).size).toBe(2500 + added);
        expect([added, added - 1]).toContain(deleted);
        return added;
      });
      expect([b, (b ?? 0) + 1]).toContain(a);
    }
    isReading = false;
    const count = await changing;
    expect((await other.listTargets("b")).length).toBe(2500);
    expect((await other.snapshot()).databases[1]?.targets.length).toBe(2500 + count);
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

  test("names may have halves of surrogate pairs", async () => {
    using servers = await opened(1);
    const [store] = servers.stores;
    if (store === undefined) throw new Error("no server");
    await store.createDatabase(cloud({ databaseName: "shop" }));
    const name = 'a \ud800 "image":"0" "deleteDate":null';
    const target = await created(store, "shop", { name, image: image(2, 1), processingTimeSeconds: 0 });
    const changes = { name: "\udc00", image: image(3, 1) };
    expect(await store.updateTarget("shop", target.targetId, changes, NOW, ["success"])).toMatchObject({
      name: "\udc00",
    });
    const key = `{${servers.prefix}}:image:${target.image.sha256}`;
    expect(await servers.client.ttl(key)).toBeGreaterThan(0);
    await store.deleteTarget("shop", target.targetId, NOW, true);
    expect(await store.deleteDatabase("shop")).toBe(true);
  });

  test("what queries compare is made once, by the server that adds the image, and kept as long as a target uses it", async () => {
    const made: string[] = [];
    const of: Summaries["of"] = async (kind, { sha256 }) => {
      made.push(kind);
      return Buffer.from(`${kind} of ${sha256}`);
    };
    const prefix = createRandom().hex(8);
    const summaries = { kinds: ["sketch", "features"] as const, of };
    const servers = [1, 2].map(() => connect(prefix, false, summaries));
    onTestFinished(() => {
      for (const { client } of servers) client.disconnect();
    });
    const [adding, reading] = servers.map(({ backing }) => new RedisStore(backing));
    if (adding === undefined || reading === undefined) throw new Error("no servers");
    await adding.createDatabase(cloud({ databaseName: "shop" }));
    const { targetId } = await created(adding, "shop", { image: image(5, 1) });
    const [target] = await reading.listTargets("shop");
    const sha256 = target?.image.sha256;
    expect(String(await target?.image.summary?.("features"))).toBe(`features of ${sha256}`);
    expect(String(await target?.image.summary?.("sketch"))).toBe(`sketch of ${sha256}`);
    expect(made).toEqual(["sketch", "features"]);
    const client = servers[0]?.client;
    const left = () =>
      Promise.all(
        ["image", "sketch", "features"].map((kind) => client?.ttl(`{${prefix}}:${kind}:${sha256}`)),
      );
    expect(await left()).toEqual([-1, -1, -1]);
    await adding.deleteTarget("shop", targetId, NOW, true);
    for (const seconds of await left()) expect(seconds).toBeGreaterThan(0);
  });

  test("with a shared clock, limits hold although the clocks of servers differ", async () => {
    const prefix = createRandom().hex(8);
    const servers = [connect(prefix, true), connect(prefix, true)];
    onTestFinished(() => {
      for (const { client } of servers) client.disconnect();
    });
    const stores = servers.map(({ backing }) => new RedisStore(backing));
    await stores[0]?.createDatabase(cloud({ databaseName: "shop" }));
    const rule = { key: "other", maxRequests: 3, windowSeconds: 60, isAligned: false };
    const take = (server: number, now: number) => stores[server]?.takeRateToken("shop", [rule], now);
    const results = [
      await take(0, NOW),
      await take(1, NOW + 3_600_000),
      await take(0, NOW),
      await take(1, NOW + 3_600_000),
      await take(0, NOW),
    ];
    expect(results).toEqual([undefined, undefined, undefined, rule, rule]);
    // The clock that all servers share still counts.
    await servers[0]?.backing.setClock({ ahead: 61_000, frozenAt: null });
    expect(await take(1, NOW)).toBeUndefined();
    await servers[0]?.backing.setClock({ ahead: 0, frozenAt: Date.UTC(2030, 0) });
    expect(await take(1, NOW)).toBeUndefined();
    // A window is over at its end, also when the clock was stopped between two milliseconds.
    const frozenAt = Date.UTC(2031, 0) + 0.04;
    await servers[0]?.backing.setClock({ ahead: 0, frozenAt });
    expect([await take(0, NOW), await take(1, NOW), await take(0, NOW)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await take(1, NOW)).toBe(rule);
    await servers[0]?.backing.setClock({ ahead: 0, frozenAt: frozenAt + 60_000 });
    expect(await take(1, NOW)).toBeUndefined();
  });

  const snapshotOf = async (targets: number) => {
    const memory = new MemoryStore(assessByBytes);
    memory.createDatabase(cloud({ databaseName: "shop", targetQuota: 10_000 }));
    for (let count = 0; count < targets; count += 1)
      await created(memory, "shop", { name: `target ${count}`, image: image(1, 1, count % 5) });
    return memory.snapshot();
  };

  test("a large snapshot is restored in small steps, which nobody sees before all are done", async () => {
    const { client, connection, backing } = connect(createRandom().hex(8));
    onTestFinished(() => client.disconnect());
    const store = new RedisStore(backing);
    await store.createDatabase(cloud({ databaseName: "before" }));
    const run = connection.run.bind(connection);
    const sizes: number[] = [];
    const seen = new Set<string>();
    vi.spyOn(connection, "run").mockImplementation(async (operation, args) => {
      sizes.push(args.length);
      const result = await run(operation, args);
      if (operation === "build")
        for (const name of await store.listCloudDatabases()) seen.add(name.databaseName);
      return result;
    });
    const snapshot = await snapshotOf(3000);
    expect(await store.restore(snapshot)).toBeUndefined();
    expect(Math.max(...sizes)).toBeLessThan(1100);
    expect([...seen]).toEqual(["before"]);
    expect(await countTargets(store, "shop")).toBe(3000);
    expect(await store.findDatabaseByName("before")).toBeUndefined();
    expect(await store.snapshot()).toEqual(snapshot);
    await store.reset();
    expect(await client.keys(connection.key("records:*"))).toEqual([]);
  });

  test.each([
    ["stay while a snapshot is uploaded, however long it takes", 60, undefined],
    ["that are lost all the same stop it, and the state stays", 7200, /an image was lost/],
  ])("images %s", async (_what, seconds, error) => {
    const { client, connection, backing } = connect(createRandom().hex(8));
    onTestFinished(() => client.disconnect());
    const store = new RedisStore(backing);
    await store.createDatabase(cloud({ databaseName: "before" }));
    const run = connection.run.bind(connection);
    vi.spyOn(connection, "run").mockImplementation(async (operation, args) => {
      // As if the uploads had taken so long.
      if (operation === "build" || operation === "replace")
        for (const key of await client.keys(`${connection.key("image:")}*`)) {
          const left = await client.ttl(key);
          if (left >= 0 && left <= seconds) await client.del(key);
        }
      return run(operation, args);
    });
    const restoring = store.restore(await snapshotOf(10));
    if (error !== undefined) {
      await expect(restoring).rejects.toThrow(error);
      expect(await store.findDatabaseByName("before")).toBeDefined();
      return;
    }
    expect(await restoring).toBeUndefined();
    const targets = await store.listTargets("shop");
    expect(await Promise.all(targets.map(async (target) => (await target.image.bytes()).length))).toEqual(
      Array.from({ length: 10 }, () => 3),
    );
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
    await client.set("{another}:format", "1");
    await expect(connection.open()).rejects.toThrow(/has version 1; expected version 2$/);
    client.disconnect();
  });
});
