import { expect, test } from "vitest";
import { whyNoRedis } from "../../support/redis-server.ts";
import { soak } from "./soak.ts";

/** `npm run soak:redis` does it for 30 s. */
const OPERATIONS = 800;

test.skipIf(whyNoRedis !== undefined)(
  `seven processes on one Redis: ${OPERATIONS} operations, servers and Redis killed; nothing is lost, and limits are exact`,
  async () => {
    const { wrong, statuses, targets } = await soak({ operations: OPERATIONS });
    expect(wrong).toEqual([]);
    expect(targets).toBeGreaterThan(OPERATIONS / 16);
    expect(statuses["no answer"]).toBeGreaterThan(0);
  },
);
