import { describe, expect, onTestFinished, test, vi } from "vitest";
import { whyNoRedis } from "../support/redis-server.ts";
import {
  changes,
  cloud,
  countTargets,
  created,
  deleteState,
  image,
  NOW,
  reads,
  restoreSnapshot,
  wholeSnapshot,
} from "./contract-cases.ts";
import { snapshotOf, storesInRedis } from "./stores-in-redis.ts";

describe.skipIf(whyNoRedis !== undefined)("snapshots in Redis", () => {
  const { connect, opened } = storesInRedis();

  test("a snapshot of many records is that of one moment, although others change them meanwhile", async () => {
    using servers = await opened(3);
    const [reader, writer, other] = servers.stores;
    if (reader === undefined || writer === undefined || other === undefined) throw new Error("no server");
    for (const databaseName of ["a", "b"])
      await writer.run(changes.createDatabase(cloud({ databaseName, targetQuota: 100_000 })));
    const first = await created(writer, "a", { name: "first", image: image(1) });
    const { databases, images, ...others } = structuredClone({ ...(await writer.read(wholeSnapshot)) });
    const [record] = databases[0]?.targets ?? [];
    if (record === undefined) throw new Error("no target");
    // More than are read at once.
    const targets = Array.from({ length: 2500 }, (_, index) => ({
      ...record,
      targetId: `${first.targetId}${index}`,
      name: `target ${index}`,
    }));
    const given = { ...others, images, databases: databases.map((each) => ({ ...each, targets })) };
    expect(await writer.run(restoreSnapshot(given))).toBeUndefined();
    expect((await other.read(reads.targets("a"))).length).toBe(2500);
    let isReading = true;
    const keepChanging = async () => {
      let count = 0;
      for (; isReading || count < 3; count += 1) {
        // Always first in one, then in the other.
        for (const name of ["a", "b"]) {
          await created(writer, name, { name: `new ${count}`, image: image(2) });
          await writer.run(changes.deleteTarget(name, `${first.targetId}${count}`, NOW, true));
        }
      }
      return count;
    };
    const changing = keepChanging();
    for (let round = 0; round < 3; round += 1) {
      const [a, b] = (await reader.read(wholeSnapshot)).databases.map((database) => {
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
    expect((await other.read(reads.targets("b"))).length).toBe(2500);
    expect((await other.read(wholeSnapshot)).databases[1]?.targets.length).toBe(2500 + count);
  });

  test("a large snapshot is restored in small steps, which nobody sees before all are done", async () => {
    const { client, connection, store } = connect();
    onTestFinished(() => client.disconnect());
    await store.run(changes.createDatabase(cloud({ databaseName: "before" })));
    const run = connection.run.bind(connection);
    const sizes: number[] = [];
    const seen = new Set<string>();
    vi.spyOn(connection, "run").mockImplementation(async (operation, args) => {
      sizes.push(args.length);
      const result = await run(operation, args);
      if (operation === "build")
        for (const name of await store.read(reads.cloudDatabases)) seen.add(name.databaseName);
      return result;
    });
    const snapshot = await snapshotOf(3000);
    expect(await store.run(restoreSnapshot(snapshot))).toBeUndefined();
    expect(Math.max(...sizes)).toBeLessThan(1100);
    expect([...seen]).toEqual(["before"]);
    expect(await countTargets(store, "shop")).toBe(3000);
    expect(await store.read(reads.database("before"))).toBeUndefined();
    expect(await store.read(wholeSnapshot)).toEqual(snapshot);
    await store.run(deleteState);
    expect(await client.keys(connection.key("records:*"))).toEqual([]);
  });

  test.each([
    ["stay while a snapshot is uploaded, however long it takes", 60, undefined],
    ["that are lost all the same stop it, and the state stays", 7200, /an image was lost/],
  ])("images %s", async (_what, seconds, error) => {
    const { client, connection, store } = connect();
    onTestFinished(() => client.disconnect());
    await store.run(changes.createDatabase(cloud({ databaseName: "before" })));
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
    const restoring = store.run(restoreSnapshot(await snapshotOf(10)));
    if (error !== undefined) {
      await expect(restoring).rejects.toThrow(error);
      expect(await store.read(reads.database("before"))).toBeDefined();
      return;
    }
    expect(await restoring).toBeUndefined();
    const targets = await store.read(reads.targets("shop"));
    expect(await Promise.all(targets.map(async (target) => (await target.image.bytes()).length))).toEqual(
      Array.from({ length: 10 }, () => 3),
    );
  });
});
