import { describe, expect, it } from "vitest";
import { LAGS, lagOf, opened, other, poster, shopOf } from "./shop.ts";

describe("lags end", () => {
  const ends = {
    "by finishProcessing()": ({ mock }) => mock.finishProcessing(),
    "by POST /finish_processing": async ({ mock }) => {
      await mock.fetch(`${mock.urls.manager}/finish_processing`, { method: "POST" });
    },
    "by restore()": ({ mock }) => mock.restore(mock.snapshot()),
    "by PUT /snapshot": async ({ mock }) => {
      const url = `${mock.urls.manager}/snapshot`;
      const body = await (await mock.fetch(url)).text();
      await mock.fetch(url, { method: "PUT", body });
    },
    "by the clock": ({ clock }) => clock.advance(60),
  } satisfies Record<string, (all: ReturnType<typeof opened>) => unknown>;

  it.each(Object.keys(ends) as (keyof typeof ends)[])("%s", async (how) => {
    const all = opened({ realism: LAGS });
    const { mock, database, shop } = all;
    const { targetId } = await mock.addTarget(database, { name: "deleted", image: poster, processed: true });
    await shop.delete(targetId);
    const added = await shop.add("added", other);
    const seen = async () => [
      await shop.list(),
      await shop.find(),
      (await shop.summary()).json.active_images,
      lagOf(all),
    ];
    expect((await seen()).slice(0, 2)).toEqual([[], [targetId]]);
    await ends[how](all);
    expect(await seen()).toEqual([[added], [], 1, undefined]);
  });

  it("when another database takes the name of one that was deleted", async () => {
    const all = opened({ realism: LAGS });
    const fields = { name: "deleted", image: poster, processed: true, targetId: "1" };
    await all.mock.addTarget(all.database, fields);
    await all.shop.delete("1");
    for (const deletes of [() => all.mock.deleteDatabase(all.database), () => all.mock.reset()]) {
      await deletes();
      const { databaseName } = all.database;
      const shop = shopOf(all.mock, all.mock.addCloudDatabase({ databaseName }), all.clock);
      expect([await shop.find(), (await shop.summary()).json.active_images]).toEqual([[], 0]);
    }
  });
});

describe("databases and mocks", () => {
  it("with equal ids of targets do not see each other's lags", async () => {
    const all = opened({ realism: LAGS });
    const fields = { name: "poster", image: poster, processed: true, targetId: "1" };
    const second = all.mock.addCloudDatabase();
    for (const database of [all.database, second]) await all.mock.addTarget(database, fields);
    await all.shop.update("1", { name: "renamed" });
    await all.shop.delete("1");
    const unchanged = shopOf(all.mock, second, all.clock);
    expect(await unchanged.find()).toEqual(["1"]);
    expect(lagOf(all)).toBeUndefined();
    all.mock.deleteTarget(second, "1");
    expect(await unchanged.find()).toEqual([]);
  });

  it("isolate their lags: a call sees those from before it, and its own end with it", async () => {
    const { mock, database, shop } = opened({ realism: LAGS });
    const { targetId } = await mock.addTarget(database, { name: "before", image: poster, processed: true });
    await shop.update(targetId, { name: "after" });
    await mock.isolate(() => shop.delete(targetId));
    expect((await shop.get(targetId)).json.target_record.name).toBe("before");
    mock.deleteTarget(database, targetId);
    const outside = await shop.add("outside");
    await mock.isolate(async () => {
      expect((await shop.get(outside)).status).toBe(404);
      await shop.add("inside", other);
      mock.finishProcessing();
      expect(await shop.list()).toHaveLength(2);
    });
    expect(await shop.list()).toEqual([]);
    mock.finishProcessing();
    expect(await shop.list()).toEqual([outside]);
  });

  it("lag in one mock only", async () => {
    const [late, consistent] = [opened({ realism: LAGS }), opened()];
    for (const { shop } of [late, consistent]) await shop.add("poster");
    expect([await late.shop.list(), (await consistent.shop.list()).length]).toEqual([[], 1]);
  });

  it("keep lags while they are stopped, and for requests at the same time", async () => {
    const { mock, shop, clock } = opened({ realism: LAGS });
    const names = Array.from({ length: 20 }, (_, index) => `target ${index}`);
    const ids = await Promise.all(names.map((name) => shop.add(name)));
    mock.stop();
    mock.start();
    expect(await shop.list()).toEqual([]);
    clock.advance(2);
    await Promise.all(ids.slice(0, 10).map((id) => shop.delete(id)));
    expect([(await shop.list()).length, (await shop.find()).length]).toEqual([10, 1]);
    expect((await shop.summary()).json.active_images).toBe(0);
    clock.advance(60);
    expect((await shop.summary()).json.active_images).toBe(10);
  });
});
