import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { LIMIT_MILLISECONDS, longestTurnOf } from "../support/longest-turn.ts";
import { useBundle } from "../support/use-bundle.ts";

const LARGEST_IMAGE_BYTES = 2_359_293;

const script = useBundle("test/slow/scripts/large-state.ts");

const STATES = [
  // Everything but the images is read at once, as any body.
  { targets: 10_000, imageBytes: 100, atLeast: 4_000_000, limit: 300 },
  // Together, their base64 is longer than any string can be.
  { targets: 185, imageBytes: LARGEST_IMAGE_BYTES, atLeast: 2 ** 29, limit: LIMIT_MILLISECONDS },
];

test.each(firstOf(STATES, 1))(
  "others wait less than $limit ms while a snapshot and a listing of $targets targets stream in both directions",
  async ({ targets, imageBytes, atLeast, limit }) => {
    await using servers = await startServers();
    const parameters = [servers.urls.manager, String(targets), String(imageBytes)];
    const turn = await longestTurnOf(async () => {
      await servers.reset();
      const { stdout } = await promisify(execFile)(process.execPath, [script(), ...parameters]);
      const { put, snapshot, listing } = JSON.parse(stdout);
      expect(put).toBe(200);
      expect(snapshot).toBeGreaterThan(atLeast);
      expect(listing).toBeGreaterThan(atLeast);
    }, limit);
    expect(turn).toBeLessThan(limit);
  },
);
