import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RateHistories, takeToken } from "../../src/core/store/rate-history.ts";

const rule = { key: "other", maxRequests: 3, windowSeconds: 1, isAligned: false };

/** Which of the requests at these moments are accepted. */
const accepted = (moments: readonly number[], limit = rule): readonly number[] => {
  const histories: RateHistories = new Map();
  return moments.filter((moment) => takeToken(histories, [limit], moment) === undefined);
};

describe("the requests that a limit accepts", () => {
  it("do not depend on the order of those in one window", () => {
    const moments = Array.from({ length: 10 }, (_, index) => index);
    fc.assert(
      fc.property(fc.shuffledSubarray(moments, { minLength: 10 }), (order) => {
        expect(accepted(order)).toHaveLength(3);
      }),
    );
  });

  it("match the model, for any sequence of moments within a window of each other", () => {
    const moments = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 60 });
    fc.assert(
      fc.property(moments, fc.integer({ min: 0, max: 5 }), (order, maxRequests) => {
        const model: number[] = [];
        for (const moment of order)
          if (model.filter((other) => Math.abs(other - moment) < 1000).length < maxRequests)
            model.push(moment);
        expect(accepted(order, { ...rule, maxRequests })).toEqual(model);
      }),
    );
  });

  it("never exceed the limit in any window, as time passes", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, (drifts) => {
        let now = 0;
        const moments = drifts.map((drift) => {
          now += drift;
          return now;
        });
        const taken = accepted(moments);
        for (const moment of taken)
          expect(taken.filter((other) => other >= moment && other - moment < 1000).length).toBeLessThan(4);
      }),
    );
  });

  it("are not more when the clock runs backwards within the window", () => {
    expect(accepted([1000, 900, 800, 700, 600, 1])).toEqual([1000, 900, 800]);
  });

  it("start afresh when the clock was set back by more than the window", () => {
    expect(accepted([10_000, 10_000, 10_000, 10_000, 8999, 8999, 8999, 8999])).toEqual([
      10_000, 10_000, 10_000, 8999, 8999, 8999,
    ]);
  });

  it("count within the window of the clock, if windows are aligned, whatever their order", () => {
    const aligned = { ...rule, maxRequests: 2, isAligned: true };
    expect(accepted([1999, 1000, 1500, 2000, 2999, 2500, 999, 3000], aligned)).toEqual([
      1999, 1000, 2000, 2999, 999, 3000,
    ]);
    expect(accepted([5000, 5000, 1000, 1000, 1000], aligned)).toEqual([5000, 5000, 1000, 1000]);
  });

  it("are remembered only as long as they matter", () => {
    const histories: RateHistories = new Map();
    for (let moment = 0; moment < 100_000; moment += 100) takeToken(histories, [rule], moment);
    expect(histories.get("other")?.length).toBeLessThanOrEqual(3 * 3);
  });
});
