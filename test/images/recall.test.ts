import { beforeAll, describe, expect, it } from "vitest";
import { drawTargets, GROUPS, recallOf } from "../support/recognition.ts";

/* The benchmark `recognition`, at a size that fits into a test. */

const [PHOTOGRAPHS, PICTURES, OTHERS] = [4, 8, 20];
const FRAME = { width: 800, height: 600 };

describe("featureMatcher finds photographs of drawn pictures, and nothing else in them", () => {
  let targets: Awaited<ReturnType<typeof drawTargets>>;
  beforeAll(async () => {
    targets = await drawTargets(PICTURES, OTHERS);
  }, 60_000);

  it.each(Object.entries(GROUPS))(
    "%s",
    async (_name, group) => {
      const { found } = await recallOf(group, PHOTOGRAPHS, targets, FRAME);
      expect((100 * found) / PHOTOGRAPHS).toBeGreaterThanOrEqual(100 - group.missed);
    },
    60_000,
  );
});
