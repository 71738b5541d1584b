import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import {
  cloud,
  created,
  image,
  NOW,
  newTarget,
  type OpenStore,
  type StoreFactory,
  vuMark,
  whole,
} from "./contract-cases.ts";

/** What every store does with targets. */
export function describeTargetContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: targets`, () => {
    let opened: OpenStore;
    let store: Store;
    const database = cloud({ name: "shop", targetQuota: 1000 });

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.createDatabase(database);
    });
    afterEach(() => opened.close());

    test("a new target is rated and starts with no recognitions", async () => {
      const given = newTarget({ name: "poster", width: 0.5, metadata: "bWV0YQ==", image: image(3, 1, 9) });
      const target = await store.createTarget("shop", given, NOW);
      expect(target).toMatchObject({
        id: given.id,
        name: "poster",
        width: 0.5,
        metadata: "bWV0YQ==",
        active: true,
        outcome: "success",
        rating: 3,
        uploadedAt: NOW,
        modifiedAt: NOW,
        deletedAt: null,
        processed: false,
        rated: false,
        processingTimeSeconds: 2,
        currentMonthRecos: 0,
        previousMonthRecos: 0,
        totalRecos: 0,
      });
    });

    test("what was created is found by id and by name, and listed, with its image", async () => {
      const target = await created(store, "shop", { name: "poster", image: image(3, 1, 9) });
      expect(await whole(await store.findTarget("shop", target.id))).toEqual(await whole(target));
      expect(await whole(await store.findTargetByName("shop", "poster"))).toEqual(await whole(target));
      const listed = await store.listTargets("shop");
      expect(await Promise.all(listed.map(whole))).toEqual([await whole(target)]);
      expect(await store.countTargets("shop")).toBe(1);
      expect(target.image.sha256).toBe(
        createHash("sha256")
          .update(image(3, 1, 9))
          .digest("hex"),
      );
    });

    test("every number that a width can be is kept", async () => {
      const target = await created(store, "shop", { width: Number.POSITIVE_INFINITY });
      expect((await store.findTarget("shop", target.id))?.width).toBe(Number.POSITIVE_INFINITY);
    });

    test("the image is a copy", async () => {
      const bytes = image(1, 1, 1);
      const target = await created(store, "shop", { image: bytes });
      bytes.fill(0);
      expect(await (await store.findTarget("shop", target.id))?.image.bytes()).toEqual(image(1, 1, 1));
    });

    test("of another database nothing is seen", async () => {
      await store.createDatabase(cloud({ name: "other" }));
      const target = await created(store, "shop", { name: "poster" });
      expect(await store.findTarget("other", target.id)).toBeUndefined();
      expect(await store.findTargetByName("other", "poster")).toBeUndefined();
      expect(await store.listTargets("other")).toEqual([]);
      expect(await store.countTargets("other")).toBe(0);
      await created(store, "other", { name: "poster", id: target.id });
    });

    test("conflicts of a creation, in this order", async () => {
      const target = await created(store, "shop", { name: "poster" });
      const create = (given: object, name = "shop") => store.createTarget(name, newTarget(given), NOW);
      await store.createDatabase(vuMark({ name: "labels" }));
      expect(await create({}, "nowhere")).toBe("unknownDatabase");
      expect(await create({}, "labels")).toBe("unknownDatabase");
      await store.updateDatabase("shop", { targetQuota: 1 });
      expect(await create({ name: "poster", id: target.id })).toBe("nameTaken");
      expect(await create({ id: target.id })).toBe("idTaken");
      expect(await create({})).toBe("quotaReached");
      await store.deleteTarget("shop", target.id, NOW, true);
      expect(await create({ id: target.id })).toBe("idTaken");
      expect(await create({ name: "poster" })).toMatchObject({ name: "poster" });
    });

    test("names differ by case and by every character", async () => {
      for (const name of ["poster", "Poster", "poster ", "pöster", "po\u0308ster"])
        await created(store, "shop", { name });
      expect(await store.countTargets("shop")).toBe(5);
      expect((await store.findTargetByName("shop", "Poster"))?.name).toBe("Poster");
    });

    test("an update changes what is given and starts processing again", async () => {
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

    test("metadata can be taken away, and an empty update only starts processing", async () => {
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

    test("an update is refused in states that are not accepted, for taken names and unknown ids", async () => {
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

    test("a processing target is deleted only on demand", async () => {
      const target = await created(store, "shop");
      expect(await store.deleteTarget("shop", target.id, NOW + 1999)).toBe("processing");
      expect(await store.deleteTarget("shop", target.id, NOW + 1999, true)).toMatchObject({
        id: target.id,
        deletedAt: NOW + 1999,
      });
      expect(await store.deleteTarget("shop", target.id, NOW + 5000)).toBe("unknown");
    });

    test("a deleted target is gone but for the list of all", async () => {
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

    test("recognition counts change alone", async () => {
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

    test("finished processing holds until the next update", async () => {
      const target = await created(store, "shop");
      await store.finishProcessing();
      expect(await store.findTarget("shop", target.id)).toMatchObject({ processed: true, rated: true });
      const updated = await store.updateTarget("shop", target.id, {}, NOW, ["success"]);
      expect(updated).toMatchObject({ processed: false, rated: true });
    });

    test("of many targets of one name created at once, one wins", async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.createTarget("shop", newTarget({ name: "poster", image: image(1, 1) }), NOW),
        ),
      );
      expect(results.filter((result) => result === "nameTaken")).toHaveLength(19);
      expect(await store.countTargets("shop")).toBe(1);
    });

    test("the last place of a quota is given once", async () => {
      await store.updateDatabase("shop", { targetQuota: 3 });
      const results = await Promise.all(
        Array.from({ length: 10 }, () => store.createTarget("shop", newTarget(), NOW)),
      );
      expect(results.filter((result) => result === "quotaReached")).toHaveLength(7);
      expect(await store.countTargets("shop")).toBe(3);
    });

    test("of two updates to one name, one wins", async () => {
      const targets = [await created(store, "shop"), await created(store, "shop")];
      const results = await Promise.all(
        targets.map(({ id }) =>
          store.updateTarget("shop", id, { name: "poster", image: image(5, 1) }, NOW + 2000, ["success"]),
        ),
      );
      expect(results.filter((result) => result === "nameTaken")).toHaveLength(1);
    });

    test("a target is deleted once, and an update beside it never brings it back", async () => {
      const { id } = await created(store, "shop");
      const [first, second] = await Promise.all([
        store.deleteTarget("shop", id, NOW + 2000),
        store.deleteTarget("shop", id, NOW + 2000),
        store.updateTarget("shop", id, { image: image(5, 1) }, NOW + 2000, ["success"]),
      ]);
      expect([first, second].filter((result) => result === "unknown")).toHaveLength(1);
      expect(await store.findTarget("shop", id)).toBeUndefined();
    });

    test("whatever the clock does, lists are in order of creation and names are unique", async () => {
      const steps = fc.array(
        fc.record({
          name: fc.constantFrom("a", "b", "c", "d", "e"),
          drift: fc.integer({ min: -10_000, max: 10_000 }),
          act: fc.constantFrom("create", "create", "rename", "delete"),
        }),
        { maxLength: 25 },
      );
      let round = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          round += 1;
          const name = `round ${round}`;
          await store.createDatabase(cloud({ name }));
          const model: { id: string; name: string }[] = [];
          for (const { name: wanted, drift, act } of script) {
            const owner = model.find((target) => target.name === wanted);
            if (act === "create") {
              const given = newTarget({ name: wanted, processingTimeSeconds: 0 });
              const result = await store.createTarget(name, given, NOW + drift);
              expect(typeof result === "string" ? result : "created").toBe(owner ? "nameTaken" : "created");
              if (owner === undefined) model.push({ id: given.id, name: wanted });
            } else if (act === "rename") {
              const target = model[0];
              if (target === undefined) continue;
              const result = await store.updateTarget(name, target.id, { name: wanted }, NOW + drift, [
                "success",
              ]);
              const taken = owner !== undefined && owner !== target;
              expect(typeof result === "string" ? result : "updated").toBe(taken ? "nameTaken" : "updated");
              if (!taken) target.name = wanted;
            } else if (owner !== undefined) {
              await store.deleteTarget(name, owner.id, NOW + drift);
              model.splice(model.indexOf(owner), 1);
            }
          }
          const listed = await store.listTargets(name);
          expect(listed.map(({ id, name }) => ({ id, name }))).toEqual(model);
          const sequences = (await store.listTargets(name, { deleted: true })).map(
            ({ sequence }) => sequence,
          );
          expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
        }),
        { numRuns: 30 },
      );
    });
  });
}
