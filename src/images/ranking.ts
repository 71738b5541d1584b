import { createHash } from "node:crypto";
import type { MaybePromise } from "../core/message.ts";
import { latestSketches, preparedImages } from "./cache.ts";
import { decodeThumbnail } from "./decode.ts";
import { comparisonOf, type ImageMatcher, type MatchedTarget } from "./matchers.ts";
import { runInBackground, yieldToEventLoop } from "./scheduling.ts";
import {
  boundScore,
  makeQuery,
  type PreparedImage,
  prepareImage,
  type Query,
  type Sketch,
  scoreImage,
} from "./similarity.ts";

/** A target's image; what is known of it is kept as long as this object is. */
export interface ComparedImage {
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** The image's bytes; only asked for when they are needed. */
  bytes(): MaybePromise<Buffer>;
}

/** A target to compare an image with. */
export interface ComparedTarget extends MatchedTarget {
  readonly image: ComparedImage;
}

/** What a comparison makes of targets: each is in one of the lists. */
export interface Ranking<T> {
  /** Best first, equal scores in the order given. */
  readonly matches: readonly { readonly target: T; readonly score: number }[];
  /** Not compared, because they cannot be among the best that were asked for. */
  readonly notCompared: readonly T[];
  /** Those that do not match, the nearest first as far as that is known. */
  readonly strangers: readonly T[];
}

/** Sketches that are compared in one go: about 1 ms. */
const SKETCHES_PER_SLICE = 128;
/** Images that are compared in one go when all matches are asked for, and when the best are: one more may settle that. */
const IMAGES_PER_SLICE = 32;
const BEST_PER_SLICE = 4;
/** Targets are sorted by their bound in so many parts, so that sorting many does not block. */
const SORTED_PARTS = 256;

/**
 * Compares an image with targets. The matchers of this package compare sketches and prepared images, which are kept; any other
 * matcher is called for each target.
 * @param most how many matches are wanted at least: the best so many are found for certain. Default: all.
 * @throws TypeError when the matcher returns anything but a finite number, null or undefined; what the matcher throws.
 */
export async function rankTargets<T extends ComparedTarget>(
  matcher: ImageMatcher,
  image: Buffer,
  targets: readonly T[],
  most = Number.POSITIVE_INFINITY,
): Promise<Ranking<T>> {
  const comparison = comparisonOf(matcher);
  if (!comparison) return rankByCalling(matcher, image, targets);
  const sha256 = createHash("sha256").update(image).digest("hex");
  if (comparison.by === "bytes") {
    return rankScores(
      targets,
      targets.map((target) => (target.image.sha256 === sha256 ? 1 : null)),
    );
  }
  preparedImages.beginQuery();
  const prepared = await preparedOf({ sha256, bytes: () => image });
  if (!prepared) return { matches: [], notCompared: [], strangers: targets };
  return rankBySimilarity(makeQuery(prepared), targets, comparison.threshold, most);
}

/** Prepares a target's image for comparisons to come, in the background. */
export function prepareInBackground(image: ComparedImage): void {
  // Of an image that was compared or uploaded lately there is a sketch already.
  if (latestSketches.has(image.sha256)) sketchOf(image);
  else if (!sketches.has(image)) runInBackground(async () => sketchOf(image));
}

