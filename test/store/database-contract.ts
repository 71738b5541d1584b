import fc from "fast-check";
import { describe, expect } from "vitest";
import {
  changes,
  cloud,
  created,
  createTarget,
  deleteState,
  NOW,
  newTarget,
  reads,
  recordsOf,
  type StoreFactory,
  template,
  testStore,
  vuMark,
} from "./contract-cases.ts";

const fields = [
  "databaseId",
  "databaseName",
  "serverAccessKey",
  "serverSecretKey",
  "clientAccessKey",
  "clientSecretKey",
] as const;

/** What every store does with databases, rate limits and template targets. */
export function describeDatabaseContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: databases`, () => {
    const test = testStore(open);

    test("a new store is empty", async ({ store }) => {
      expect(await store.read(reads.cloudDatabases)).toEqual([]);
      expect(await store.read(reads.vuMarkDatabases)).toEqual([]);
      expect(await store.read(reads.database("shop"))).toBeUndefined();
      expect(await store.read(reads.targets("shop"))).toEqual([]);
    });

    test("databases are found by name and keys, and listed in order", async ({ store }) => {
      const shop = cloud({ databaseName: "shop ä/?&=%", requestsPerSecondLimit: 0 });
      const museum = cloud({
        databaseName: "museum",
        serverAccessKey: "key#1?&=%",
        stateName: "PROJECT_SUSPENDED",
      });
      const labels = vuMark({ databaseName: "labels" });
      for (const database of [shop, labels, museum])
        expect(await store.run(changes.createDatabase(database))).toBeUndefined();
      expect(await store.read(reads.cloudDatabases)).toEqual([shop, museum]);
      expect(await store.read(reads.vuMarkDatabases)).toEqual([labels]);
      for (const database of [shop, museum]) {
        expect(await store.read(reads.database(database.databaseName))).toEqual(database);
        expect(
          (await store.read(recordsOf(["serverAccessKey", database.serverAccessKey])))?.database,
        ).toEqual(database);
        expect(
          (await store.read(recordsOf(["clientAccessKey", database.clientAccessKey])))?.database,
        ).toEqual(database);
        expect(
          (await store.read(recordsOf(["serverAccessKey", database.clientAccessKey])))?.database,
        ).toBeUndefined();
        expect(
          (await store.read(recordsOf(["clientAccessKey", database.serverAccessKey])))?.database,
        ).toBeUndefined();
      }
      expect(await store.read(reads.database("labels"))).toEqual(labels);
      expect((await store.read(recordsOf(["serverAccessKey", labels.serverAccessKey])))?.database).toEqual(
        labels,
      );
    });

    test.for(fields)("a second database with the same %s is refused", async (field, { store }) => {
      const first = cloud();
      await store.run(changes.createDatabase(first));
      const second = cloud({ [field]: first[field] });
      expect(await store.run(changes.createDatabase(second))).toEqual({
        conflict: field,
        value: first[field],
      });
      expect(await store.read(reads.cloudDatabases)).toEqual([first]);
      expect(await store.run(changes.createDatabase(cloud({ [field]: `${first[field]}x` })))).toBeUndefined();
    });

    test.for(["databaseName", "serverAccessKey", "serverSecretKey"] as const)(
      "a VuMark database shares the uniqueness of %s",
      async (field, { store }) => {
        const first = vuMark();
        await store.run(changes.createDatabase(first));
        const conflict = { conflict: field, value: first[field] };
        expect(await store.run(changes.createDatabase(cloud({ [field]: first[field] })))).toEqual(conflict);
        expect(await store.run(changes.createDatabase(vuMark({ [field]: first[field] })))).toEqual(conflict);
      },
    );

    test("the first conflict in the resource's order is named", async ({ store }) => {
      const first = cloud();
      await store.run(changes.createDatabase(first));
      await fc.assert(
        fc.asyncProperty(fc.subarray([...fields], { minLength: 1 }), async (shared) => {
          const second = cloud(Object.fromEntries(shared.map((field) => [field, first[field]])));
          expect(await store.run(changes.createDatabase(second))).toMatchObject({ conflict: shared[0] });
        }),
        { numRuns: 20 },
      );
    });

    test("of many databases created at once with one name, one wins", async ({ store }) => {
      const results = await Promise.all(
        Array.from({ length: 10 }, () => store.run(changes.createDatabase(cloud({ databaseName: "shop" })))),
      );
      expect(results.filter((result) => result === undefined)).toHaveLength(1);
    });

    test("an update of a database changes only its settings", async ({ store }) => {
      const shop = cloud({ databaseName: "shop" });
      await store.run(changes.createDatabase(shop));
      const requestRateLimits = {
        other: { maxRequests: 1, windowSeconds: 0.5 },
        getTarget: null,
        getDuplicates: null,
        listTargets: null,
      };
      const changed = await store.run(changes.updateDatabase("shop", { requestRateLimits, requestQuota: 0 }));
      expect(changed).toEqual({ ...shop, requestRateLimits, requestQuota: 0 });
      expect((await store.read(recordsOf(["clientAccessKey", shop.clientAccessKey])))?.database).toEqual(
        changed,
      );
      expect(await store.run(changes.updateDatabase("shop", { requestRateLimits: null }))).toEqual({
        ...shop,
        requestQuota: 0,
      });
      expect(await store.run(changes.updateDatabase("nowhere", { requestQuota: 1 }))).toBeUndefined();
    });

    test("only the state of a VuMark database can change", async ({ store }) => {
      const labels = vuMark({ databaseName: "labels" });
      await store.run(changes.createDatabase(labels));
      const changed = await store.run(
        changes.updateDatabase("labels", {
          stateName: "PROJECT_INACTIVE",
          requestQuota: 3,
        }),
      );
      expect(changed).toEqual({ ...labels, stateName: "PROJECT_INACTIVE" });
    });

    test("a deleted database leaves nothing behind and frees its name and keys", async ({ store }) => {
      const shop = cloud({ databaseName: "shop", databaseId: "shop-id" });
      await store.run(changes.createDatabase(shop));
      const target = await created(store, "shop", { name: "poster" });
      const report = {
        databaseId: "shop-id",
        file: "2026-11",
        rows: [],
        requestedAt: NOW,
        processingTimeSeconds: 0,
        processed: false,
      };
      await store.run(changes.openReport(report));
      const rule = { key: "other", maxRequests: 1, windowSeconds: 60, isAligned: false };
      await store.takeRateToken("shop", [rule], NOW);
      expect(await store.run(changes.deleteDatabase("shop"))).toBe(true);
      expect(await store.run(changes.deleteDatabase("shop"))).toBe(false);
      expect(
        (await store.read(recordsOf(["serverAccessKey", shop.serverAccessKey])))?.database,
      ).toBeUndefined();
      expect(await store.read(reads.target("shop", target.targetId))).toBeUndefined();
      expect(await store.read(reads.report("shop-id", "2026-11"))).toBeUndefined();
      expect(await store.run(changes.createDatabase(shop))).toBeUndefined();
      expect(await store.read(reads.targets("shop", { deleted: true }))).toEqual([]);
      expect(await store.read(reads.target("shop", target.targetId))).toBeUndefined();
      expect(await store.read(reads.report("shop-id", "2026-11"))).toBeUndefined();
      expect(await store.takeRateToken("shop", [rule], NOW)).toBeUndefined();
      expect(
        await store.run(createTarget("shop", newTarget({ targetId: target.targetId }), NOW)),
      ).toMatchObject({
        targetId: target.targetId,
      });
    });

    test("a deleted database's name can be used for one of the other kind", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      await created(store, "shop");
      await store.run(changes.deleteDatabase("shop"));
      const labels = vuMark({ databaseName: "shop" });
      await store.run(changes.createDatabase(labels));
      expect(await store.read(reads.database("shop"))).toEqual(labels);
      expect(await store.read(reads.targets("shop"))).toEqual([]);
    });

    test("a request takes from every budget or from none, and the first full one is named", async ({
      store,
    }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      const wide = { key: "wide", maxRequests: 3, windowSeconds: 10, isAligned: false };
      const narrow = { key: "narrow", maxRequests: 1, windowSeconds: 1, isAligned: false };
      expect(await store.takeRateToken("shop", [wide, narrow], NOW)).toBeUndefined();
      expect(await store.takeRateToken("shop", [wide, narrow], NOW + 999)).toEqual(narrow);
      expect(await store.takeRateToken("shop", [wide, narrow], NOW + 1000)).toBeUndefined();
      expect(await store.takeRateToken("shop", [wide], NOW + 1000)).toBeUndefined();
      expect(await store.takeRateToken("shop", [wide, narrow], NOW + 1001)).toEqual(wide);
      expect(await store.takeRateToken("shop", [wide], NOW + 10_000)).toBeUndefined();
      expect(await store.takeRateToken("nowhere", [{ ...wide, maxRequests: 0 }], NOW)).toBeUndefined();
    });

    test("a budget of aligned windows is renewed when the next one begins", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      const rule = { key: "other", maxRequests: 2, windowSeconds: 60, isAligned: true };
      const start = Math.floor(NOW / 60_000) * 60_000;
      expect(await store.takeRateToken("shop", [rule], start + 59_999)).toBeUndefined();
      expect(await store.takeRateToken("shop", [rule], start)).toBeUndefined();
      expect(await store.takeRateToken("shop", [rule], start + 30_000)).toEqual(rule);
      expect(await store.takeRateToken("shop", [rule], start + 60_000)).toBeUndefined();
      expect(await store.takeRateToken("shop", [rule], start + 119_999)).toBeUndefined();
      expect(await store.takeRateToken("shop", [rule], start + 119_999)).toEqual(rule);
      expect(await store.takeRateToken("shop", [rule], start - 1)).toBeUndefined();
    });

    test("a budget is shared by requests at the same moment", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      const rule = { key: "other", maxRequests: 4, windowSeconds: 1, isAligned: false };
      const results = await Promise.all(
        Array.from({ length: 10 }, () => store.takeRateToken("shop", [rule], NOW)),
      );
      expect(results.filter((result) => result === undefined)).toHaveLength(4);
    });

    test("template targets: added once, found, listed in order", async ({ store }) => {
      await store.run(changes.createDatabase(vuMark({ databaseName: "labels" })));
      const first = template("first");
      const second = template("second", "id with / and ä");
      expect(await store.run(changes.addTemplateTarget("labels", first))).toEqual(first);
      expect(await store.run(changes.addTemplateTarget("labels", second))).toEqual(second);
      expect(await store.run(changes.addTemplateTarget("labels", first))).toEqual(first);
      expect(await store.read(reads.templateTargets("labels"))).toEqual([first, second]);
      expect(await store.read(reads.templateTarget("labels", second.targetId))).toEqual(second);
      expect(await store.read(reads.templateTarget("labels", "nothing"))).toBeUndefined();
      expect(await store.read(reads.templateTarget("nowhere", first.targetId))).toBeUndefined();
      expect(await store.run(changes.addTemplateTarget("nowhere", first))).toBeUndefined();
      expect(await store.read(reads.templateTargets("nowhere"))).toEqual([]);
      await store.run(changes.finishProcessing);
      expect(await store.read(reads.templateTarget("labels", first.targetId))).toEqual({
        ...first,
        processed: true,
      });
    });

    test("template targets belong to VuMark databases only", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      expect(await store.run(changes.addTemplateTarget("shop", template("label")))).toBeUndefined();
    });

    test("a reset leaves an empty store", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      await created(store, "shop");
      await store.run(changes.putCredential({ clientId: "databaseId", clientSecret: "secret", scopes: [] }));
      await store.run(deleteState);
      expect(await store.read(reads.cloudDatabases)).toEqual([]);
      expect(await store.read(reads.targets("shop"))).toEqual([]);
      expect(await store.read(reads.credentials)).toEqual([]);
    });
  });
}
