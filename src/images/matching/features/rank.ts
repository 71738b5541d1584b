import { yieldToEventLoop } from "../../../emulator/scheduling.ts";
import type { Outline } from "../../../schema/journal-entry.ts";
import { latestFeatures, MadeOfImages } from "../../cache.ts";
import { decodeGrey } from "../../decode.ts";
import type { ComparedImage, ComparedTarget, Comparison, RankedMatch, Ranking } from "../comparison.ts";
import { FeatureFinder, type Features, QUERY_SEARCH, type Search, TARGET_SEARCH } from "./extract.ts";
import { readProjections } from "./projections.ts";
import { type Judgement, judge, recognise } from "./recognise.ts";

let loaded: FeatureFinder | undefined;

/** Null when the image cannot be decoded. */
async function featuresOf(image: ComparedImage, search: Search): Promise<Features | null> {
  const grey = await decodeGrey(await image.bytes(), search.side);
  if ("damage" in grey) return null;
  loaded ??= new FeatureFinder(readProjections());
  return loaded.find(grey, search);
}

/** The features of targets' images. */
export const targetFeatures = new MadeOfImages(latestFeatures, (image: ComparedImage) =>
  featuresOf(image, TARGET_SEARCH),
);

/** Finds the targets that an image shows. */
export async function rankByFeatures<T extends ComparedTarget>(
  image: ComparedImage,
  targets: readonly T[],
  { minimumInliers }: Comparison & { readonly by: "features" },
  only?: "wholePictures",
): Promise<Ranking<T>> {
  const matches: RankedMatch<T>[] = [];
  const nearest: { readonly target: T; readonly inliers: number }[] = [];
  const whyNot = new Map<T, string>();
  let query: Promise<Features | null> | undefined;
  for (const target of targets) {
    if (target.image.sha256 === image.sha256) {
      matches.push({ target, score: 1, recognition: { why: "the same file", outline: WHOLE } });
      continue;
    }
    query ??= featuresOf(image, QUERY_SEARCH);
    const [shown, features] = await Promise.all([query, targetFeatures.of(target.image)]);
    await yieldToEventLoop();
    const { inliers, why, found }: Judgement =
      shown && features
        ? judge(recognise(features, shown), features, shown, minimumInliers)
        : { inliers: 0, why: "the picture cannot be decoded" };
    if (found && (only === undefined || isWhole(found.outline))) {
      matches.push({ target, score: found.score, recognition: { why, outline: found.outline } });
    } else {
      whyNot.set(target, found ? `${why}, but not the whole picture` : why);
      nearest.push({ target, inliers });
    }
  }
  matches.sort((a, b) => b.score - a.score);
  nearest.sort((a, b) => b.inliers - a.inliers);
  return { matches, notCompared: [], unmatched: nearest.map(({ target }) => target), whyNot };
}

/** The score of an image for a target's; null when it does not show that. */
export async function compareFeatures(a: Buffer, b: Buffer, minimumInliers: number): Promise<number | null> {
  if (a.equals(b)) return 1;
  const [query, target] = await Promise.all([
    featuresOf({ sha256: "", bytes: () => a }, QUERY_SEARCH),
    featuresOf({ sha256: "", bytes: () => b }, TARGET_SEARCH),
  ]);
  if (!query || !target) return null;
  return judge(recognise(target, query), target, query, minimumInliers).found?.score ?? null;
}

const WHOLE: Outline = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
/** By how much the corners of a whole picture may be off, in parts of its sides. */
const CORNER_TOLERANCE = 0.1;

/** Whether the outline is that of the whole picture, however it is turned. */
const isWhole = (outline: Outline): boolean =>
  WHOLE.every(([x, y]) =>
    outline.some(([u, v]) => Math.abs(u - x) < CORNER_TOLERANCE && Math.abs(v - y) < CORNER_TOLERANCE),
  );
