import { beforeAll, describe, expect, it } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { drawTargets, GROUPS, recallOf } from "../support/recognition.ts";

/* The benchmark `recognition`, at a size that fits into a test. */

const [PHOTOGRAPHS, PICTURES, OTHERS] = [4, 8, 20];
const FRAME = { width: 800, height: 600 };

describe("featureMatcher finds photographs of drawn pictures, and nothing else in them", () => {
  let targets: Awaited<ReturnType<typeof drawTargets>>;
  beforeAll(async () => {
    targets = await drawTargets(PICTURES, OTHERS);
  }, 60_000);

  // A selection has the hardest group.
  it.each(firstOf(Object.entries(GROUPS).reverse(), 1))(
    "%s",
    async (_name, group) => {
      const { found } = await recallOf(group, PHOTOGRAPHS, targets, FRAME);
      expect((100 * found) / PHOTOGRAPHS).toBeGreaterThanOrEqual(100 - group.missed);
    },
    60_000,
  );
});
