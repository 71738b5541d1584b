import { brisqueRater, fixedRater, perfectRater, randomRater } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { assessImage } from "../../src/core/images/on-demand.ts";
import { makePng } from "../support/png.ts";

/** Columns of two values; the population deviation of (0, d) in equal parts is d/2. */
const striped = (low: number, high: number, more = {}) =>
  makePng({ width: 10, height: 10, colourType: 0, fill: (index) => (index % 11 <= 5 ? low : high), ...more });

describe("the outcome of processing", () => {
  it("is success above a deviation of 5, failed at exactly 5", async () => {
    expect(await assessImage({ bytes: striped(100, 110) }, perfectRater)).toMatchObject({
      outcome: "failed",
      rating: 5,
    });
    expect(await assessImage({ bytes: striped(100, 111) }, perfectRater)).toMatchObject({
      outcome: "success",
      rating: 5,
    });
  });

  it("depends on the mean over the colour channels", async () => {
    const rgb = (red: number) =>
      makePng({
        width: 10,
        height: 10,
        fill: (index) => ((index % 31) % 3 === 1 && index % 31 > 15 ? red : 0),
      });
    // Red alone deviates: by 15, then 15.5, which makes a mean of 5 and 5.17.
    expect((await assessImage({ bytes: rgb(30) }, perfectRater)).outcome).toBe("failed");
    expect((await assessImage({ bytes: rgb(31) }, perfectRater)).outcome).toBe("success");
  });

  it("is failed for 1x1 and for one colour, success for 5x5 of noise", async () => {
    const outcome = async (png: Buffer) => (await assessImage({ bytes: png }, perfectRater)).outcome;
    expect(await outcome(makePng({ width: 1, height: 1 }))).toBe("failed");
    expect(await outcome(makePng({ fill: 77 }))).toBe("failed");
    expect(await outcome(makePng({ width: 5, height: 5 }))).toBe("success");
  });

  it("reads 16-bit and low-depth images on the same scale", async () => {
    const deep = makePng({ width: 4, height: 4, depth: 16, fill: (index) => (index % 25 <= 12 ? 0 : 255) });
    const shallow = makePng({ width: 4, height: 4, depth: 2, colourType: 0, fill: 0b00_00_11_11 });
    expect((await assessImage({ bytes: deep }, perfectRater)).outcome).toBe("success");
    expect((await assessImage({ bytes: shallow }, perfectRater)).outcome).toBe("success");
  });
});

describe("an image that cannot be decoded", () => {
  it("fails, but is still rated by the rater", async () => {
    const text = Buffer.from("hello");
    expect(await assessImage({ bytes: text }, brisqueRater)).toMatchObject({ outcome: "failed", rating: 0 });
    expect(await assessImage({ bytes: text }, perfectRater)).toMatchObject({ outcome: "failed", rating: 5 });
  });
});

describe("randomRater", () => {
  const draw = async (rater: typeof perfectRater) => {
    const ratings = [];
    for (let count = 0; count < 200; count++) ratings.push(await rater(Buffer.alloc(0)));
    return ratings;
  };

  it("gives every rating from 0 to 5", async () => {
    expect(new Set(await draw(randomRater()))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  });

  it("gives the same ratings for the same seed", async () => {
    const ratings = await draw(randomRater("seed"));
    expect(await draw(randomRater("seed"))).toEqual(ratings);
    expect(await draw(randomRater("other"))).not.toEqual(ratings);
  });
});

describe("a rater", () => {
  const png = makePng();
  const rating = async (rater: Parameters<typeof assessImage>[1]) =>
    (await assessImage({ bytes: png }, rater)).rating;

  it("may be a function of the image's bytes, sync or async", async () => {
    expect(await rating((image) => (image.equals(png) ? 2 : 0))).toBe(2);
    expect(await rating(async () => 0)).toBe(0);
    expect(await rating(fixedRater(4))).toBe(4);
  });

  it.each([6, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])("must not give %s", async (value) => {
    const message = `expected a whole number from 0 to 5; got ${value}`;
    await expect(rating(() => value)).rejects.toThrow(new RangeError(`targetRater: ${message}`));
    expect(() => fixedRater(value)).toThrow(new RangeError(`fixedRater: ${message}`));
  });

  it("must give a number", async () => {
    const untyped: { rater(): never } = JSON.parse("{}");
    Object.assign(untyped, { rater: () => "3" });
    await expect(rating(untyped.rater)).rejects.toThrow(
      new TypeError('targetRater: expected a whole number from 0 to 5; got "3"'),
    );
  });

  it("passes on what it throws", async () => {
    const failure = new Error("mine");
    await expect(rating(() => Promise.reject(failure))).rejects.toBe(failure);
  });
});
