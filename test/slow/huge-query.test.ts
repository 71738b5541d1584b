import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import { oneColourPng } from "../support/one-colour-png.ts";
import { peakMegabytes } from "../support/peak-memory.ts";

const MOST_MEGABYTES = 400;

test.skipIf(peakMegabytes() === undefined)(
  `a query with a 15000x15000 image is answered within ${MOST_MEGABYTES} MB of memory`,
  {
    timeout: 120_000,
  },
  async () => {
    const image = oneColourPng();
    expect(image.length).toBeLessThan(2_097_152);
    expect(await sharp(image).metadata()).toMatchObject({ width: 15_000, height: 15_000, channels: 3 });
    const directory = await mkdtemp(join(tmpdir(), "huge-image-"));
    try {
      const file = join(directory, "huge.png");
      await writeFile(file, image);
      const script = fileURLToPath(new URL("./huge-query.ts", import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script, file]);
      const { megabytes, ...answer } = JSON.parse(stdout);
      expect(answer).toEqual({ status: 200, results: [] });
      expect(megabytes).toBeLessThan(MOST_MEGABYTES);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);
