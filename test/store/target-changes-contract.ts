import { describe, expect } from "vitest";
import {
  changes,
  cloud,
  countTargets,
  created,
  image,
  NOW,
  reads,
  type StoreFactory,
  targetNamed,
  testStore,
  whole,
} from "./contract-cases.ts";

/** What every store does with targets that are changed. */
export function describeTargetChangesContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: changed targets`, () => {
    const database = cloud({ databaseName: "shop", targetQuota: 1000 });

    const test = testStore(open, (store) => store.run(changes.createDatabase(database)));

    test("an update changes what is given and starts processing again", async ({ store }) => {
      const target = await created(store, "shop", { name: "poster", applicationMetadata: "YQ==" });
      const later = NOW + 5000;
      const updated = await store.run(
        changes.updateTarget(
          "shop",
          target.targetId,
          { width: 3, image: image(2, 2), activeFlag: false, name: "sign" },
          later,
          ["success"],
        ),
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
      expect(await (await store.read(reads.target("shop", target.targetId)))?.image.bytes()).toEqual(
        image(2, 2).bytes,
      );
      expect(await targetNamed(store, "shop", "poster")).toBeUndefined();
      expect((await targetNamed(store, "shop", "sign"))?.targetId).toBe(target.targetId);
      await created(store, "shop", { name: "poster" });
    });

    test("metadata can be removed, and an empty update only starts processing", async ({ store }) => {
      const target = await created(store, "shop", { applicationMetadata: "YQ==" });
      const update = (given: object, now: number) =>
        store.run(changes.updateTarget("shop", target.targetId, given, now, ["success"]));
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
      const update = (id: string, given: object, now: number, onlyAfter: readonly ("success" | "failed")[]) =>
        store.run(changes.updateTarget("shop", id, given, now, onlyAfter));
      expect(await update(target.targetId, {}, NOW + 1999, ["success", "failed"])).toBe("wrongStatus");
      expect(await update(target.targetId, {}, NOW + 2000, ["success"])).toBe("wrongStatus");
      expect(await update(target.targetId, { name: "sign" }, NOW + 2000, ["failed"])).toBe("nameTaken");
      expect(await update("0".repeat(32), {}, NOW, ["success"])).toBe("unknown");
      expect(await store.run(changes.updateTarget("nowhere", target.targetId, {}, NOW, ["success"]))).toBe(
        "unknown",
      );
      expect(await update(target.targetId, { name: "poster" }, NOW + 2000, ["failed"])).toMatchObject({
        targetId: target.targetId,
      });
    });

    test("a processing target is deleted only on demand", async ({ store }) => {
      const target = await created(store, "shop");
      expect(await store.run(changes.deleteTarget("shop", target.targetId, NOW + 1999))).toBe("processing");
      expect(await store.run(changes.deleteTarget("shop", target.targetId, NOW + 1999, true))).toMatchObject({
        targetId: target.targetId,
        deleteDate: NOW + 1999,
      });
      expect(await store.run(changes.deleteTarget("shop", target.targetId, NOW + 5000))).toBe("unknown");
    });

    test("everything stays of a deleted target but its image and metadata", async ({ store }) => {
      const metadata = { applicationMetadata: "YQ==" };
      const { image: kept, ...facts } = await created(store, "shop", { image: image(1), ...metadata });
      expect(facts.applicationMetadata).toBe("YQ==");
      await store.run(changes.deleteTarget("shop", facts.targetId, NOW, true));
      const [{ image: left, ...remaining } = { image: kept }] = await store.read(
        reads.targets("shop", {
          deleted: true,
        }),
      );
      expect(remaining).toEqual({ ...facts, deleteDate: NOW, applicationMetadata: null });
      expect([left.sha256, await left.bytes()]).toEqual([kept.sha256, Buffer.alloc(0)]);
    });

    test("a deleted target appears only in the list of all", async ({ store }) => {
      const first = await created(store, "shop", { name: "poster" });
      const second = await created(store, "shop", { name: "sign" }, NOW + 0.001);
      await store.run(changes.deleteTarget("shop", first.targetId, NOW + 2000));
      expect(await store.read(reads.target("shop", first.targetId))).toBeUndefined();
      expect(await targetNamed(store, "shop", "poster")).toBeUndefined();
      expect((await store.read(reads.targets("shop"))).map(({ targetId: id }) => id)).toEqual([
        second.targetId,
      ]);
      expect(await countTargets(store, "shop")).toBe(1);
      const all = await store.read(reads.targets("shop", { deleted: true }));
      expect(all.map(({ targetId: id, deleteDate: deletedAt }) => ({ id, deletedAt }))).toEqual([
        { id: first.targetId, deletedAt: NOW + 2000 },
        { id: second.targetId, deletedAt: null },
      ]);
      expect(await all[1]?.image.bytes()).toEqual(image(4, 1).bytes);
      expect(await all[0]?.image.bytes()).toEqual(image().bytes);
    });

    test("an update of recognition counts changes nothing else", async ({ store }) => {
      const target = await created(store, "shop");
      const counted = await store.run(
        changes.setRecognitionCounts("shop", target.targetId, { currentMonthRecos: 7 }),
      );
      expect(await whole(counted)).toEqual(await whole({ ...target, currentMonthRecos: 7 }));
      expect(
        await store.run(changes.setRecognitionCounts("shop", target.targetId, { totalRecos: 9 })),
      ).toMatchObject({
        currentMonthRecos: 7,
        previousMonthRecos: 0,
        totalRecos: 9,
      });
      expect(await store.run(changes.setRecognitionCounts("shop", "0".repeat(32), {}))).toBeUndefined();
      expect(await store.run(changes.setRecognitionCounts("nowhere", target.targetId, {}))).toBeUndefined();
    });

    test("finished processing lasts until the next update", async ({ store }) => {
      const target = await created(store, "shop");
      await store.run(changes.finishProcessing);
      expect(await store.read(reads.target("shop", target.targetId))).toMatchObject({
        processed: true,
        rated: true,
      });
      const updated = await store.run(changes.updateTarget("shop", target.targetId, {}, NOW, ["success"]));
      expect(updated).toMatchObject({ processed: false, rated: true });
    });

    test("the processing of one target is finished alone", async ({ store }) => {
      const [target, other] = [await created(store, "shop"), await created(store, "shop", { name: "other" })];
      expect(await store.run(changes.finishTarget("shop", target.targetId))).toBe(true);
      expect(await store.read(reads.target("shop", target.targetId))).toMatchObject({
        processed: true,
        rated: true,
      });
      expect(await store.read(reads.target("shop", other.targetId))).toMatchObject({ processed: false });
      expect(await store.run(changes.finishTarget("shop", "0".repeat(32)))).toBe(false);
      expect(await store.run(changes.finishTarget("nowhere", target.targetId))).toBe(false);
    });
  });
}
