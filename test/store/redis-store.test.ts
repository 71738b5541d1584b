import { describe, expect, onTestFinished, test } from "vitest";
import { whyNoRedis } from "../support/redis-server.ts";
import {
  changes,
  cloud,
  countTargets,
  created,
  createTarget,
  image,
  NOW,
  newTarget,
  reads,
} from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";
import { newPrefix, storesInRedis } from "./stores-in-redis.ts";

describe.skipIf(whyNoRedis !== undefined)("with a real Redis", () => {
  const { connect, opened } = storesInRedis();

  describeStoreContract("in Redis", async () => {
    const { client, store } = connect();
    return { store, close: async () => client.disconnect() };
  });

  test("of 64 targets with one name added at once through all servers, one is created", async () => {
    using servers = await opened(5);
    const [first] = servers.stores;
    await first?.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        servers.stores[index % 5]?.run(createTarget("shop", newTarget({ name: "poster" }), NOW)),
      ),
    );
    expect(results.filter((result) => result === "nameTaken")).toHaveLength(63);
    expect(first && (await countTargets(first, "shop"))).toBe(1);
  });

  test("concurrent writes are all kept, and every server sees them", async () => {
    using servers = await opened(4);
    await servers.stores[0]?.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        servers.stores[index % 4]?.run(createTarget("shop", newTarget({ name: `target ${index}` }), NOW)),
      ),
    );
    const lists = await Promise.all(servers.stores.map((store) => store.read(reads.targets("shop"))));
    expect(lists.map((list) => list.length)).toEqual([40, 40, 40, 40]);
    expect(new Set(lists.map((list) => list.map(({ targetId }) => targetId).join())).size).toBe(1);
  });

  test("a limit is exact across all servers, in any order of requests", async () => {
    using servers = await opened(3);
    await servers.stores[0]?.run(changes.createDatabase(cloud({ databaseName: "shop" })));
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

  test("an image is kept once while targets use it, and is deleted with the last one", async () => {
    using servers = await opened(1);
    const { client, prefix } = servers;
    const [store] = servers.stores;
    if (store === undefined) throw new Error("no server");
    await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    const first = await created(store, "shop", { image: image(1, 1, 7) });
    const second = await created(store, "shop", { image: image(1, 1, 7) });
    const key = `{${prefix}}:image:${first.image.sha256}`;
    expect(await client.ttl(key)).toBe(-1);
    await store.run(changes.deleteTarget("shop", first.targetId, NOW, true));
    expect(await client.ttl(key)).toBe(-1);
    await store.run(changes.deleteTarget("shop", second.targetId, NOW, true));
    expect(await client.ttl(key)).toBeGreaterThan(0);
  });

  test("names may have halves of surrogate pairs", async () => {
    using servers = await opened(1);
    const [store] = servers.stores;
    if (store === undefined) throw new Error("no server");
    await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    const name = 'a \ud800 "image":"0" "deleteDate":null';
    const target = await created(store, "shop", { name, image: image(2, 1), processingTimeSeconds: 0 });
    const given = { name: "\udc00", image: image(3, 1) };
    expect(
      await store.run(changes.updateTarget("shop", target.targetId, given, NOW, ["success"])),
    ).toMatchObject({
      name: "\udc00",
    });
    const key = `{${servers.prefix}}:image:${target.image.sha256}`;
    expect(await servers.client.ttl(key)).toBeGreaterThan(0);
    await store.run(changes.deleteTarget("shop", target.targetId, NOW, true));
    expect(await store.run(changes.deleteDatabase("shop"))).toBe(true);
  });

  test("what queries compare is made once, by the server that adds the image, and kept as long as a target uses it", async () => {
    const made: string[] = [];
    const of = async (kind: string, { sha256 }: { readonly sha256: string }) => {
      made.push(kind);
      return Buffer.from(`${kind} of ${sha256}`);
    };
    const prefix = newPrefix();
    const summaries = { kinds: ["sketch", "features"] as const, of };
    const servers = [1, 2].map(() => connect(prefix, false, summaries));
    onTestFinished(() => {
      for (const { client } of servers) client.disconnect();
    });
    const [adding, reading] = servers.map(({ store }) => store);
    if (adding === undefined || reading === undefined) throw new Error("no servers");
    await adding.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    const { targetId } = await created(adding, "shop", { image: image(5, 1) });
    const [target] = await reading.read(reads.targets("shop"));
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
    await adding.run(changes.deleteTarget("shop", targetId, NOW, true));
    const [bytes, ...others] = await left();
    expect(bytes).toBeGreaterThan(0);
    expect(others).toEqual([-2, -2]);
  });

  test("with a shared clock, limits hold although the clocks of servers differ", async () => {
    const prefix = newPrefix();
    const servers = [connect(prefix, true), connect(prefix, true)];
    onTestFinished(() => {
      for (const { client } of servers) client.disconnect();
    });
    const stores = servers.map(({ store }) => store);
    await stores[0]?.run(changes.createDatabase(cloud({ databaseName: "shop" })));
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

  test("all keys are in one hash slot", async () => {
    using servers = await opened(1);
    await servers.stores[0]?.run(changes.createDatabase(cloud({ databaseName: "shop" })));
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
