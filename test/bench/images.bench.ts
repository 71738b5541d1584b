import sharp from "sharp";
import { preparedImages } from "../../src/core/images/cache.ts";
import { setImageCacheBytes } from "../../src/core/images/cache-limit.ts";
import { decodePixels, decodeThumbnail } from "../../src/core/images/decode.ts";
import { inspectTargetImage } from "../../src/core/images/inspect.ts";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { structuralSimilarity } from "../../src/core/images/matching/definition.ts";
import {
  createStructuralSimilarityMatcher,
  structuralSimilarityMatcher,
} from "../../src/core/images/matching/matchers.ts";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import { assessImage, brisqueRater } from "../../src/core/images/on-demand.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { candidate, scene } from "../support/scenes.ts";
import { type Bench, type Comparison, leastTime } from "./measure.ts";

export const bench: Bench = {
  run: async () => [...(await matching()), ...(await adding())],
};

/** Times for each target, against image-ssim called directly on pixels that are already scaled. */
async function matching(): Promise<Comparison[]> {
  const query = await scene(0);
  const [a, b] = [await thumbnail(query), await thumbnail(await scene(1))];
  const direct = await leastTime(20, () => structuralSimilarity(a, b));
  const everyWindow = createStructuralSimilarityMatcher({ threshold: -1 });
  const [thousand, tenThousand] = [targets(1000), targets(10_000)];
  const perTarget = async (matcher: typeof everyWindow, candidates: ComparedTarget[]) =>
    (await leastTime(5, () => rankTargets(matcher, query, candidates))) / candidates.length;

  const scoring = await perTarget(structuralSimilarityMatcher, thousand);
  const whole = await perTarget(everyWindow, thousand);
  const initialBytes = preparedImages.use.maxBytes;
  setImageCacheBytes(4e9);
  const wholeOfMany = await perTarget(everyWindow, tenThousand);
  setImageCacheBytes(initialBytes);

  const baseline = { baseline: "image-ssim, one pair", baselineMilliseconds: direct, atLeast: 30 };
  return [
    { name: "one of 1000 targets, mostly strangers", milliseconds: scoring, ...baseline },
    { name: "one of 1000 targets, every pixel compared", milliseconds: whole, ...baseline },
    { name: "one of 10000 targets, every pixel compared", milliseconds: wholeOfMany, ...baseline },
    {
      name: "one of 10000 targets, every pixel compared",
      milliseconds: wholeOfMany,
      baseline: "one of 1000 targets",
      baselineMilliseconds: whole,
      atLeast: 0.7,
    },
  ];
}

/** Times for each photograph of 2000x1500, against only decoding it. */
async function adding(): Promise<Comparison[]> {
  const photograph = sharp(await scene(7, 500, 375)).resize(2000, 1500);
  const photographs = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      photograph
        .clone()
        .jpeg({ quality: 70 + index })
        .toBuffer(),
    ),
  );
  const [first = Buffer.alloc(0)] = photographs;
  const decoding = await leastTime(5, () => decodePixels(first, async () => undefined));
  const add = async (image: Buffer) => {
    await inspectTargetImage(image, { brisque: true });
    await assessImage({ bytes: image }, brisqueRater);
  };
  let copies = 0;
  /** Adds copies with another byte behind the image each, because what is known of the same bytes is not computed again. */
  const addAnew = async (images: Buffer[]) => {
    copies += 1;
    await Promise.all(images.map((image) => add(Buffer.concat([image, Buffer.from([copies])]))));
  };
  const baseline = { baseline: "decoding it", baselineMilliseconds: decoding };
  const alone = await leastTime(5, () => addAnew([first]));
  const together = (await leastTime(1, () => addAnew(photographs))) / photographs.length;
  return [
    { name: "checking and rating a photograph", milliseconds: alone, ...baseline },
    { name: "one of 20 photographs at once", milliseconds: together, ...baseline },
  ];
}

/** Small images of noise that all differ; prepared, they are as large as any. */
function targets(count: number): ComparedTarget[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = makePng({ width: 24, height: 16, fill: (at) => noiseByte(at + index * 7919) });
    return candidate(bytes, String(index).padStart(32, "0"));
  });
}

async function thumbnail(bytes: Buffer): Promise<Buffer> {
  const decoded = await decodeThumbnail(bytes);
  if ("damage" in decoded) throw new Error(decoded.damage);
  return decoded;
}
