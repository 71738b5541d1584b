import { describe, expect } from "vitest";
import {
  changes,
  cloud,
  createTarget,
  deleteState,
  image,
  NOW,
  newTarget,
  reads,
  recordsOf,
  restoreSnapshot,
  type StoreFactory,
  targetNamed,
  template,
  testStore,
  vuMark,
  wholeSnapshot,
} from "./contract-cases.ts";

/** What every store does with its whole state. */
export function describeSnapshotContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: snapshots`, () => {
    const test = testStore(open);

    test("a snapshot restores everything", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop", serverAccessKey: "key" })));
      await store.run(changes.createDatabase(vuMark({ databaseName: "labels" })));
      await store.run(
        createTarget("shop", newTarget({ targetId: "1", name: "kept", image: image(3, 1) }), NOW),
      );
      await store.run(createTarget("shop", newTarget({ targetId: "2", name: "gone" }), NOW));
      await store.run(changes.deleteTarget("shop", "2", NOW, true));
      await store.run(changes.addTemplateTarget("labels", template("label")));
      await store.takeRateToken(
        "shop",
        [{ key: "other", maxRequests: 1, windowSeconds: 60, isAligned: false }],
        NOW,
      );
      await store.run(changes.putCredential({ clientId: "c", clientSecret: "s", scopes: ["a"] }));
      const snapshot = await store.read(wholeSnapshot);
      const before = await store.read(reads.targets("shop", { deleted: true }));

      await store.run(deleteState);
      expect((await store.read(wholeSnapshot)).databases).toEqual([]);
      // As earlier versions of this package took it.
      const withMetadata = (target: (typeof snapshot.databases)[0]["targets"][0]) =>
        target.deleteDate === null ? target : { ...target, applicationMetadata: "YQ==" };
      const databases = snapshot.databases.map(({ targets, ...others }) => ({
        ...others,
        targets: targets.map(withMetadata),
      }));
      const { version, datasets, credentials, images } = snapshot;
      expect(
        await store.run(restoreSnapshot({ version, databases, datasets, credentials, images })),
      ).toBeUndefined();
      expect(await store.read(wholeSnapshot)).toEqual(snapshot);
      expect(await store.run(restoreSnapshot(snapshot))).toBeUndefined();
      expect(await store.read(wholeSnapshot)).toEqual(snapshot);
      expect((await store.read(recordsOf(["serverAccessKey", "key"])))?.database?.databaseName).toBe("shop");
      expect(
        (await store.read(reads.targets("shop", { deleted: true }))).map(({ targetId: id }) => id),
      ).toEqual(before.map(({ targetId: id }) => id));
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
      await store.run(createTarget("shop", newTarget({ targetId: "0", name: "gone" }), NOW + 0.001));
      expect((await store.read(reads.targets("shop"))).map(({ name }) => name)).toEqual(["kept", "gone"]);
    });

    test("an invalid snapshot changes nothing", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
      const before = await store.read(wholeSnapshot);
      expect(await store.run(restoreSnapshot({ ...before, version: 1 }))).toBe(
        "snapshot.version: expected 2; got 1",
      );
      expect(await store.run(restoreSnapshot({ ...before, databases: [{}] }))).toContain(
        "snapshot.databases[0].database: expected a database; got nothing",
      );
      expect(await store.read(wholeSnapshot)).toEqual(before);
    });
  });
}
