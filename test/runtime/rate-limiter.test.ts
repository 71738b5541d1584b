import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestHistory } from "../../src/runtime/rate-limiter.ts";

/** Every accepted moment, counted one by one. */
class Model {
  readonly moments: number[] = [];
  countIn(windowSeconds: number, now: number): number {
    return this.moments.filter((moment) => moment > now - windowSeconds * 1000 && moment <= now).length;
  }
}

describe("RequestHistory", () => {
  it("counts as the model does, under any sequence of times", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 20 }),
        (steps, windowSeconds, maxRequests) => {
          const history = new RequestHistory();
          const model = new Model();
          let now = 1_000_000;
          for (const step of steps) {
            now += step;
            expect(history.countIn(windowSeconds, now)).toBe(model.countIn(windowSeconds, now));
            if (model.countIn(windowSeconds, now) >= maxRequests) continue;
            history.add(now, windowSeconds);
            model.moments.push(now);
          }
        },
      ),
    );
  });

  it("forgets what left the window once there is much of it", () => {
    const history = new RequestHistory();
    for (let now = 0; now < 10_000_000; now += 1000) history.add(now, 1);
    expect(history.countIn(10_000_000, 9_999_000)).toBeLessThanOrEqual(2000);
    expect(history.countIn(1, 9_999_000)).toBe(1);
  });

  it("keeps all that is inside the window", () => {
    const history = new RequestHistory();
    for (let now = 0; now < 5000; now += 1) history.add(now, 60);
    expect(history.countIn(60, 5000)).toBe(5000);
  });
});
