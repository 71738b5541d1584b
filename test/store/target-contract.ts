import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect } from "vitest";
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
  type StoreFactory,
  targetNamed,
  testStore,
  vuMark,
  whole,
} from "./contract-cases.ts";

/** What every store does with targets. */
export function describeTargetContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: targets`, () => {
    const database = cloud({ databaseName: "shop", targetQuota: 1000 });

    const test = testStore(open, (store) => store.run(changes.createDatabase(database)));

    test("a new target is rated and starts with no recognitions", async ({ store }) => {
      const given = newTarget({
        name: "poster",
        width: 0.5,
        applicationMetadata: "bWV0YQ==",
        image: image(3, 1, 9),
      });
      const target = await store.run(createTarget("shop", given, NOW));
      expect(target).toMatchObject({
        targetId: given.targetId,
        name: "poster",
        width: 0.5,
        applicationMetadata: "bWV0YQ==",
        activeFlag: true,
        outcome: "success",
        rating: 3,
        uploadDate: NOW,
        lastModifiedDate: NOW,
        deleteDate: null,
        processed: false,
        rated: false,
        processingTimeSeconds: 2,
        currentMonthRecos: 0,
        previousMonthRecos: 0,
        totalRecos: 0,
      });
    });

    test("a created target is found by id and name, and listed, with its image", async ({ store }) => {
      const target = await created(store, "shop", { name: "poster", image: image(3, 1, 9) });
      expect(await whole(await store.read(reads.target("shop", target.targetId)))).toEqual(
        await whole(target),
      );
      expect(await whole(await targetNamed(store, "shop", "poster"))).toEqual(await whole(target));
      const listed = await store.read(reads.targets("shop"));
      expect(await Promise.all(listed.map(whole))).toEqual([await whole(target)]);
      expect(await countTargets(store, "shop")).toBe(1);
      expect(target.image.sha256).toBe(
        createHash("sha256")
          .update(image(3, 1, 9).bytes)
          .digest("hex"),
      );
    });

    test("every possible width is kept exactly", async ({ store }) => {
      const target = await created(store, "shop", { width: Number.MIN_VALUE });
      expect((await store.read(reads.target("shop", target.targetId)))?.width).toBe(Number.MIN_VALUE);
    });

    test("the image is a copy", async ({ store }) => {
      const given = image(1, 1, 1);
      const target = await created(store, "shop", { image: given });
      given.bytes.fill(0);
      expect(await (await store.read(reads.target("shop", target.targetId)))?.image.bytes()).toEqual(
        image(1, 1, 1).bytes,
      );
    });

    test("targets of other databases are not visible", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "other" })));
      const target = await created(store, "shop", { name: "poster" });
      expect(await store.read(reads.target("other", target.targetId))).toBeUndefined();
      expect(await targetNamed(store, "other", "poster")).toBeUndefined();
      expect(await store.read(reads.targets("other"))).toEqual([]);
      expect(await countTargets(store, "other")).toBe(0);
      await created(store, "other", { name: "poster", targetId: target.targetId });
    });

    test("a creation reports conflicts in this order", async ({ store }) => {
      const target = await created(store, "shop", { name: "poster" });
      const create = (given: object, name = "shop") => store.run(createTarget(name, newTarget(given), NOW));
      await store.run(changes.createDatabase(vuMark({ databaseName: "labels" })));
      expect(await create({}, "nowhere")).toBe("unknownDatabase");
      expect(await create({}, "labels")).toBe("unknownDatabase");
      await store.run(changes.updateDatabase("shop", { targetQuota: 1 }));
      expect(await create({ name: "poster", targetId: target.targetId })).toBe("nameTaken");
      expect(await create({ targetId: target.targetId })).toBe("idTaken");
      expect(await create({})).toBe("quotaReached");
      await store.run(changes.deleteTarget("shop", target.targetId, NOW, true));
      expect(await create({ targetId: target.targetId })).toBe("idTaken");
      expect(await create({ name: "poster" })).toMatchObject({ name: "poster" });
    });

    test("names differ by case and by every character", async ({ store }) => {
      for (const name of ["poster", "Poster", "poster ", "pöster", "po\u0308ster"])
        await created(store, "shop", { name });
      expect(await countTargets(store, "shop")).toBe(5);
      expect((await targetNamed(store, "shop", "Poster"))?.name).toBe("Poster");
    });

    test("of many targets created at once with one name, one wins", async ({ store }) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.run(createTarget("shop", newTarget({ name: "poster", image: image(1, 1) }), NOW)),
        ),
      );
      expect(results.filter((result) => result === "nameTaken")).toHaveLength(19);
      expect(await countTargets(store, "shop")).toBe(1);
    });

    test("of 200 targets created at once, as many are added as the quota allows", async ({ store }) => {
      await store.run(changes.updateDatabase("shop", { targetQuota: 30 }));
      const results = await Promise.all(
        Array.from({ length: 200 }, () => store.run(createTarget("shop", newTarget(), NOW))),
      );
      expect(results.filter((result) => result === "quotaReached")).toHaveLength(170);
      expect(await countTargets(store, "shop")).toBe(30);
    });

    test("of two updates to the same name, one wins", async ({ store }) => {
      const targets = [await created(store, "shop"), await created(store, "shop")];
      const results = await Promise.all(
        targets.map(({ targetId: id }) =>
          store.run(
            changes.updateTarget("shop", id, { name: "poster", image: image(5, 1) }, NOW + 2000, ["success"]),
          ),
        ),
      );
      expect(results.filter((result) => result === "nameTaken")).toHaveLength(1);
    });

    test("a target is deleted once, and a concurrent update never restores it", async ({ store }) => {
      const { targetId: id } = await created(store, "shop");
      const [first, second] = await Promise.all([
        store.run(changes.deleteTarget("shop", id, NOW + 2000)),
        store.run(changes.deleteTarget("shop", id, NOW + 2000)),
        store.run(changes.updateTarget("shop", id, { image: image(5, 1) }, NOW + 2000, ["success"])),
      ]);
      expect([first, second].filter((result) => result === "unknown")).toHaveLength(1);
      expect(await store.read(reads.target("shop", id))).toBeUndefined();
    });

    test("lists are in order of upload date and then id, and names are unique, whatever the clock does", async ({
      store,
    }) => {
      const steps = fc.array(
        fc.record({
          name: fc.constantFrom("a", "b", "c", "d", "e"),
          drift: fc.constantFrom(-2, -1, 0, 0.001, 0.002, 1),
          act: fc.constantFrom("create", "create", "rename", "delete"),
        }),
        { maxLength: 25 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const own = cloud();
          await store.run(changes.createDatabase(own));
          const name = own.databaseName;
          const model: { id: string; name: string; uploaded: number }[] = [];
          for (const { name: wanted, drift, act } of script) {
            const owner = model.find((target) => target.name === wanted);
            if (act === "create") {
              const given = newTarget({ name: wanted, processingTimeSeconds: 0 });
              const result = await store.run(createTarget(name, given, NOW + drift));
              expect(typeof result === "string" ? result : "created").toBe(owner ? "nameTaken" : "created");
              if (typeof result !== "string")
                model.push({ id: result.targetId, name: wanted, uploaded: NOW + drift });
            } else if (act === "rename") {
              const target = model[0];
              if (target === undefined) continue;
              const result = await store.run(
                changes.updateTarget(name, target.id, { name: wanted }, NOW + drift, ["success"]),
              );
              const taken = owner !== undefined && owner !== target;
              expect(typeof result === "string" ? result : "updated").toBe(taken ? "nameTaken" : "updated");
              if (!taken) target.name = wanted;
            } else if (owner !== undefined) {
              await store.run(changes.deleteTarget(name, owner.id, NOW + drift));
              model.splice(model.indexOf(owner), 1);
            }
          }
          const listed = await store.read(reads.targets(name));
          const expected = [...model].sort((a, b) => a.uploaded - b.uploaded || (a.id < b.id ? -1 : 1));
          expect(listed.map(({ targetId: id, name }) => ({ id, name }))).toEqual(
            expected.map(({ id, name }) => ({ id, name })),
          );
        }),
        { numRuns: 30 },
      );
    });
  });
}
