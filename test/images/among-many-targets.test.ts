import { readFile } from "node:fs/promises";
import { featureMatcher } from "mock-cloud-reco";
import { beforeAll, describe, expect, it } from "vitest";
import { firstOf, times } from "../support/combinations.ts";
import { photograph, pngOf } from "../support/photographs.ts";
import { finds } from "../support/recognition.ts";
import { candidate } from "../support/scenes.ts";
import { drawStructured, type Kind } from "../support/structured-pictures.ts";

/** Pictures of each kind: too many to compare all of them. */
const OF_A_KIND = times(28, 16);
const KINDS: readonly Kind[] = ["pages", "labels", "sheet music", "tables"];

describe("among many targets whose parts look alike, featureMatcher", () => {
  const targets: ReturnType<typeof candidate>[] = [];
  beforeAll(async () => {
    for (const kind of KINDS)
      for (let seed = 0; seed < OF_A_KIND; seed++)
        targets.push(candidate(await pngOf(await drawStructured(kind, seed)), `${kind} ${seed}`));
  }, 120_000);

  const findsIt = async (kind: Kind, seed: number, tilt: number) => {
    const view = { tilt, scale: 0.7, cover: 0 };
    const picture = await drawStructured(kind, seed);
    const photo = await photograph(picture, view, seed, { width: 640, height: 480 });
    return finds(await pngOf(photo), targets, `${kind} ${seed}`);
  };

  /** Seeds and tilts. */
  const SIGHTINGS = [
    [2, 58],
    [10, 53],
  ] as const;
  /* Votes find these only if they count together where they turn and scale the target alike. */
  it.each(firstOf(SIGHTINGS, 1))(
    "finds sheet music %i at a tilt of %i°",
    async (seed, tilt) => {
      expect(await findsIt("sheet music", seed, tilt)).toBe(true);
    },
    60_000,
  );

  const STRANGERS: readonly (readonly [Kind, number])[] = [
    ["pages", 34],
    ["labels", 28],
    ["labels", 33],
  ];
  /* Their features agree with those of up to six targets: only their pixels differ. */
  it.each(firstOf(STRANGERS, 1))(
    "finds nothing in a photograph of another picture: %s %i",
    async (kind, seed) => {
      expect(await findsIt(kind, seed, 10)).toBe(false);
    },
    60_000,
  );
});

it("featureMatcher finds a page by some of its lines, photographed from near", async () => {
  const read = (name: string) => readFile(`test/images/photographs/${name}.jpg`);
  expect(await featureMatcher(await read("page-from-near"), await read("page"))).toBeGreaterThan(0.5);
});
