import { describe, expect } from "vitest";
import {
  cloud,
  image,
  NOW,
  newTarget,
  type StoreFactory,
  targetNamed,
  template,
  testStore,
  vuMark,
} from "./contract-cases.ts";

/** What every store does with its whole state. */
export function describeSnapshotContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: snapshots`, () => {
    const test = testStore(open);

    test("a snapshot restores everything", async ({ store }) => {
      await store.createDatabase(cloud({ databaseName: "shop", serverAccessKey: "key" }));
      await store.createDatabase(vuMark({ databaseName: "labels" }));
      await store.createTarget("shop", newTarget({ targetId: "1", name: "kept", image: image(3, 1) }), NOW);
      await store.createTarget("shop", newTarget({ targetId: "2", name: "gone" }), NOW);
      await store.deleteTarget("shop", "2", NOW, true);
      await store.addTemplateTarget("labels", template("label"));
      await store.takeRateToken(
        "shop",
        [{ key: "other", maxRequests: 1, windowSeconds: 60, isAligned: false }],
        NOW,
      );
      await store.putCredential({ clientId: "c", clientSecret: "s", scopes: ["a"] });
      const snapshot = await store.snapshot();
      const before = await store.listTargets("shop", { deleted: true });

      await store.reset();
      expect((await store.snapshot()).databases).toEqual([]);
      // As earlier versions of this package took it.
      const withMetadata = (target: (typeof snapshot.databases)[0]["targets"][0]) =>
        target.deleteDate === null ? target : { ...target, applicationMetadata: "YQ==" };
      const databases = snapshot.databases.map(({ targets, ...others }) => ({
        ...others,
        targets: targets.map(withMetadata),
      }));
      const { version, datasets, credentials, images } = snapshot;
      expect(await store.restore({ version, databases, datasets, credentials, images })).toBeUndefined();
      expect(await store.snapshot()).toEqual(snapshot);
      expect(await store.restore(snapshot)).toBeUndefined();
      expect(await store.snapshot()).toEqual(snapshot);
      expect((await store.findRecords(["serverAccessKey", "key"]))?.database?.databaseName).toBe("shop");
      expect((await store.listTargets("shop", { deleted: true })).map(({ targetId: id }) => id)).toEqual(
        before.map(({ targetId: id }) => id),
      );
      const kept = await targetNamed(store, "shop", "kept");
      expect(await kept?.image.bytes()).toEqual(image(3, 1).bytes);
      const [full] = [
        await store.takeRateToken(
          "shop",
          [{ key: "other", maxRequests: 1, windowSeconds: 60, isAligned: false }],
          NOW,
        ),
      ];
      expect(full?.key).toBe("other");
      await store.createTarget("shop", newTarget({ targetId: "0", name: "gone" }), NOW + 0.001);
      expect((await store.listTargets("shop")).map(({ name }) => name)).toEqual(["kept", "gone"]);
    });

    test("an invalid snapshot changes nothing", async ({ store }) => {
      await store.createDatabase(cloud({ databaseName: "shop" }));
      const before = await store.snapshot();
      expect(await store.restore({ ...before, version: 1 })).toBe("snapshot.version: expected 2; got 1");
      expect(await store.restore({ ...before, databases: [{}] })).toContain(
        "snapshot.databases[0].database: expected a database; got nothing",
      );
      expect(await store.snapshot()).toEqual(before);
    });
  });
}
