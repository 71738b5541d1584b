import { hash } from "node:crypto";
import { useSpareTime, yieldToEventLoop } from "../../general/scheduling.ts";
import { showWithType } from "../../general/text.ts";
import { ImageMemo, imageObjects, measured, preparedImages } from "../cache.ts";
import { useThumbnail } from "../decode.ts";
import {
  type ComparedImage,
  type ComparedTarget,
  comparisonOf,
  type ImageMatcher,
  type Ranking,
} from "./comparison.ts";
import {
  boundScore,
  type PreparedImage,
  packSketch,
  prepareImage,
  prepareWithSketch,
  type Query,
  type Sketch,
  scoreImage,
  sketchThumbnail,
  unpackSketch,
  withQuery,
} from "./similarity.ts";

/** Sketches compared per slice: about 1 ms. */
const SKETCHES_PER_SLICE = 128;
/** Fewer are compared in the turn in which the query was prepared. */
const FEW_SKETCHES = 16;
/** Images compared per slice when all matches are requested, and when only the best are: then each one may end the search. */
const IMAGES_PER_SLICE = 32;
const BEST_PER_SLICE = 4;
/** Targets are sorted by their bounds in this many parts, so that sorting does not block the event loop. */
const SORTED_PARTS = 256;

/**
 * Compares an image with targets. Built-in matchers compare cached sketches and prepared images; any other matcher is called
 * for each target.
 * @param most how many of the best matches have to be found. Default: all.
 * @param only whether a picture that shows a target among other things, or a part of it, does not match. By features only: the
 * other matchers compare whole pictures anyway.
 * @throws TypeError when the matcher returns anything but a finite number, null or undefined; what the matcher throws.
 */
export async function rankTargets<T extends ComparedTarget>(
  matcher: ImageMatcher,
  image: Buffer,
  targets: readonly T[],
  most = Number.POSITIVE_INFINITY,
  only?: "wholePictures",
): Promise<Ranking<T>> {
  const comparison = comparisonOf(matcher);
  if (!comparison) return rankByCalling(matcher, image, targets);
  const isSimilarity = comparison.by === "structuralSimilarity" && comparison.threshold < 1;
  if (isSimilarity && targets.length <= most && (await areAll(image, targets)))
    return rankScores(
      targets,
      targets.map(() => 1),
    );
  const sha256 = hash("sha256", image);
  if (comparison.by === "bytes") {
    return rankScores(
      targets,
      targets.map((target) => (target.image.sha256 === sha256 ? 1 : null)),
    );
  }
  if (comparison.by === "features")
    return comparison.recogniser.rank({ sha256, bytes: () => image }, targets, most, only);
  preparedImages.beginQuery();
  const prepared = await preparedOf({ sha256, bytes: () => image }, "query");
  if (!prepared) return { matches: [], notCompared: [], unmatched: targets, isUndecoded: true };
  return withQuery(prepared, (query) => rankBySimilarity(query, targets, comparison.threshold, most));
}

/** Whether these targets all have this image, which is known to decode: its score is 1. */
async function areAll(image: Buffer, targets: readonly ComparedTarget[]): Promise<boolean> {
  const own = targets[0]?.image;
  const sha256 = own?.sha256 ?? hash("sha256", image);
  if (targets.some((target) => target.image.sha256 !== sha256)) return false;
  const measures = await measured.get(sha256)?.made.catch(() => undefined);
  if (measures === undefined || measures.damage !== undefined) return false;
  // Comparing bytes takes a twentieth of a hash's time, unless another process has them.
  const isHere = own !== undefined && own.summary === undefined;
  return isHere ? image.equals(await own.bytes()) : hash("sha256", image) === sha256;
}

/** A summary of an image for such comparisons, for a process that does not have it. Undefined when it cannot be decoded. */
export async function sketchOf(image: ComparedImage): Promise<Buffer | undefined> {
  useSpareTime();
  // Afterwards, only the packed one is needed here, unless a query has begun to compare the image.
  imageObjects.add(image);
  const sketch = await sketches.of(image);
  return sketch === null ? undefined : packSketch(sketch);
}

async function rankBySimilarity<T extends ComparedTarget>(
  query: Query,
  targets: readonly T[],
  threshold: number,
  most: number,
): Promise<Ranking<T>> {
  const { candidates, unmatched } = await findCandidates(query, targets, threshold);
  const matches: { target: T; score: number; place: number }[] = [];
  const [failed, notCompared]: [T[], T[]] = [[], []];
  const best = new BestScores(most);
  const size = most === Number.POSITIVE_INFINITY ? IMAGES_PER_SLICE : BEST_PER_SLICE;
  for (const part of candidates.reverse()) {
    if (part.length > 1 && part.some(({ bound }) => bound >= best.least))
      part.sort((a, b) => b.bound - a.bound);
    let compared = 0;
    while (true) {
      // A target that may equal the lowest of the best scores is compared too: the given order decides between equal scores.
      const slice = part.slice(compared, compared + size).filter(({ bound }) => bound >= best.least);
      if (slice.length === 0) break;
      compared += slice.length;
      const images = await Promise.all(slice.map(({ target }) => preparedOf(target.image)));
      await yieldToEventLoop();
      for (const [index, { target, place }] of slice.entries()) {
        const image = images[index];
        const score = image ? scoreImage(query, image, threshold) : null;
        if (score === null) failed.push(target);
        else {
          matches.push({ target, score, place });
          best.add(score);
        }
      }
    }
    for (const { target } of part.slice(compared)) notCompared.push(target);
  }
  matches.sort((a, b) => b.score - a.score || a.place - b.place);
  return { matches, notCompared, unmatched: [...failed, ...unmatched] };
}

