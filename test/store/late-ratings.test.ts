import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BackgroundJob, type Steps } from "../../src/emulator/scheduling.ts";
import { isLate, madeRating, ratingOf } from "../../src/schema/processing.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import type { AssessImage } from "../../src/store/verbs.ts";
import { cloud, created, image, NOW } from "./contract-cases.ts";
import { type Backing, openBacking } from "./manager-backing.ts";

/** Rates an "image" by its first byte, but only when somebody needs that. */
function assessLater() {
  const calls = { rated: 0 };
  const assess: AssessImage = async (bytes) => {
    function* rate(): Steps<number> {
      calls.rated += 1;
      yield;
      if (bytes[0] === 99) throw new Error("the rater failed");
      return bytes[0] ?? 0;
    }
    return { outcome: "success", rating: new BackgroundJob(rate) };
  };
  return { calls, assess };
}

describe("ratings that are made later", () => {
  const shop = cloud({ databaseName: "shop" });
  let backing: Backing;
  let late: ReturnType<typeof assessLater>;

  beforeEach(async () => {
    late = assessLater();
    backing = await openBacking(new MemoryStore(late.assess));
    backing.memory.createDatabase(shop);
  });
  afterEach(() => backing.close());

  test("a target that another server adds is rated by the manager, once, when somebody reads it", async () => {
    const [adding, reading] = [backing.connect(), backing.connect()];
    const { targetId } = await created(adding, "shop", { image: image(3, 1) });
    await created(adding, "shop", { image: image(3, 1), name: "the same picture" });
    const targets = await reading.listTargets("shop");
    expect(targets.map(isLate)).toEqual([true, true]);
    expect(late.calls.rated).toBe(0);
    backing.asked.length = 0;
    expect(await Promise.all(targets.map(madeRating))).toEqual([3, 3]);
    expect(backing.asked).toEqual(["getRatings 200"]);
    const own = await adding.findTarget("shop", targetId);
    expect(own && (await madeRating(own))).toBe(3);
    expect(targets.map(ratingOf)).toEqual([3, 3]);
  });

  test("a server that reads the target after it was rated gets the rating", async () => {
    await created(backing.connect(), "shop", { image: image(2, 1) });
    const [target] = backing.memory.listTargets("shop");
    expect(target && ratingOf(target)).toBe(2);
    const [read] = await backing.connect().listTargets("shop");
    expect(read?.rating).toBe(2);
  });

  test("a change of another field leaves the rating as it is, and so does deleting", async () => {
    const adding = backing.connect();
    const { targetId } = await created(adding, "shop", { image: image(4, 1) });
    await adding.updateTarget("shop", targetId, { width: 9 }, NOW, ["processing"]);
    const updated = await backing.connect().findTarget("shop", targetId);
    expect(updated?.width).toBe(9);
    expect(updated && (await madeRating(updated))).toBe(4);
    await created(adding, "shop", { image: image(5, 1), name: "other" });
    const [other] = (await adding.listTargets("shop")).filter(({ name }) => name === "other");
    await adding.deleteTarget("shop", other?.targetId ?? "", NOW, true);
    const all = backing.memory.listTargets("shop", { deleted: true });
    expect(all.map(ratingOf).sort()).toEqual([4, 5]);
  });

  test("snapshots have ratings", async () => {
    const adding = backing.connect();
    await created(adding, "shop", { image: image(1, 1) });
    const { databases } = await adding.snapshot();
    expect(databases[0]?.targets.map(({ rating }) => rating)).toEqual([1]);
  });

  test("a failure is answered to those who read the rating", async () => {
    const adding = backing.connect();
    const target = await created(adding, "shop", { image: image(99, 1) });
    await expect(madeRating(target)).rejects.toThrow("the rater failed");
  });

  test("a manager that has the image but not its rating is sent the image again", async () => {
    const adding = backing.connect();
    await created(adding, "shop", { image: image(2, 1) });
    const snapshot = backing.memory.snapshot();
    await backing.kill();
    const next = new MemoryStore(late.assess);
    await backing.restart(next);
    expect(next.restore(JSON.parse(JSON.stringify(snapshot)))).toBeUndefined();
    // Stored before, and named by a target whose rating the manager knows.
    const before = backing.connect();
    const held = await before.listTargets("shop");
    expect(held.map(({ rating }) => rating)).toEqual([2]);
    await created(before, "shop", { image: image(2, 1), name: "again" });
    expect(next.listTargets("shop").map(ratingOf)).toEqual([2, 2]);
  });
});
