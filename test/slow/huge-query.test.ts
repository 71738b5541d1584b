import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import { ALL } from "../support/combinations.ts";
import { oneColourPng } from "../support/one-colour-png.ts";
import { peakMegabytes } from "../support/peak-memory.ts";
import { scene } from "../support/scenes.ts";
import { useBundle } from "../support/use-bundle.ts";

const MOST_MEGABYTES = 400;
/** Its coefficients take 2 bytes for each sample. */
const MOST_PROGRESSIVE_MEGABYTES = 1000;

const script = useBundle("test/slow/huge-query.ts");

/** Sends an image in a process of its own, whose memory is then its own as well. */
async function queriedWith(image: Buffer, times = 1) {
  const directory = await mkdtemp(join(tmpdir(), "huge-image-"));
  try {
    const file = join(directory, "huge");
    await writeFile(file, image);
    const parameters = [script(), file, String(times)];
    const { stdout } = await promisify(execFile)(process.execPath, parameters);
    return JSON.parse(stdout);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test.skipIf(peakMegabytes() === undefined)(
  `a query with a 15000x15000 image is answered within ${MOST_MEGABYTES} MB of memory`,
  {
    timeout: 120_000,
  },
  async () => {
    const image = oneColourPng();
    expect(image.length).toBeLessThan(2_097_152);
    expect(await sharp(image).metadata()).toMatchObject({ width: 15_000, height: 15_000, channels: 3 });
    const { megabytes, answers } = await queriedWith(image);
    expect(answers).toEqual([{ status: 200, results: [] }]);
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);
  },
);

test.skipIf(!ALL || peakMegabytes() === undefined)(
  "queries with progressive JPEGs of 96 megapixels are matched, and only one is decoded at a time",
  {
    timeout: 240_000,
  },
  async () => {
    const image = await sharp(await scene(1))
      .resize(12_000, 8000, { fit: "fill" })
      .jpeg({ progressive: true, quality: 40 })
      .toBuffer();
    expect(image.length).toBeLessThan(2_097_152);
    expect(await sharp(image, { limitInputPixels: false }).metadata()).toMatchObject({ isProgressive: true });
    const { megabytes, answers } = await queriedWith(image, 2);
    const matched = { status: 200, results: [{ target_data: { name: "scene" } }] };
    expect(answers).toMatchObject([matched, matched]);
    expect(megabytes).toBeLessThan(MOST_PROGRESSIVE_MEGABYTES);
  },
);