async function rankBySimilarity<T extends ComparedTarget>(
  query: Query,
  targets: readonly T[],
  threshold: number,
  most: number,
): Promise<Ranking<T>> {
  const { near, strangers } = await findNear(query, targets, threshold);
  const matches: { target: T; score: number; place: number }[] = [];
  const [failed, notCompared]: [T[], T[]] = [[], []];
  const best = new BestScores(most);
  const size = most === Number.POSITIVE_INFINITY ? IMAGES_PER_SLICE : BEST_PER_SLICE;
  for (const part of near.reverse()) {
    // One that may score the same as the last of the best is compared: of equal scores the order given decides.
    const mayBeAmongTheBest = ({ bound }: Near<T>) => bound >= best.least;
    if (part.some(mayBeAmongTheBest)) part.sort((a, b) => b.bound - a.bound);
    let compared = 0;
    while (true) {
      const slice = part.slice(compared, compared + size).filter(mayBeAmongTheBest);
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
  return { matches, notCompared, strangers: [...failed, ...strangers] };
}

/** A target that may match, as far as its sketch tells. */
interface Near<T> {
  readonly target: T;
  readonly place: number;
  readonly bound: number;
}

/** Tells strangers by their sketches. Those that are left are in parts, each with higher bounds than the one before. */
async function findNear<T extends ComparedTarget>(
  query: Query,
  targets: readonly T[],
  threshold: number,
): Promise<{ near: Near<T>[][]; strangers: T[] }> {
  const near: Near<T>[][] = Array.from({ length: SORTED_PARTS }, () => []);
  const strangers: T[] = [];
  for (let start = 0; start < targets.length; start += SKETCHES_PER_SLICE) {
    const slice = targets.slice(start, start + SKETCHES_PER_SLICE);
    const known = slice.map(({ image }) => sketchOf(image));
    const ready = known.some((sketch) => sketch instanceof Promise) ? await Promise.all(known) : known;
    await yieldToEventLoop();
    for (const [index, target] of slice.entries()) {
      const sketch = ready[index];
      const bound = sketch && !(sketch instanceof Promise) ? boundScore(query, sketch, threshold) : -2;
      if (bound < threshold) strangers.push(target);
      else {
        const part = Math.max(0, Math.min(SORTED_PARTS - 1, Math.floor(bound * SORTED_PARTS)));
        near[part]?.push({ target, place: start + index, bound });
      }
    }
  }
  return { near, strangers };
}

/** The best so many scores. */
class BestScores {
  /** Ascending. */
  readonly #scores: number[] = [];

  constructor(private readonly most: number) {}

  /**
   * What another must score to be among them. Nothing can be when all score 1, as equal images do: equal images have equal
   * bounds too, so that those which the order given prefers were compared first.
   */
  get least(): number {
    if (this.#scores.length < this.most) return -2;
    const [least = 1] = this.#scores;
    return least < 1 ? least : Number.POSITIVE_INFINITY;
  }

  add(score: number): void {
    if (this.most === Number.POSITIVE_INFINITY || score <= this.least) return;
    const place = this.#scores.findIndex((other) => other > score);
    this.#scores.splice(place === -1 ? this.#scores.length : place, 0, score);
    if (this.#scores.length > this.most) this.#scores.shift();
  }
}

/** Null for what cannot be decoded; a promise while it is made. */
const sketches = new WeakMap<ComparedImage, MaybePromise<Sketch | null>>();

function sketchOf(image: ComparedImage): MaybePromise<Sketch | null> {
  const known = sketches.get(image);
  if (known !== undefined) return known;
  const latest = latestSketches.get(image.sha256);
  if (latest) {
    sketches.set(image, latest);
    return latest;
  }
  const made = makeSketch(image);
  sketches.set(image, made);
  made.then(
    (sketch) => sketches.set(image, sketch),
    () => sketches.delete(image),
  );
  return made;
}

async function makeSketch(image: ComparedImage): Promise<Sketch | null> {
  const prepared = await prepare(image);
  if (prepared === null) return null;
  latestSketches.set(image.sha256, prepared.sketch);
  preparedImages.offer(image.sha256, prepared.image);
  return prepared.sketch;
}

function preparedOf(image: ComparedImage): Promise<PreparedImage | null> {
  return preparedImages.find(image.sha256, async () => (await prepare(image))?.image ?? null);
}

async function prepare(image: ComparedImage): Promise<{ image: PreparedImage; sketch: Sketch } | null> {
  const thumbnail = await decodeThumbnail(await image.bytes());
  if ("damage" in thumbnail) return null;
  await yieldToEventLoop();
  return prepareImage(thumbnail);
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
  const strangers: T[] = [];
  for (const [index, target] of targets.entries()) {
    const score = scores[index] ?? null;
    if (score === null) strangers.push(target);
    else matches.push({ target, score });
  }
  return { matches: matches.sort((a, b) => b.score - a.score), notCompared: [], strangers };
}

function checkScore(score: unknown): number | null {
  if (score === null || score === undefined) return null;
  if (typeof score === "number" && Number.isFinite(score)) return score;
  const shown = typeof score === "string" ? JSON.stringify(score) : `${String(score)} (${typeof score})`;
  throw new TypeError(
    `the image matcher returned ${shown}; accepted are a finite number for a match, and null or undefined for none`,
  );
}
