import { describe, expect, it } from "vitest";
import { featuresOfQuery, featuresOfTarget, passesOfQuery } from "../../src/recognition/pictures.ts";
import { lookFor } from "../../src/recognition/recognise.ts";
import { shortlist } from "../../src/recognition/shortlist.ts";
import { takePhotograph } from "../bench/scenes/camera.ts";
import { drawn, sceneOf } from "../bench/scenes/conditions.ts";
import { type Grey, pngOf } from "../support/photographs.ts";
import { drawStructured } from "../support/structured-pictures.ts";

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
