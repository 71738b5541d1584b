import { featureMatcher, samplePicture, structuralSimilarityMatcher } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { setImageCacheBytes } from "../../src/images/cache-limit.ts";
import { targetFeatures } from "../../src/images/matching/features/rank.ts";
import { rankTargets, sketches } from "../../src/images/matching/ranking.ts";
import type { Target } from "../../src/schema/target.ts";
import type { SharedStore } from "../../src/store/shared-store.ts";
import {
  cloud,
  countTargets,
  created,
  image,
  NOW,
  newTarget,
  targetNamed,
  template,
  vuMark,
  whole,
} from "./contract-cases.ts";
import { type Backing, openBacking } from "./manager-backing.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("over HTTP", async () => {
  const backing = await openBacking();
  return { store: backing.connect(), close: () => backing.close() };
});

describe("a store over HTTP", () => {
  let backing: Backing;
  let store: SharedStore;
  const shop = cloud({ databaseName: "shop" });

  beforeEach(async () => {
    backing = await openBacking();
    store = backing.connect();
    backing.memory.createDatabase(shop);
  });
  afterEach(() => backing.close());

  const asksOf = async (action: () => Promise<unknown>) => {
    backing.asked.length = 0;
    await action();
    return [...backing.asked];
  };

  test("an unchanged database costs one small round trip per request", async () => {
    for (let count = 0; count < 50; count += 1) await created(backing.memory, "shop");
    const wholeRequest = async () => {
      const view = store.forRequest();
      const database = (await view.findRecords(["serverAccessKey", shop.serverAccessKey]))?.database;
      expect(database).toEqual(shop);
      expect(await view.listTargets("shop")).toHaveLength(50);
      expect(await countTargets(view, "shop")).toBe(50);
      expect(await targetNamed(view, "shop", "nothing")).toBeUndefined();
    };
    expect(await asksOf(wholeRequest)).toEqual(["read 200"]);
    const before = backing.sent();
    expect(await asksOf(wholeRequest)).toEqual(["read 200"]);
    expect(backing.sent() - before).toBeLessThan(100);
  });

  test("only the change of a changed database is sent", async () => {
    for (let count = 0; count < 50; count += 1) await created(backing.memory, "shop", { name: `n ${count}` });
    await store.listTargets("shop");
    const full = backing.sent();
    const target = await targetNamed(backing.memory, "shop", "n 7");
    backing.memory.deleteTarget("shop", target?.targetId ?? "", NOW, true);
    await created(backing.memory, "shop", { name: "last" });
    backing.memory.setRecognitionCounts(
      "shop",
      (await targetNamed(backing.memory, "shop", "n 9"))?.targetId ?? "",
      {
        totalRecos: 4,
      },
    );
    backing.memory.updateDatabase("shop", { requestQuota: 5 });
    const listed = await store.listTargets("shop");
    expect(backing.sent() - full).toBeLessThan(full / 10);
    expect(listed.map(({ targetId: id }) => id)).toEqual(
      backing.memory.listTargets("shop").map(({ targetId: id }) => id),
    );
    expect(listed.find(({ name }) => name === "n 9")?.totalRecos).toBe(4);
    expect((await store.findDatabaseByName("shop"))?.databaseName).toBe("shop");
  });

  test("a request keeps the database that it found; the next one finds the new one", async () => {
    await created(backing.memory, "shop", { name: "old" });
    const request = store.forRequest();
    expect(await countTargets(request, "shop")).toBe(1);
    backing.memory.deleteDatabase("shop");
    backing.memory.createDatabase(shop);
    expect((await request.listTargets("shop")).map(({ name }) => name)).toEqual(["old"]);
    expect(await request.createTarget("shop", newTarget(), NOW)).toBe("unknownDatabase");
    expect(await store.forRequest().listTargets("shop")).toEqual([]);
  });

  test("a request sees its own changes", async () => {
    const request = store.forRequest();
    expect(await countTargets(request, "shop")).toBe(0);
    await request.createTarget("shop", newTarget({ name: "mine" }), NOW);
    expect((await targetNamed(request, "shop", "mine"))?.name).toBe("mine");
  });

  test("image bytes are transferred once, however many targets and requests need them", async () => {
    const bytes = Buffer.alloc(100_000, 7);
    for (let count = 0; count < 5; count += 1) await created(backing.memory, "shop", { image: bytes });
    await created(backing.memory, "shop", { image: image(1, 2, 3) });
    const readAll = async () => {
      const targets = await store.forRequest().listTargets("shop");
      await Promise.all(targets.map(async (target) => target.image.bytes()));
      return Promise.all(targets.map(whole));
    };
    const asked = await asksOf(readAll);
    expect(asked.filter((line) => line === "getImage 200")).toHaveLength(2);
    expect(await asksOf(readAll)).toEqual(["read 200"]);
    expect(await readAll()).toEqual(await Promise.all(backing.memory.listTargets("shop").map(whole)));
  });

  test("a query gets sketches in one message, and the bytes only of images that may match", async () => {
    const pictures = await Promise.all([1, 2, 3].map((number) => samplePicture(number)));
    for (const [number, picture] of pictures.entries())
      await created(backing.memory, "shop", { image: picture }, NOW + number);
    const targets = await store.listTargets("shop");
    // As in a process of its own, where no other server has prepared anything.
    sketches.clear();
    setImageCacheBytes(0);
    onTestFinished(() => setImageCacheBytes(256 * 2 ** 20));
    const query = await samplePicture(2, { width: 400, height: 300 });
    const asked = await asksOf(async () => {
      const { matches, unmatched } = await rankTargets(structuralSimilarityMatcher, query, targets);
      expect(matches.map(({ target }) => targets.indexOf(target))).toEqual([1]);
      expect(unmatched).toHaveLength(2);
    });
    expect(asked).toEqual(["getSummaries 200", "getImage 200"]);
    expect(await asksOf(() => rankTargets(structuralSimilarityMatcher, query, targets))).toEqual([]);
  });

  test("a target's features are found once, by the manager, for all servers and queries", async () => {
    const pictures = await Promise.all([1, 2].map((number) => samplePicture(number)));
    for (const [number, picture] of pictures.entries())
      await created(backing.memory, "shop", { image: picture }, NOW + number);
    const expected = await rankTargets(
      featureMatcher,
      pictures[1] ?? image(0),
      backing.memory.listTargets("shop"),
    );
    const query = await samplePicture(2, { width: 400, height: 300 });
    for (const server of [backing.connect(), backing.connect()]) {
      const targets = await server.listTargets("shop");
      // As in a process of its own, where nothing has been found yet.
      targetFeatures.clear();
      const asked = await asksOf(async () => {
        const { matches } = await rankTargets(featureMatcher, query, targets);
        expect(matches.map(({ target }) => targets.indexOf(target))).toEqual([1]);
        const same = await rankTargets(featureMatcher, pictures[1] ?? image(0), targets);
        expect(same.whyNot?.(targets[0] as Target)).toBe(expected.whyNot?.(expected.unmatched[0] as Target));
      });
      expect(asked).toEqual(["getSummaries 200"]);
    }
  });

  test("an image that cannot be decoded has no sketch", async () => {
    await created(backing.memory, "shop", { image: image(1, 2, 3) });
    const targets = await store.listTargets("shop");
    const { unmatched } = await rankTargets(structuralSimilarityMatcher, await samplePicture(1), targets);
    expect(unmatched).toEqual(targets);
  });

  test("the image of a target that this server added is not read back", async () => {
    await store.createTarget("shop", newTarget({ name: "a", image: image(1, 2, 3) }), NOW);
    const target = await targetNamed(store, "shop", "a");
    const asked = await asksOf(async () => {
      expect(await target?.image.bytes()).toEqual(image(1, 2, 3));
    });
    expect(asked).toEqual([]);
  });

  test("an image that was replaced while a request runs can still be read", async () => {
    const { targetId: id } = await created(backing.memory, "shop", {
      image: image(1, 1),
      processingTimeSeconds: 0,
    });
    const [before] = await store.forRequest().listTargets("shop");
    await backing.memory.updateTarget("shop", id, { image: image(2, 2) }, NOW, ["success"]);
    expect(await before?.image.bytes()).toEqual(image(1, 1));
    const [after] = await store.forRequest().listTargets("shop");
    expect(await after?.image.bytes()).toEqual(image(2, 2));
    backing.memory.deleteDatabase("shop");
    expect(await backing.connect().findDatabaseByName("shop")).toBeUndefined();
  });

  test("a database that was deleted and created again is a different one", async () => {
    await created(backing.memory, "shop", { name: "old" });
    expect(await store.listTargets("shop")).toHaveLength(1);
    backing.memory.deleteDatabase("shop");
    backing.memory.createDatabase(shop);
    await created(backing.memory, "shop", { name: "new" });
    expect((await store.listTargets("shop")).map(({ name }) => name)).toEqual(["new"]);
    backing.memory.deleteDatabase("shop");
    expect(await store.listTargets("shop")).toEqual([]);
  });

  test("template targets change like targets", async () => {
    backing.memory.createDatabase(vuMark({ databaseName: "labels" }));
    expect(await store.listTemplateTargets("labels")).toEqual([]);
    const label = template("label");
    backing.memory.addTemplateTarget("labels", label);
    expect(await store.listTemplateTargets("labels")).toEqual([label]);
  });

  test("responses that overtake each other leave no stale state", async () => {
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        if (index % 3 === 0) await created(backing.memory, "shop");
        return store.listTargets("shop");
      }),
    );
    expect(await countTargets(store, "shop")).toBe(10);
  });

  test("while the manager cannot be reached, every verb says so; afterwards, all work again", async () => {
    await created(backing.memory, "shop");
    expect(await countTargets(store, "shop")).toBe(1);
    await backing.kill();
    await expect(countTargets(store, "shop")).rejects.toThrow(
      /^the target manager at http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/,
    );
    await expect(store.createTarget("shop", newTarget(), NOW)).rejects.toThrow(/cannot be reached/);
    await backing.restart(backing.memory);
    expect(await countTargets(store, "shop")).toBe(1);
  });

  test("after a restart without state, neither the manager nor the servers know the old state", async () => {
    await created(backing.memory, "shop");
    expect(await countTargets(store, "shop")).toBe(1);
    await backing.kill();
    await backing.restart();
    expect(await store.findDatabaseByName("shop")).toBeUndefined();
    await store.createDatabase(shop);
    expect(await store.listTargets("shop")).toEqual([]);
    // The new manager counts its revisions from the start again: only the run's name tells them apart.
    await created(store, "shop", { name: "new" });
    expect((await store.listTargets("shop")).map(({ name }) => name)).toEqual(["new"]);
  });

  test("names and keys that a URL cannot contain", async () => {
    const odd = cloud({ databaseName: "odd / ? % \u0000", serverAccessKey: "../x?%zz" });
    expect(await store.createDatabase(odd)).toBeUndefined();
    expect(await store.findDatabaseByName(odd.databaseName)).toEqual(odd);
    expect((await store.findRecords(["serverAccessKey", "../x?%zz"]))?.database).toEqual(odd);
  });
});