/** A target that may match, judging by its sketch. */
interface Candidate<T> {
  readonly target: T;
  readonly place: number;
  readonly bound: number;
}

/** Rules out targets by their sketches. Returns the others in parts, each with higher bounds than the one before. */
async function findCandidates<T extends ComparedTarget>(
  query: Query,
  targets: readonly T[],
  threshold: number,
): Promise<{ candidates: Candidate<T>[][]; unmatched: T[] }> {
  const candidates: Candidate<T>[][] = Array.from({ length: SORTED_PARTS }, () => []);
  const unmatched: T[] = [];
  for (let start = 0; start < targets.length; start += SKETCHES_PER_SLICE) {
    const slice = targets.slice(start, start + SKETCHES_PER_SLICE);
    const known = slice.map(({ image }) => sketches.of(image));
    const isUnready = known.some((sketch) => sketch instanceof Promise);
    if (isUnready) useSpareTime();
    const ready = isUnready ? await Promise.all(known) : known;
    if (slice.length > FEW_SKETCHES) await yieldToEventLoop();
    for (const [index, target] of slice.entries()) {
      const sketch = ready[index];
      const bound = sketch && !(sketch instanceof Promise) ? boundScore(query, sketch, threshold) : -2;
      if (bound < threshold) unmatched.push(target);
      else {
        const part = Math.max(0, Math.min(SORTED_PARTS - 1, Math.floor(bound * SORTED_PARTS)));
        candidates[part]?.push({ target, place: start + index, bound });
      }
    }
  }
  return { candidates, unmatched };
}

/** The best scores, up to a number of them. */
class BestScores {
  /** Ascending. */
  readonly #scores: number[] = [];
  /**
   * The score that another one needs to be among them. None can be when all are 1, the score of equal images: equal images
   * have equal bounds too, so those that the given order prefers were compared first.
   */
  least = -2;

  constructor(private readonly most: number) {}

  add(score: number): void {
    if (this.most === Number.POSITIVE_INFINITY || score <= this.least) return;
    const place = this.#scores.findIndex((other) => other > score);
    this.#scores.splice(place === -1 ? this.#scores.length : place, 0, score);
    if (this.#scores.length > this.most) this.#scores.shift();
    const [least = 1] = this.#scores;
    if (this.#scores.length === this.most) this.least = least < 1 ? least : Number.POSITIVE_INFINITY;
  }
}

export const sketches = new ImageMemo(makeSketch);

async function makeSketch(image: ComparedImage): Promise<Sketch | null> {
  const packed = await image.summary?.("sketch");
  const sent = packed && unpackSketch(packed);
  if (sent) return sent;
  return preparedBy(image, (thumbnail) => sketchEarly(image.sha256, thumbnail));
}

/** Makes the sketch of a target's image, and prepares the image before a query needs it. */
export function sketchEarly(sha256: string, thumbnail: Uint8Array): Sketch {
  if (!preparedImages.wantsMore) return sketchThumbnail(thumbnail);
  const { image, sketch } = prepareWithSketch(thumbnail);
  preparedImages.offer(sha256, image);
  return sketch;
}

async function preparedOf(
  image: ComparedImage,
  of: "target" | "query" = "target",
): Promise<PreparedImage | null> {
  useSpareTime();
  // Making a sketch prepares the image too. Users of the sketch get its failure.
  await sketches.latest(image.sha256)?.catch(() => {});
  return preparedImages.find(image.sha256, () => preparedBy(image, prepareImage), of);
}

/** Null when the image cannot be decoded. */
async function preparedBy<Made extends object>(
  image: ComparedImage,
  prepare: (thumbnail: Uint8Array) => Made,
): Promise<Made | null> {
  const prepared = await useThumbnail(await image.bytes(), prepare);
  return "damage" in prepared ? null : prepared;
}

async function rankByCalling<T extends ComparedTarget>(
  matcher: ImageMatcher,
  query: Buffer,
  targets: readonly T[],
): Promise<Ranking<T>> {
  const scores: (number | null)[] = [];
  for (const { image, targetId, name, applicationMetadata } of targets) {
    await yieldToEventLoop();
    scores.push(
      checkScore(await matcher(query, await image.bytes(), { targetId, name, applicationMetadata })),
    );
  }
  return rankScores(targets, scores);
}

function rankScores<T>(targets: readonly T[], scores: readonly (number | null)[]): Ranking<T> {
  const matches: { target: T; score: number }[] = [];
  const unmatched: T[] = [];
  for (const [index, target] of targets.entries()) {
    const score = scores[index] ?? null;
    if (score === null) unmatched.push(target);
    else matches.push({ target, score });
  }
  return { matches: matches.sort((a, b) => b.score - a.score), notCompared: [], unmatched };
}

function checkScore(score: unknown): number | null {
  if (score === null || score === undefined) return null;
  if (typeof score === "number" && Number.isFinite(score)) return score;
  throw new TypeError(
    `the image matcher: expected a finite number for a match, or null or undefined for none; got ${showWithType(score)}`,
  );
}
