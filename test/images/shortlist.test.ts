import { describe, expect, it } from "vitest";
import { packFeatures, type TargetFeatures, unpackFeatures } from "../../src/recognition/extract.ts";
import { featuresOfQuery, featuresOfTarget, imageOf, passesOfQuery } from "../../src/recognition/pictures.ts";
import { rankByFeatures } from "../../src/recognition/rank.ts";
import { lookFor } from "../../src/recognition/recognise.ts";
import { shortlist } from "../../src/recognition/shortlist.ts";
import { takePhotograph } from "../bench/scenes/camera.ts";
import { drawn, sceneOf } from "../bench/scenes/conditions.ts";
import { firstOf } from "../support/combinations.ts";
import { at, type Grey, pngOf } from "../support/photographs.ts";
import { generator } from "../support/scenes.ts";
import { drawStructured } from "../support/structured-pictures.ts";

describe("the shortlist", () => {
  const random = generator(7);
  const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
  const madeUp = (codes: Uint8Array): TargetFeatures => ({
    width: 640,
    height: 480,
    count: codes.length / 32,
    dark: codes.length / 64,
    frames: new Uint16Array(codes.length / 8),
    codes,
    small: bytes(96 * 72),
  });
  /** A third of the features, each of their bits wrong with a probability of 3 %. */
  const seen = (target: TargetFeatures) =>
    madeUp(
      target.codes.map((byte, index) =>
        Math.floor(index / 32) % 3 > 0
          ? Math.floor(random() * 256)
          : [0, 1, 2, 3, 4, 5, 6, 7].reduce((bits, bit) => bits ^ (random() < 0.03 ? 1 << bit : 0), byte),
      ),
    );

  it("begins with the target that the query shows, among many, and has all targets that are new", async () => {
    const many = Array.from({ length: 300 }, () => madeUp(bytes(100 * 32)));
    for (const index of [0, 123, 299]) {
      const list = await shortlist(seen(at(many, index)), many, 5);
      expect(list.length).toBeLessThanOrEqual(5);
      expect(many.indexOf(at(list, 0))).toBe(index);
    }
    const more = [...many, ...Array.from({ length: 10 }, () => madeUp(bytes(100 * 32)))];
    const list = await shortlist(seen(at(many, 7)), more, 5);
    expect(many.indexOf(at(list, 0))).toBe(7);
    expect(list.slice(-10)).toEqual(more.slice(-10));
  });

  it("leaves out targets that have no more votes than chance gives", async () => {
    const many = Array.from({ length: 61 }, () => madeUp(bytes(100 * 32)));
    const own = at(many, 0).codes.subarray(0, 40 * 32);
    const others = many.slice(1).map(({ codes }) => codes.subarray(0, 32));
    expect(await shortlist(madeUp(Buffer.concat([own, ...others])), many, 5)).toEqual([many[0]]);
  });

  it("finds no target that is not searched, though it is indexed", async () => {
    const many = Array.from({ length: 120 }, () => madeUp(bytes(100 * 32)));
    await shortlist(seen(at(many, 0)), many, 5);
    const others = many.slice(60);
    expect(others).toEqual(expect.arrayContaining([...(await shortlist(seen(at(many, 0)), others, 5))]));
  });

  it("takes features from another process only in the form in which they are sent", () => {
    const sent = madeUp(bytes(100 * 32));
    const packed = packFeatures(sent);
    expect(unpackFeatures(packed)).toEqual(sent);
    expect(unpackFeatures(packed.subarray(0, -1))).toBeUndefined();
    expect(unpackFeatures(Buffer.alloc(packed.length))).toBeUndefined();
  });
});

const fileOf = (bytes: Buffer) => ({ sha256: "", bytes: () => bytes });

async function targetOf(picture: Grey) {
  const features = await featuresOfTarget(fileOf(await pngOf(picture)));
  if (features === null) throw new Error("expected a picture that can be decoded");
  return features;
}

async function queryOf(photograph: Buffer) {
  const [whole] = await passesOfQuery(fileOf(photograph));
  if (whole === undefined) throw new Error("expected a picture that can be decoded");
  return featuresOfQuery(whole);
}

describe("keyboards, of which only the letters differ", () => {
  it("are found around a bottle, where one plane misplaces their pixels", async () => {
    const query = await queryOf(await sceneOf("cylinder", 41, 1).take());
    const found: number[] = [];
    for (const number of [3, 4, 5])
      if (lookFor(await targetOf(await drawn({ kind: "keyboards", number }, 1)), query, 8).found)
        found.push(number);
    expect(found).toEqual([4]);
  }, 60_000);

  it("are among the first of sixty, because their letters agree on a place", async () => {
    const draw = (number: number) => drawStructured("keyboards", 90_000 + number);
    const targets = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => targetOf(await draw(number))),
    );
    const light = { cover: 0, blur: 0.6, noise: 3, ramp: 0.2, gain: 0.9, gamma: 1, quality: 70 };
    for (const number of [7, 51]) {
      const item = { picture: await draw(number), tilt: 15, scale: 0.5 };
      const query = await queryOf(await takePhotograph([item], light, number));
      expect(await shortlist(query, targets, 8)).toContain(targets[number]);
    }
  }, 60_000);
});

/** Looks for the pictures that a scene shows. */
async function rankScene(name: string, number: number, seed: number, most: number) {
  const { shown, take } = sceneOf(name, number, seed);
  const targets = await Promise.all(
    shown.map(async (each) => ({
      name: each.kind,
      image: imageOf(await pngOf(await drawn(each, seed))),
      targetId: each.kind,
      applicationMetadata: null,
    })),
  );
  return { shown, ...(await rankByFeatures(8, imageOf(await take()), targets, most)) };
}

describe("six pictures in one photograph", () => {
  // A logo that is out of focus, and a table whose cells look alike
  it.each([16, 58])(
    "are all found by one query: scene %s",
    async (number) => {
      const { shown, matches } = await rankScene("several at once", number, 2, 10);
      expect(matches.map(({ target }) => target.name).sort()).toEqual(shown.map(({ kind }) => kind).sort());
    },
    60_000,
  );
});

describe("a picture tilted by 45 to 60°, of which too few features agree", () => {
  // Its height, and of the second scene its width, has to be halved
  it.each(firstOf([3, 43], 1))(
    "is found where one side of the photograph is shortened: scene %i",
    async (number) => {
      const { matches } = await rankScene("tilt to 60°", number, 1, 1);
      // As it is in the photograph, not in what was searched
      expect(matches.map(({ recognition }) => recognition?.why)).toEqual([
        expect.stringMatching(/tilt about (4[5-9]|5\d|6[0-2])°$/),
      ]);
    },
    60_000,
  );
});

describe("a picture of which a quarter fills the photograph", () => {
  it.each([
    ["a logo, by fewer features", 58],
    ["a crossword, by five windows", 40],
  ])(
    "is found since all that is seen of it looks the same: %s",
    async (_what, scene) => {
      const { matches } = await rankScene("near: a quarter of a picture", scene, 1, 1);
      expect(matches).toHaveLength(1);
    },
    60_000,
  );
});
