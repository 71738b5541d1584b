import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { structuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { inspectQueryImage } from "../../src/images/inspect.ts";
import { scoreCandidates } from "../../src/images/score.ts";
import { makePng, pngChunk } from "../support/png.ts";
import { candidate } from "../support/scenes.ts";

const huge = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "teal" }, limitInputPixels: false });

/** Runs in a process of its own, whose memory is then its own as well. */
const PROGRAM = `
  import { readFileSync } from "node:fs";
  const [inspectFile, scoreFile, matchersFile, image] = process.argv.slice(1);
  const { inspectQueryImage } = await import(inspectFile);
  const { scoreCandidates } = await import(scoreFile);
  const { structuralSimilarityMatcher } = await import(matchersFile);
  const bytes = readFileSync(image);
  const before = process.resourceUsage().maxRSS;
  const verdict = await inspectQueryImage(bytes);
  const target = { target: { id: "1", name: "n", metadata: null }, sha256: "other", bytes: () => bytes };
  const scores = await scoreCandidates(structuralSimilarityMatcher, bytes, [target]);
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024;
  console.log(JSON.stringify({ verdict, scores, megabytes }));
`;

describe("a query image of 15000x15000", () => {
  it("is matched within 400 MB", async () => {
    const folder = mkdtempSync(join(tmpdir(), "huge-query-"));
    try {
      const image = join(folder, "huge.png");
      writeFileSync(image, await huge(15_000).png().toBuffer());
      const modules = ["inspect", "score", "matchers"].map(
        (name) => new URL(`../../src/images/${name}.ts`, import.meta.url).href,
      );
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
  }, 60_000);

  it("that would have to be decoded whole is answered, and matches nothing", async () => {
    const interlaced = interlacedHeader(15_000);
    expect(await inspectQueryImage(interlaced)).toEqual({ ok: true, width: 15_000, height: 15_000 });
    const scores = await scoreCandidates(structuralSimilarityMatcher, interlaced, [candidate(interlaced)]);
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
