import { describe, expect } from "vitest";
import {
  cloud,
  image,
  NOW,
  newTarget,
  type StoreFactory,
  template,
  testStore,
  vuMark,
} from "./contract-cases.ts";

/** What every store does with its whole state. */
export function describeSnapshotContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: snapshots`, () => {
    const test = testStore(open);

    test("a snapshot brings everything back", async ({ store }) => {
      await store.createDatabase(cloud({ name: "shop", serverAccessKey: "key" }));
      await store.createDatabase(vuMark({ name: "labels" }));
      await store.createTarget("shop", newTarget({ id: "1", name: "kept", image: image(3, 1) }), NOW);
      await store.createTarget("shop", newTarget({ id: "2", name: "gone" }), NOW);
      await store.deleteTarget("shop", "2", NOW, true);
      await store.addTemplateTarget("labels", template("label"));
      await store.takeRateToken("shop", [{ key: "other", maxRequests: 1, windowSeconds: 60 }], NOW);
      await store.putCredential({ clientId: "c", clientSecret: "s", scopes: ["a"] });
      const snapshot = await store.snapshot();
      const before = await store.listTargets("shop", { deleted: true });

      await store.reset();
      expect((await store.snapshot()).databases).toEqual([]);
      expect(await store.restore(snapshot)).toBeUndefined();
      expect(await store.snapshot()).toEqual(snapshot);
      expect((await store.findDatabaseByServerAccessKey("key"))?.name).toBe("shop");
      expect((await store.listTargets("shop", { deleted: true })).map(({ id }) => id)).toEqual(
        before.map(({ id }) => id),
      );
      const kept = await store.findTargetByName("shop", "kept");
      expect(await kept?.image.bytes()).toEqual(image(3, 1));
      const [full] = [
        await store.takeRateToken("shop", [{ key: "other", maxRequests: 1, windowSeconds: 60 }], NOW),
      ];
      expect(full?.key).toBe("other");
      const next = await store.createTarget("shop", newTarget({ name: "gone" }), NOW);
      expect(next).toMatchObject({ sequence: 3 });
    });

    test("what is no snapshot changes nothing", async ({ store }) => {
      await store.createDatabase(cloud({ name: "shop" }));
      const before = await store.snapshot();
      expect(await store.restore({ ...before, version: 2 })).toBe(
        "snapshot.version is a number; accepted is 1",
      );
      expect(await store.restore({ ...before, databases: [{}] })).toContain(
        "snapshot.databases[0].database is missing",
      );
      expect(await store.snapshot()).toEqual(before);
    });
  });
}
