import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, deflateSync } from "node:zlib";
import { brisqueRater, structuralSimilarityMatcher } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { inspectQueryImage, inspectTargetImage } from "../../src/core/images/inspect.ts";
import { assessImage } from "../../src/core/images/on-demand.ts";
import { oneColourPng } from "../support/one-colour-png.ts";
import { peakMegabytes } from "../support/peak-memory.ts";
import { makePng, pngChunk } from "../support/png.ts";
import { candidate, scoresOf } from "../support/scenes.ts";
import { timeOfCopying } from "../support/slow-memory.ts";

/** Runs in a process of its own, whose memory is then its own as well. */
const PROGRAM = `
  import { readFileSync } from "node:fs";
  const [inspectFile, rankingFile, matchersFile, memoryFile, image] = process.argv.slice(1);
  const { peakMegabytes } = await import(memoryFile);
  const { inspectQueryImage } = await import(inspectFile);
  const { rankTargets } = await import(rankingFile);
  const { structuralSimilarityMatcher } = await import(matchersFile);
  const bytes = readFileSync(image);
  const before = peakMegabytes();
  const verdict = await inspectQueryImage(bytes);
  const target = { targetId: "1", name: "n", applicationMetadata: null, image: { sha256: "other", bytes: () => bytes } };
  const { matches } = await rankTargets(structuralSimilarityMatcher, bytes, [target]);
  const scores = matches.map(({ score }) => score);
  const megabytes = peakMegabytes() - before;
  console.log(JSON.stringify({ verdict, scores, megabytes }));
`;

describe("a query image of 15000x15000", () => {
  it.skipIf(peakMegabytes() === undefined)(
    "is matched within 400 MB",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "huge-query-"));
      try {
        const image = join(folder, "huge.png");
        writeFileSync(image, oneColourPng());
        const modules = [
          "src/core/images/inspect",
          "src/core/images/matching/ranking",
          "src/core/images/matching/matchers",
          "test/support/peak-memory",
        ].map((name) => new URL(`../../${name}.ts`, import.meta.url).href);
        const { stdout } = spawnSync(
          process.execPath,
          ["--import", "tsx", "--input-type=module", "--eval", PROGRAM, "--", ...modules, image],
          { encoding: "utf8" },
        );
        const { verdict, scores, megabytes } = JSON.parse(stdout);
        expect(verdict).toEqual({ ok: true });
        expect(scores).toEqual([expect.closeTo(1, 9)]);
        expect(megabytes).toBeLessThan(400);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    60_000,
  );

  it("that would have to be decoded whole is answered, and matches nothing", async () => {
    const interlaced = interlacedHeader(15_000);
    expect(await inspectQueryImage(interlaced)).toEqual({ ok: true });
    const scores = await scoresOf(structuralSimilarityMatcher, interlaced, [candidate(interlaced)]);
    expect(scores).toEqual([null]);
  });
});

/** Makes grey PNGs, whose rows differ; equal numbers give equal files. */
function greyPngs(width: number, height: number): (number: number) => Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < rows.length; at++) rows[at] = (at * 7) & 255;
  for (let start = 0; start < rows.length; start += width + 1) rows[start] = 0;
  const data = pngChunk("IDAT", deflateSync(rows, { level: constants.Z_BEST_SPEED }));
  return (number) =>
    Buffer.concat([
      makePng().subarray(0, 8),
      pngChunk("IHDR", header),
      pngChunk("tEXt", Buffer.from(`number\0${number}`)),
      data,
      pngChunk("IEND", Buffer.alloc(0)),
    ]);
}

describe("a target image of an extreme shape", () => {
  /** In CPU seconds. Up to 1 GiB of new memory is used, so more where that is slow. */
  const LIMIT = Math.max(2, 1 + (16 * timeOfCopying()) / 1000);

  it.each([
    [125, 300_000],
    [37_748_736, 1],
  ])(
    "%ix%i is checked, rated and prepared within 2 s",
    async (width, height) => {
      const numbered = greyPngs(width, height);
      let seconds = Number.POSITIVE_INFINITY;
      // The shortest of up to three runs: a loaded machine slows one down.
      for (let run = 0; run < 3 && seconds >= LIMIT; run += 1) {
        const image = numbered(run);
        const before = process.cpuUsage();
        const inspected = await inspectTargetImage(image, { brisque: true, sketch: true });
        if (!inspected.ok) expect.fail(inspected.cause.code);
        // What was measured is used again, as when a target is added.
        expect(await assessImage(inspected.image, brisqueRater)).toMatchObject({ rating: 0 });
        const { user, system } = process.cpuUsage(before);
        seconds = Math.min(seconds, (user + system) / 1e6);
      }
      expect(seconds).toBeLessThan(LIMIT);
    },
    240_000,
  );
});

/** A PNG that says it is interlaced and this large; the little data it has opens. */
function interlacedHeader(side: number): Buffer {
  const png = makePng();
  const header = Buffer.from(png.subarray(16, 29));
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 12);
  return Buffer.concat([png.subarray(0, 8), pngChunk("IHDR", header), png.subarray(33)]);
}
