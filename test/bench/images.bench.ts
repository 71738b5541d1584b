import { hashImage, imageCacheUse, setImageCacheBytes } from "../../src/images/cache.ts";
import { decodeThumbnail } from "../../src/images/decode.ts";
import { createStructuralSimilarityMatcher, structuralSimilarityMatcher } from "../../src/images/matchers.ts";
import { type Candidate, scoreCandidates } from "../../src/images/score.ts";
import { prepareFeatures } from "../../src/images/similarity-features.ts";
import { structuralSimilarity } from "../../src/images/structural-similarity.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { scene } from "../support/scenes.ts";
import { type Bench, type Comparison, medianTime } from "./measure.ts";

/** Small images of noise that all differ; prepared, they are as large as any. */
function targets(count: number): Candidate[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = makePng({ width: 24, height: 16, fill: (at) => noiseByte(at + index * 7919) });
    const id = String(index).padStart(32, "0");
    return {
      target: { id, name: id, metadata: null },
      sha256: hashImage(bytes),
      bytes: () => bytes,
    };
  });
}

async function thumbnail(bytes: Buffer): Promise<Buffer> {
  const decoded = await decodeThumbnail(bytes);
  if ("damage" in decoded) throw new Error(decoded.damage);
  return decoded;
}

export const bench: Bench = {
  async run() {
    const query = await scene(0);
    const [a, b] = [await thumbnail(query), await thumbnail(await scene(1))];
    const direct = await medianTime(20, () => structuralSimilarity(a, b));
    const everyWindow = createStructuralSimilarityMatcher({ threshold: -1 });
    const thousand = targets(1000);
    const tenThousand = targets(10_000);
    const initialBytes = imageCacheUse().maxBytes;

    const lines: Comparison[] = [];
    const add = (name: string, milliseconds: number, count: number, atLeast: number) =>
      lines.push({
        name,
        milliseconds,
        baseline: `${count} times image-ssim`,
        baselineMilliseconds: direct * count,
        atLeast,
      });
    const prepare = await medianTime(20, () => prepareFeatures(a));
    add("prepare one thumbnail", prepare, 1, 1);
    const query1000 = await medianTime(5, () =>
      scoreCandidates(structuralSimilarityMatcher, query, thousand),
    );
    add("one query, 1000 targets", query1000, 1000, 30);
    const full1000 = await medianTime(5, () => scoreCandidates(everyWindow, query, thousand));
    add("the same, nothing skipped", full1000, 1000, 30);
    setImageCacheBytes(4e9);
    const full10000 = await medianTime(3, () => scoreCandidates(everyWindow, query, tenThousand));
    add("nothing skipped, 10000 targets", full10000, 10_000, 30);
    lines.push({
      name: "10000 targets, per target (x1000)",
      milliseconds: full10000 / 10,
      baseline: "1000 targets",
      baselineMilliseconds: full1000,
      atLeast: 0.7,
    });
    setImageCacheBytes(initialBytes);
    return lines;
  },
};
