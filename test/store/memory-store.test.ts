import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { restoreState } from "../../src/core/store/state-file.ts";
import { persistState } from "../../src/servers/persisted-state.ts";
import {
  assessByBytes,
  changes,
  cloud,
  created,
  deleteState,
  NOW,
  reads,
  wholeSnapshot,
} from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("in memory", async () => ({
  store: new MemoryStore(assessByBytes),
  close: async () => {},
}));

/** Reads the file at the end: it has the state of the store. */
describeStoreContract("in memory and a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  const file = join(folder, "state.json");
  const store = new MemoryStore(assessByBytes);
  const kept = await persistState(file, store, { complain: expect.unreachable });
  return {
    store,
    close: async () => {
      await kept.close();
      const again = new MemoryStore(assessByBytes);
      await restoreState(file, again);
      expect(await again.read(wholeSnapshot)).toEqual(await store.read(wholeSnapshot));
      await rm(folder, { recursive: true });
    },
  };
});

const MIB = 2 ** 20;
const large = (number: number): Buffer => {
  const bytes = Buffer.alloc(20 * MIB);
  bytes.write(`image ${number}`);
  return bytes;
};

/** Each takes an image away from the target that uses it. */
const removals: Readonly<Record<string, (store: MemoryStore, targetId: string) => unknown>> = {
  "its target was deleted": (store, targetId) => store.run(changes.deleteTarget("shop", targetId, NOW, true)),
  "its target got another image": (store, targetId) =>
    store.run(
      changes.updateTarget("shop", targetId, { image: { bytes: Buffer.from([1, 1]) } }, NOW + 2000, [
        "success",
        "failed",
      ]),
    ),
  "its database was deleted": (store) => store.run(changes.deleteDatabase("shop")),
  "the state was reset": (store) => store.run(deleteState),
};

test.each(Object.entries(removals))("an image does not stay in memory after %s", async (_when, remove) => {
  const store = new MemoryStore(assessByBytes);
  const images: string[] = [];
  // More than stay for requests that began earlier.
  for (let number = 0; number < 5; number += 1) {
    if ((await store.read(reads.database("shop"))) === undefined)
      await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
    const { targetId, image } = await created(store, "shop", { image: { bytes: large(number) } });
    images.push(image.sha256);
    await remove(store, targetId);
  }
  const kept = images.filter((sha256) => store.state.images.find(sha256) !== undefined);
  expect(kept.length).toBeLessThan(4);
  expect(kept).not.toContain(images[0]);
});
