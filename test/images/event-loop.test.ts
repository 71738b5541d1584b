import { existsSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { brisqueRater, structuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { assessImage } from "../../src/images/assess.ts";
import { inspectTargetImage } from "../../src/images/inspect.ts";
import { scoreCandidates } from "../../src/images/score.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { candidate, scene } from "../support/scenes.ts";

/** Where Linux tells how long the main thread has been running: nanoseconds, up to the first space. */
const RUNNING_TIME = `/proc/self/task/${process.pid}/schedstat`;

/**
 * The longest that an action kept the event loop from its timers, in milliseconds above an idle baseline: by the delay
 * histogram, or, where known, by the time that the thread itself was running in one turn of the loop. The less counts:
 * what else goes on on the machine lengthens the first by any amount.
 */
async function longestDelay(action: () => Promise<unknown>): Promise<number> {
  const idle = monitorEventLoopDelay({ resolution: 2 });
  idle.enable();
  await new Promise((resolve) => setTimeout(resolve, 300));
  idle.disable();
  const busy = monitorEventLoopDelay({ resolution: 2 });
  busy.enable();
  const turns = watchTurns();
  await action();
  busy.disable();
  return Math.min((busy.max - idle.max) / 1e6, turns.longest());
}

function watchTurns(): { longest(): number } {
  if (!existsSync(RUNNING_TIME)) return { longest: () => Number.POSITIVE_INFINITY };
  const runningTime = () => Number(readFileSync(RUNNING_TIME, "latin1").split(" ", 1)[0]) / 1e6;
  let last = runningTime();
  let longest = 0;
  let watched = true;
  const turn = () => {
    const now = runningTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (watched) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    longest() {
      watched = false;
      return longest;
    },
  };
}

describe("the event loop", () => {
  let photographs: Buffer[];
  beforeAll(async () => {
    const image = sharp(await scene(7, 500, 375)).resize(2000, 1500);
    photographs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        image
          .clone()
          .jpeg({ quality: 70 + index })
          .toBuffer(),
      ),
    );
    await assessImage(makePng(), brisqueRater);
  }, 60_000);

  const add = async (image: Buffer) => {
    expect(await inspectTargetImage(image)).toMatchObject({ ok: true });
    return assessImage(image, brisqueRater);
  };

  it("waits less than 50 ms while 20 photographs of 2000x1500 are added at once", async () => {
    expect(await longestDelay(() => Promise.all(photographs.map(add)))).toBeLessThan(50);
  }, 60_000);

  it("waits less than 50 ms while 200 targets are prepared and scored", async () => {
    const targets = Array.from({ length: 200 }, (_, number) =>
      candidate(makePng({ fill: (index) => noiseByte(index + number * 7919) })),
    );
    const [query] = photographs;
    const delay = await longestDelay(async () => {
      for (let round = 0; query && round < 3; round++) {
        await scoreCandidates(structuralSimilarityMatcher, query, targets);
      }
    });
    expect(delay).toBeLessThan(50);
  }, 60_000);
});

describe("fake timers", () => {
  it("do not stop the work on images", async () => {
    vi.useFakeTimers();
    try {
      const png = makePng({ width: 700, height: 700 });
      expect(await assessImage(png, brisqueRater)).toMatchObject({ outcome: "success" });
      expect(await scoreCandidates(structuralSimilarityMatcher, png, [candidate(png)])).toEqual([
        expect.closeTo(1, 9),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
