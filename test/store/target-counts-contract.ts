import fc from "fast-check";
import { describe, expect } from "vitest";
import { statusAt } from "../../src/core/schema/processing.ts";
import type { Target } from "../../src/core/schema/target.ts";
import {
  changes,
  cloud,
  createTarget,
  image,
  NOW,
  newTarget,
  reads,
  recordsOf,
  type StoreFactory,
  testStore,
} from "./contract-cases.ts";

/** What a count says, found by looking at every target. */
function counted(targets: readonly Target[], now: number): object {
  const counts = { active: 0, inactive: 0, failed: 0, processing: 0 };
  for (const target of targets) {
    const status = statusAt(target, now);
    if (status === "success") counts[target.activeFlag ? "active" : "inactive"] += 1;
    else counts[status] += 1;
  }
  return counts;
}

/** What every store says of the number of targets with each status. */
export function describeTargetCountsContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: numbers of targets`, () => {
    const test = testStore(open);

    test("follow every change of a target, its processing, and a clock that goes back", async ({ store }) => {
      const steps = fc.array(
        fc.record({
          act: fc.constantFrom("create", "create", "update", "delete", "finish", "recognise", "finish all"),
          pick: fc.nat(),
          seconds: fc.integer({ min: -2, max: 4 }),
          activeFlag: fc.boolean(),
          outcome: fc.constantFrom(1, 2),
          counts: fc.boolean(),
        }),
        { maxLength: 25 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const own = cloud();
          await store.run(changes.createDatabase(own));
          const name = own.databaseName;
          let now = NOW;
          for (const { act, pick, seconds, activeFlag, outcome, counts } of script) {
            now += seconds * 1000;
            const listed = await store.read(reads.targets(name));
            const id = listed[pick % Math.max(1, listed.length)]?.targetId ?? "0".repeat(32);
            const given = { activeFlag, image: image(4, outcome) };
            if (act === "create") await store.run(createTarget(name, newTarget(given), now));
            if (act === "update")
              await store.run(changes.updateTarget(name, id, given, now, ["success", "failed"]));
            if (act === "delete") await store.run(changes.deleteTarget(name, id, now, activeFlag));
            if (act === "finish") await store.run(changes.finishTarget(name, id));
            if (act === "recognise")
              await store.run(changes.setRecognitionCounts(name, id, { totalRecos: 1 }));
            if (act === "finish all") await store.run(changes.finishProcessing);
            if (!counts) continue;
            const expected = counted(await store.read(reads.targets(name)), now);
            const records = await store.read(recordsOf(["databaseName", name]));
            expect(records?.countByStatus(now)).toEqual(expected);
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
