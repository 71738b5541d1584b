import { expect, test } from "vitest";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { assessByBytes, cloud, created, NOW } from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("in memory", async () => ({
  store: new MemoryStore(assessByBytes),
  close: async () => {},
}));

const MIB = 2 ** 20;
const large = (number: number): Buffer => Buffer.alloc(20 * MIB, `image ${number}`);

/** Each takes an image away from the target that uses it. */
const removals: Readonly<Record<string, (store: MemoryStore, targetId: string) => unknown>> = {
  "its target was deleted": (store, targetId) => store.deleteTarget("shop", targetId, NOW, true),
  "its target got another image": (store, targetId) =>
    store.updateTarget("shop", targetId, { image: { bytes: Buffer.from([1, 1]) } }, NOW + 2000, [
      "success",
      "failed",
    ]),
  "its database was deleted": (store) => store.deleteDatabase("shop"),
  "the state was reset": (store) => store.reset(),
};

test.each(Object.entries(removals))("an image does not stay in memory after %s", async (_when, remove) => {
  const store = new MemoryStore(assessByBytes);
  const images: string[] = [];
  // More than stay for requests that began earlier.
  for (let number = 0; number < 5; number += 1) {
    if (store.findDatabaseByName("shop") === undefined) store.createDatabase(cloud({ databaseName: "shop" }));
    const { targetId, image } = await created(store, "shop", { image: { bytes: large(number) } });
    images.push(image.sha256);
    await remove(store, targetId);
  }
  const kept = images.filter((sha256) => store.state.images.find(sha256) !== undefined);
  expect(kept.length).toBeLessThan(4);
  expect(kept).not.toContain(images[0]);
});
