import { describe, expect } from "vitest";
import {
  cloud,
  countTargets,
  created,
  image,
  NOW,
  type StoreFactory,
  targetNamed,
  testStore,
  whole,
} from "./contract-cases.ts";

/** What every store does with targets that are changed. */
export function describeTargetChangesContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: changed targets`, () => {
    const database = cloud({ databaseName: "shop", targetQuota: 1000 });

    const test = testStore(open, (store) => store.createDatabase(database));

    test("an update changes what is given and starts processing again", async ({ store }) => {
      const target = await created(store, "shop", { name: "poster", applicationMetadata: "YQ==" });
      const later = NOW + 5000;
      const updated = await store.updateTarget(
        "shop",
        target.targetId,
        { width: 3, image: image(2, 2), activeFlag: false, name: "sign" },
        later,
        ["success"],
      );
      expect(updated).toMatchObject({
        ...target,
        image: expect.anything(),
        name: "sign",
        width: 3,
        activeFlag: false,
        outcome: "failed",
        rating: 2,
        lastModifiedDate: later,
        rated: true,
      });
      expect(await (await store.findTarget("shop", target.targetId))?.image.bytes()).toEqual(
        image(2, 2).bytes,
      );
      expect(await targetNamed(store, "shop", "poster")).toBeUndefined();
      expect((await targetNamed(store, "shop", "sign"))?.targetId).toBe(target.targetId);
      await created(store, "shop", { name: "poster" });
    });

    test("metadata can be removed, and an empty update only starts processing", async ({ store }) => {
      const target = await created(store, "shop", { applicationMetadata: "YQ==" });
      const update = (changes: object, now: number) =>
        store.updateTarget("shop", target.targetId, changes, now, ["success"]);
      expect(await update({}, NOW + 2000)).toMatchObject({
        ...target,
        image: expect.objectContaining({ sha256: target.image.sha256 }),
        lastModifiedDate: NOW + 2000,
        rated: true,
      });
      expect(await update({ applicationMetadata: null }, NOW + 4000)).toMatchObject({
        applicationMetadata: null,
      });
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
      expect(await update(target.targetId, {}, NOW + 1999, ["success", "failed"])).toBe("wrongStatus");
      expect(await update(target.targetId, {}, NOW + 2000, ["success"])).toBe("wrongStatus");
      expect(await update(target.targetId, { name: "sign" }, NOW + 2000, ["failed"])).toBe("nameTaken");
      expect(await update("0".repeat(32), {}, NOW, ["success"])).toBe("unknown");
      expect(await store.updateTarget("nowhere", target.targetId, {}, NOW, ["success"])).toBe("unknown");
      expect(await update(target.targetId, { name: "poster" }, NOW + 2000, ["failed"])).toMatchObject({
        targetId: target.targetId,
      });
    });

    test("a processing target is deleted only on demand", async ({ store }) => {
      const target = await created(store, "shop");
      expect(await store.deleteTarget("shop", target.targetId, NOW + 1999)).toBe("processing");
      expect(await store.deleteTarget("shop", target.targetId, NOW + 1999, true)).toMatchObject({
        targetId: target.targetId,
        deleteDate: NOW + 1999,
      });
      expect(await store.deleteTarget("shop", target.targetId, NOW + 5000)).toBe("unknown");
    });

    test("everything stays of a deleted target but its image and metadata", async ({ store }) => {
      const metadata = { applicationMetadata: "YQ==" };
      const { image: kept, ...facts } = await created(store, "shop", { image: image(1), ...metadata });
      expect(facts.applicationMetadata).toBe("YQ==");
      await store.deleteTarget("shop", facts.targetId, NOW, true);
      const [{ image: left, ...remaining } = { image: kept }] = await store.listTargets("shop", {
        deleted: true,
      });
      expect(remaining).toEqual({ ...facts, deleteDate: NOW, applicationMetadata: null });
      expect([left.sha256, await left.bytes()]).toEqual([kept.sha256, Buffer.alloc(0)]);
    });

    test("a deleted target appears only in the list of all", async ({ store }) => {
      const first = await created(store, "shop", { name: "poster" });
      const second = await created(store, "shop", { name: "sign" }, NOW + 0.001);
      await store.deleteTarget("shop", first.targetId, NOW + 2000);
      expect(await store.findTarget("shop", first.targetId)).toBeUndefined();
      expect(await targetNamed(store, "shop", "poster")).toBeUndefined();
      expect((await store.listTargets("shop")).map(({ targetId: id }) => id)).toEqual([second.targetId]);
      expect(await countTargets(store, "shop")).toBe(1);
      const all = await store.listTargets("shop", { deleted: true });
      expect(all.map(({ targetId: id, deleteDate: deletedAt }) => ({ id, deletedAt }))).toEqual([
        { id: first.targetId, deletedAt: NOW + 2000 },
        { id: second.targetId, deletedAt: null },
      ]);
      expect(await all[1]?.image.bytes()).toEqual(image(4, 1).bytes);
      expect(await all[0]?.image.bytes()).toEqual(image().bytes);
    });

    test("an update of recognition counts changes nothing else", async ({ store }) => {
      const target = await created(store, "shop");
      const counted = await store.setRecognitionCounts("shop", target.targetId, { currentMonthRecos: 7 });
      expect(await whole(counted)).toEqual(await whole({ ...target, currentMonthRecos: 7 }));
      expect(await store.setRecognitionCounts("shop", target.targetId, { totalRecos: 9 })).toMatchObject({
        currentMonthRecos: 7,
        previousMonthRecos: 0,
        totalRecos: 9,
      });
      expect(await store.setRecognitionCounts("shop", "0".repeat(32), {})).toBeUndefined();
      expect(await store.setRecognitionCounts("nowhere", target.targetId, {})).toBeUndefined();
    });

    test("finished processing lasts until the next update", async ({ store }) => {
      const target = await created(store, "shop");
      await store.finishProcessing();
      expect(await store.findTarget("shop", target.targetId)).toMatchObject({ processed: true, rated: true });
      const updated = await store.updateTarget("shop", target.targetId, {}, NOW, ["success"]);
      expect(updated).toMatchObject({ processed: false, rated: true });
    });

    test("the processing of one target is finished alone", async ({ store }) => {
      const [target, other] = [await created(store, "shop"), await created(store, "shop", { name: "other" })];
      expect(await store.finishTarget("shop", target.targetId)).toBe(true);
      expect(await store.findTarget("shop", target.targetId)).toMatchObject({ processed: true, rated: true });
      expect(await store.findTarget("shop", other.targetId)).toMatchObject({ processed: false });
      expect(await store.finishTarget("shop", "0".repeat(32))).toBe(false);
      expect(await store.finishTarget("nowhere", target.targetId)).toBe(false);
    });
  });
}
