import { describe, expect, onTestFinished, test, vi } from "vitest";
import { whyNoRedis } from "../support/redis-server.ts";
import { changes, cloud, countTargets, reads } from "./contract-cases.ts";
import { newPrefix, stateWith, storesInRedis } from "./stores-in-redis.ts";

describe.skipIf(whyNoRedis !== undefined)("an empty state in Redis", () => {
  const { connect } = storesInRedis();

  /** Several servers with one state, and the names of their databases. */
  const servers = (count: number) => {
    const prefix = newPrefix();
    const all = Array.from({ length: count }, () => connect(prefix));
    onTestFinished(() => {
      for (const { client } of all) client.disconnect();
    });
    const [first] = all;
    if (first === undefined) throw new Error("no server");
    const { client, connection, store } = first;
    return {
      all,
      databases: async () => (await store.read(reads.cloudDatabases)).map(({ databaseName }) => databaseName),
      targets: (name: string) => countTargets(store, name),
      /** Names of keys, without the prefix. */
      keys: async (pattern: string) => client.keys(connection.key(pattern)),
      /** As if the server that fills it had died, or stood still for long. */
      endClaim: () => client.del(connection.key("claim:filling")),
    };
  };

  test("is filled by one of the servers that start together, whose state is read once", async () => {
    const { all, databases, targets } = servers(5);
    const make = vi.fn(() => stateWith("seed"));
    const filled = await Promise.all(all.map(({ fill }) => fill(make)));
    expect(filled.filter(Boolean)).toHaveLength(1);
    expect(make).toHaveBeenCalledOnce();
    expect(await databases()).toEqual(["seed"]);
    expect(await targets("seed")).toBe(2);
  });

  test("is filled by the next one at once, if one fails", async () => {
    const { all, databases, keys } = servers(2);
    const [first, second] = all;
    if (first === undefined || second === undefined) throw new Error("no server");
    await expect(first.fill(() => Promise.reject(new Error("bad seed")))).rejects.toThrow("bad seed");
    expect(await keys("*:filling")).toEqual([]);
    expect(await second.fill(() => stateWith("seed"))).toBe(true);
    expect(await databases()).toEqual(["seed"]);
  });

  test("gets the whole state of one server, if another one fills it at the same time or died before the end", async () => {
    const { all, databases, targets, keys, endClaim } = servers(3);
    const [slow, dying, last] = all;
    if (slow === undefined || dying === undefined || last === undefined) throw new Error("no server");
    let goOn = () => {};
    const standing = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let began = () => {};
    const isSlow = new Promise<void>((resolve) => {
      began = resolve;
    });
    const run = slow.connection.run.bind(slow.connection);
    vi.spyOn(slow.connection, "run").mockImplementation(async (operation, args) => {
      if (operation === "replace") {
        began();
        await standing;
      }
      return run(operation, args);
    });
    const filling = slow.fill(() => stateWith("slow"));
    await isSlow;
    await endClaim();
    const runDying = dying.connection.run.bind(dying.connection);
    vi.spyOn(dying.connection, "run").mockImplementation((operation, args) =>
      operation === "replace" ? Promise.reject(new Error("died")) : runDying(operation, args),
    );
    await expect(dying.fill(() => stateWith("dying"))).rejects.toThrow("died");
    expect(await databases()).toEqual([]);
    expect(await last.fill(() => stateWith("last"))).toBe(true);
    goOn();
    expect(await filling).toBe(false);
    expect(await databases()).toEqual(["last"]);
    expect(await targets("last")).toBe(2);
    // Nothing is left of the others.
    expect(await keys("records:*")).toHaveLength(1);
    expect(await keys("building")).toEqual([]);
  });

  test("gets the summaries of its images, which stay as long as the images", async () => {
    const summaries = { kinds: ["sketch"] as const, of: async () => Buffer.from("sketch") };
    const { client, connection, fill } = connect(newPrefix(), false, summaries);
    onTestFinished(() => client.disconnect());
    const state = await stateWith("seed");
    expect(await fill(async () => state)).toBe(true);
    expect(state.images.size).toBeGreaterThan(0);
    for (const sha256 of state.images.keys())
      for (const kind of ["image", "sketch"])
        expect(await client.ttl(connection.key(`${kind}:${sha256}`))).toBe(-1);
  });

  test("is not filled again after its databases were deleted", async () => {
    const [server] = servers(1).all;
    if (server === undefined) throw new Error("no server");
    await server.store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    await server.store.run(changes.deleteDatabase("shop"));
    const make = vi.fn(() => stateWith("seed"));
    expect(await server.fill(make)).toBe(false);
    expect(make).not.toHaveBeenCalled();
  });

  test("is claimed for as long as filling takes, and no longer than 3 s after that server died", async () => {
    const [server] = servers(1).all;
    if (server === undefined) throw new Error("no server");
    const { fill, client, connection } = server;
    const left = () => client.pttl(connection.key("claim:filling"));
    await fill(async () => {
      expect(await left()).toBeLessThanOrEqual(3000);
      await client.pexpire(connection.key("claim:filling"), 60_000);
      // It is renewed.
      await expect.poll(left, { timeout: 20_000 }).toBeLessThanOrEqual(3000);
      return stateWith("seed");
    });
    expect(await left()).toBe(-2);
  });
});
