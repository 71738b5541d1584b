import { describe, expect } from "vitest";
import { cloud, created, image, NOW, type StoreFactory, testStore, whole } from "./contract-cases.ts";

/** What every store does with targets that are changed. */
export function describeTargetChangesContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: changed targets`, () => {
    const database = cloud({ name: "shop", targetQuota: 1000 });

    const test = testStore(open, (store) => store.createDatabase(database));

    test("an update changes what is given and starts processing again", async ({ store }) => {
      const target = await created(store, "shop", { name: "poster", metadata: "YQ==" });
      const later = NOW + 5000;
      const updated = await store.updateTarget(
        "shop",
        target.id,
        { width: 3, image: image(2, 2), active: false, name: "sign" },
        later,
        ["success"],
      );
      expect(updated).toMatchObject({
        ...target,
        image: expect.anything(),
        name: "sign",
        width: 3,
        active: false,
        outcome: "failed",
        rating: 2,
        modifiedAt: later,
        rated: true,
      });
      expect(await (await store.findTarget("shop", target.id))?.image.bytes()).toEqual(image(2, 2));
      expect(await store.findTargetByName("shop", "poster")).toBeUndefined();
      expect((await store.findTargetByName("shop", "sign"))?.id).toBe(target.id);
      await created(store, "shop", { name: "poster" });
    });

    test("metadata can be taken away, and an empty update only starts processing", async ({ store }) => {
      const target = await created(store, "shop", { metadata: "YQ==" });
      const update = (changes: object, now: number) =>
        store.updateTarget("shop", target.id, changes, now, ["success"]);
      expect(await update({}, NOW + 2000)).toMatchObject({
        ...target,
        image: expect.objectContaining({ sha256: target.image.sha256 }),
        modifiedAt: NOW + 2000,
        rated: true,
      });
      expect(await update({ metadata: null }, NOW + 4000)).toMatchObject({ metadata: null });
    });

    test("an update is refused in states that are not accepted, for taken names and unknown ids", async ({
      store,
    }) => {
      const target = await created(store, "shop", { name: "poster", image: image(1, 2) });
      await created(store, "shop", { name: "sign" });
      const update = (
        id: string,
        changes: object,
        now: number,
        onlyAfter: readonly ("success" | "failed")[],
      ) => store.updateTarget("shop", id, changes, now, onlyAfter);
      expect(await update(target.id, {}, NOW + 1999, ["success", "failed"])).toBe("wrongStatus");
      expect(await update(target.id, {}, NOW + 2000, ["success"])).toBe("wrongStatus");
      expect(await update(target.id, { name: "sign" }, NOW + 2000, ["failed"])).toBe("nameTaken");
      expect(await update("0".repeat(32), {}, NOW, ["success"])).toBe("unknown");
      expect(await store.updateTarget("nowhere", target.id, {}, NOW, ["success"])).toBe("unknown");
      expect(await update(target.id, { name: "poster" }, NOW + 2000, ["failed"])).toMatchObject({
        id: target.id,
      });
    });

    test("a processing target is deleted only on demand", async ({ store }) => {
      const target = await created(store, "shop");
      expect(await store.deleteTarget("shop", target.id, NOW + 1999)).toBe("processing");
      expect(await store.deleteTarget("shop", target.id, NOW + 1999, true)).toMatchObject({
        id: target.id,
        deletedAt: NOW + 1999,
      });
      expect(await store.deleteTarget("shop", target.id, NOW + 5000)).toBe("unknown");
    });

    test("a deleted target is gone but for the list of all", async ({ store }) => {
      const first = await created(store, "shop", { name: "poster" });
      const second = await created(store, "shop", { name: "sign" });
      await store.deleteTarget("shop", first.id, NOW + 2000);
      expect(await store.findTarget("shop", first.id)).toBeUndefined();
      expect(await store.findTargetByName("shop", "poster")).toBeUndefined();
      expect((await store.listTargets("shop")).map(({ id }) => id)).toEqual([second.id]);
      expect(await store.countTargets("shop")).toBe(1);
      const all = await store.listTargets("shop", { deleted: true });
      expect(all.map(({ id, deletedAt }) => ({ id, deletedAt }))).toEqual([
        { id: first.id, deletedAt: NOW + 2000 },
        { id: second.id, deletedAt: null },
      ]);
      expect(await all[0]?.image.bytes()).toEqual(image(4, 1));
    });

    test("recognition counts change alone", async ({ store }) => {
      const target = await created(store, "shop");
      const counted = await store.setRecognitionCounts("shop", target.id, { currentMonthRecos: 7 });
      expect(await whole(counted)).toEqual(await whole({ ...target, currentMonthRecos: 7 }));
      expect(await store.setRecognitionCounts("shop", target.id, { totalRecos: 9 })).toMatchObject({
        currentMonthRecos: 7,
        previousMonthRecos: 0,
        totalRecos: 9,
      });
      expect(await store.setRecognitionCounts("shop", "0".repeat(32), {})).toBeUndefined();
      expect(await store.setRecognitionCounts("nowhere", target.id, {})).toBeUndefined();
    });

    test("finished processing holds until the next update", async ({ store }) => {
      const target = await created(store, "shop");
      await store.finishProcessing();
      expect(await store.findTarget("shop", target.id)).toMatchObject({ processed: true, rated: true });
      const updated = await store.updateTarget("shop", target.id, {}, NOW, ["success"]);
      expect(updated).toMatchObject({ processed: false, rated: true });
    });
  });
}
