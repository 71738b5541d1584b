import { expect, test } from "vitest";
import { whyNoRedis } from "../support/redis-server.ts";
import { type KeptIn, soak } from "./killed-soak.ts";

/** `npm run fuzz -- killed` does it for 60 s each. */
const OPERATIONS = 800;

test.each<KeptIn>(whyNoRedis === undefined ? ["redis", "file"] : ["file"])(
  `servers with their state in %s: ${OPERATIONS} operations, servers killed; nothing is lost or there twice, and limits are exact`,
  async (keptIn) => {
    const { wrong, statuses, targets } = await soak({ operations: OPERATIONS }, keptIn);
    expect(wrong).toEqual([]);
    expect(targets).toBeGreaterThan(OPERATIONS / 16);
    expect(statuses["no answer"]).toBeGreaterThan(0);
  },
);
