import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { structuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { inspectQueryImage } from "../../src/images/inspect.ts";
import { peakMegabytes } from "../support/peak-memory.ts";
import { makePng, pngChunk } from "../support/png.ts";
import { candidate, scoresOf } from "../support/scenes.ts";

const huge = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "teal" }, limitInputPixels: false });

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
        writeFileSync(image, await huge(15_000).png().toBuffer());
        const modules = [
          "src/images/inspect",
          "src/images/ranking",
          "src/images/matchers",
          "test/support/peak-memory",
        ].map((name) => new URL(`../../${name}.ts`, import.meta.url).href);
        const { stdout } = spawnSync(
          process.execPath,
          ["--import", "tsx", "--input-type=module", "--eval", PROGRAM, "--", ...modules, image],
          { encoding: "utf8" },
        );
        const { verdict, scores, megabytes } = JSON.parse(stdout);
        expect(verdict).toEqual({ ok: true, width: 15_000, height: 15_000 });
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
    expect(await inspectQueryImage(interlaced)).toEqual({ ok: true, width: 15_000, height: 15_000 });
    const scores = await scoresOf(structuralSimilarityMatcher, interlaced, [candidate(interlaced)]);
    expect(scores).toEqual([null]);
  });
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
