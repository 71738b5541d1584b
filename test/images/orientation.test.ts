import { exactMatcher, featureMatcher, structuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import { compareWindows } from "../../src/page/trial.ts";
import { firstOf } from "../support/combinations.ts";
import { drawLeaves, type Photograph, photograph, pngOf } from "../support/photographs.ts";
import { UNCOMPRESSED } from "../support/png.ts";
import { candidate } from "../support/scenes.ts";

/*
 * Cameras do not turn their pixels; they write into the file (EXIF) how viewers should turn or mirror them.
 */

/** A JPEG whose pixels are those of a picture as they are, which viewers turn. */
const oriented = (picture: Buffer, orientation: number): Promise<Buffer> =>
  sharp(picture).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();

/** A selection has one that turns, and one that mirrors too. */
const ORIENTATIONS = firstOf([1, 6, 7, 2, 3, 4, 5, 8], 3);

/** What viewers of a file see, without any note for them. */
const seen = (file: Buffer): Promise<Buffer> => sharp(file).autoOrient().png(UNCOMPRESSED).toBuffer();

const outlineIn = async (query: Buffer, target: Buffer) => {
  const { matches } = await rankTargets(featureMatcher, query, [candidate(target)], 1);
  return matches[0]?.recognition?.outline ?? [];
};

describe("pictures that viewers turn", () => {
  const picture = drawLeaves(4, 480, 360);
  let photo: Photograph;
  let pixels: Buffer;
  let upright: Buffer;
  /** The picture with one corner covered, and where that is. */
  let covered: Buffer;
  let marked: Buffer;
  beforeAll(async () => {
    photo = await photograph(picture, { tilt: 25, scale: 0.6, cover: 0 }, 4, { width: 640, height: 480 });
    [upright, pixels, marked] = await Promise.all([pngOf(picture), pngOf(photo), mark()]);
    const corner = { input: await pngOf(drawLeaves(5, 160, 120)), left: 0, top: 0 };
    covered = await sharp(upright).composite([corner]).png(UNCOMPRESSED).toBuffer();
  }, 60_000);

  it.each(ORIENTATIONS)("are recognised as viewers see them: orientation %i", async (orientation) => {
    const isMirrored = [2, 4, 5, 7].includes(orientation);
    const query = await oriented(isMirrored ? await sharp(pixels).flop().toBuffer() : pixels, orientation);
    const outline = await outlineIn(query, upright);
    const expected = await outlineIn(await seen(query), upright);
    expect(expected).toHaveLength(4);
    expect(outline).toHaveLength(4);
    for (const [index, [x = 0, y = 0]] of expected.entries()) {
      const [u = 0, v = 0] = outline[index] ?? [];
      expect(Math.hypot(u - x, v - y)).toBeLessThan(0.01);
    }
    // Where it would be by the pixels alone.
    const [[left = 0, top = 0] = []] = photo.corners.map(([x, y]) => [
      isMirrored ? 1 - x / photo.width : x / photo.width,
      y / photo.height,
    ]);
    const [[x = 0, y = 0] = []] = outline;
    expect(Math.hypot(x - left, y - top) < 0.02).toBe(orientation === 1);

    const target = await oriented(isMirrored ? await sharp(upright).flop().toBuffer() : upright, orientation);
    const ofTarget = await outlineIn(pixels, target);
    for (const [index, [u = 0, v = 0]] of (await outlineIn(pixels, await seen(target))).entries()) {
      const [a = 0, b = 0] = ofTarget[index] ?? [];
      expect(Math.hypot(u - a, v - b)).toBeLessThan(0.01);
    }
    expect(ofTarget).toHaveLength(4);
  });

  it.each(ORIENTATIONS)("are alike as viewers see them: orientation %i", async (orientation) => {
    for (const [width, height] of [
      [480, 360],
      [200, 150],
      [1400, 1050],
    ] as const) {
      const shown = await sharp(upright).resize(width, height, { fit: "fill" }).png(UNCOMPRESSED).toBuffer();
      for (const file of await stored(shown, orientation)) {
        expect(await structuralSimilarityMatcher(file, shown)).toBeGreaterThan(0.95);
        expect(await structuralSimilarityMatcher(shown, file)).toBeGreaterThan(0.95);
        expect(exactMatcher(file, shown)).toBeNull();
      }
    }
  });

  it.each(ORIENTATIONS)("are mapped as viewers see them: orientation %i", async (orientation) => {
    const [, file = covered] = await stored(covered, orientation);
    const map = await compareWindows(file, upright);
    const { data, info } = await sharp(marked)
      .resize(map?.columns, map?.columns, { fit: "fill" })
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info.width).toBe(map?.columns);
    for (const [index, window] of (map?.windows ?? []).entries()) {
      // Between the corner and the rest, windows have a part of both.
      if ((data[index] ?? 0) > 250) expect(window).toBeLessThan(0.85);
      if ((data[index] ?? 0) < 5) expect(window).toBeGreaterThan(0.85);
    }
  });
});

/** The files, PNG and JPEG, that viewers show as a picture although their pixels are turned or mirrored. */
async function stored(shown: Buffer, orientation: number): Promise<readonly Buffer[]> {
  const undo = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6 }[orientation];
  const undone = sharp(
    await sharp(shown)
      .withMetadata({ orientation: undo ?? 1 })
      .png(UNCOMPRESSED)
      .toBuffer(),
  );
  const pixels = undone.autoOrient().withMetadata({ orientation });
  return Promise.all([
    pixels.clone().png(UNCOMPRESSED).toBuffer(),
    pixels.clone().jpeg({ quality: 95 }).toBuffer(),
  ]);
}

/** Black, with a white corner where the pictures are covered. */
const mark = (): Promise<Buffer> =>
  sharp({ create: { width: 480, height: 360, channels: 3, background: "black" } })
    .composite([
      {
        input: { create: { width: 160, height: 120, channels: 3, background: "white" } },
        left: 0,
        top: 0,
      },
    ])
    .png(UNCOMPRESSED)
    .toBuffer();
