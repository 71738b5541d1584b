import { instantiate, type KernelMemory, keptWhileUsed } from "../core/images/kernels/instantiate.ts";
import type { Outline } from "../core/schema/journal-entry.ts";
import { type Features, inParts, putFeatures, type TargetFeatures } from "./extract.ts";
import { recognitionKernel } from "./kernels/compiled.ts";
import { FEWEST_WINDOWS, LEAST_WINDOWS, type Look, lookAtPixels, type Pyramid } from "./pixels.ts";
import type { Detection } from "./places.ts";
import { GOOD_FEATURES, tooSmall } from "./rate.ts";

interface Kernel
  extends KernelMemory<"queryCodes" | "targetCodes" | "queryFrames" | "targetFrames" | "result" | "inliers"> {
  countDifferent(targets: number, targetDark: number): number;
  recognise(
    queries: number,
    queryDark: number,
    queryWidth: number,
    queryHeight: number,
    targets: number,
    targetDark: number,
    targetWidth: number,
    targetHeight: number,
    longerX: number,
    longerY: number,
  ): void;
}

/** The position of a target with most inliers. */
interface Position {
  /** Features that agree, at most one a place; 0 when no position makes sense. */
  readonly inliers: number;
  /** Log10 of how many times such an agreement is expected by chance. */
  readonly chance: number;
  /** The part of the target's area that those features span. */
  readonly span: number;
  /** Between the camera's axis and the target's normal, in degrees. */
  readonly tilt: number;
  /** The target's corners, in pixels of the whole query. */
  readonly corners: Outline;
  /** Places of the inliers in the picture, x and y of each. */
  readonly places: Float64Array;
}

const recogniser = keptWhileUsed((): { readonly kernel: Kernel; query?: Features } => ({
  kernel: instantiate(recognitionKernel),
}));

/** The kernel, with a target in its memory. */
function load(target: Features) {
  const loaded = recogniser();
  const { kernel } = loaded;
  putFeatures(kernel, target, kernel.targetCodes.value, kernel.targetFrames.value);
  return loaded;
}

/** Number of different features: those that look alike in several places count as one. */
export const countDifferent = (target: Features): number =>
  Math.round(load(target).kernel.countDifferent(target.count, target.dark));

function recognise(target: Features, query: QueryPicture): Position {
  const loaded = load(target);
  const { kernel } = loaded;
  const { buffer } = kernel.memory;
  if (loaded.query !== query) {
    putFeatures(kernel, query, kernel.queryCodes.value, kernel.queryFrames.value);
    loaded.query = query;
  }
  const whole = 2 ** query.level;
  const { width, height } = query.pixels.level(0);
  kernel.recognise(
    query.count,
    query.dark,
    query.width,
    query.height,
    target.count,
    target.dark,
    target.width,
    target.height,
    Math.round(width / whole / query.width),
    Math.round(height / whole / query.height),
  );
  const [inliers = 0, chance = 0, span = 0, tilt = 0, ...corners] = new Float64Array(
    buffer,
    kernel.result.value,
    12,
  );
  const places = new Float64Array(buffer, kernel.inliers.value, inliers * 2).map((each) => each * whole);
  const corner = (index: number) =>
    [whole * (corners[index * 2] ?? 0), whole * (corners[index * 2 + 1] ?? 0)] as const;
  return { inliers, chance, span, tilt, corners: [0, 1, 2, 3].map(corner), places };
}

/** Chance gives an agreement this rarely (log10), or the target was not recognised. */
const CHANCE = -6;
/** The same, where the pixels cannot tell: pictures of one form have a part in common. */
const CHANCE_ALONE = -16;
/** Fewer features than this must span at least this part of the target: letters of one typeface agree in a small place. */
const FEW = { inliers: 16, span: 0.05 };
/** A target with fewer features is rarely recognised. */
const MANY_FEATURES = 60;
/** The part of what nothing covers that must look as the target does: the rarer the inliers are by chance, the less. */
const SAME = { least: 0.4, certain: 8 };
/** If this much of it does, in so many windows, fewer inliers are enough, and a higher chance. */
const MOSTLY_SAME = { windows: LEAST_WINDOWS, same: 0.5, fewer: 2, chance: 2 };
const NEARLY_SAME = { windows: 4 * LEAST_WINDOWS, same: 0.75, fewer: 3, chance: 3 };
/** From near, few windows of a target are seen. */
const ALL_SAME = { windows: FEWEST_WINDOWS, same: 1, fewer: 1, chance: 0 };
/**
 * The part of all, covered or not, that must look so: another picture with the same logo shows less of the target. The rarer the
 * inliers are by chance, the less; never less than the last.
 */
const SHOWN = { most: 0.35, certain: 5, least: 0.07 };
const LEAST_INLIERS = 5;
/**
 * Features are evidence enough, whatever the pixels are: those of bent paper are not where one plane puts them. Other pictures of
 * one structure, codes and labels, were seen to agree down to -37; tickets of one template, which have much in common, below that.
 */
const CERTAIN = { chance: -45, span: 0.2 };

/** Whether a position is good enough, and why. */
export interface Judgement {
  readonly inliers: number;
  readonly why: string;
  /** Undefined when it is not. */
  readonly found?: Found;
}

export interface Found extends Detection {
  /** 0.5 at the limit, and the nearer to 1 the less chance can explain what agrees. */
  readonly score: number;
  readonly outline: Outline;
}

export interface QueryPicture extends Features {
  readonly pixels: Pyramid;
  /** Which of these is searched, perhaps shortened. */
  readonly level: number;
}

/** Looks for a target in a picture. Takes 1 to 3 ms. */
export function lookFor(target: TargetFeatures, query: QueryPicture, minimumInliers: number): Judgement {
  const position = recognise(target, query);
  const { inliers, chance, tilt, corners } = position;
  const tooWeak = whyTooWeak(position, target, query, minimumInliers);
  const enough = [MOSTLY_SAME, NEARLY_SAME, ALL_SAME].filter(
    (each) => inliers >= Math.max(LEAST_INLIERS, minimumInliers - each.fewer) && chance <= each.chance,
  );
  if (tooWeak && enough.length === 0) return { inliers, why: tooWeak };
  const look = lookAtPixels(target, query.pixels, corners, tooWeak !== undefined);
  if (tooWeak && !enough.some(({ windows, same }) => look.windows >= windows && look.same >= same))
    return { inliers, why: tooWeak };
  const notShown = whyNotShown(position, look);
  const isCertain = chance <= CERTAIN.chance && position.span >= CERTAIN.span;
  if (notShown !== undefined && !isCertain) return { inliers, why: notShown };
  const shown = notShown === undefined ? look.shown : 0;
  const { width, height } = query.pixels.level(0);
  const outline = corners.map(([x, y]) => [inParts(x / width), inParts(y / height)] as const);
  return {
    inliers,
    why: `matched ${inliers} of ${target.count} features, tilt about ${Math.round(tilt)}°`,
    found: { ...position, shown, score: Math.max(0.5, chance / (chance + CHANCE)), outline },
  };
}

/** Why the inliers are no evidence by themselves; undefined if they are. */
function whyTooWeak(
  { inliers, chance, span }: Position,
  target: Features,
  query: Features,
  minimumInliers: number,
): string | undefined {
  const agree = `${inliers} feature${inliers === 1 ? " agrees" : "s agree"}`;
  if (inliers < minimumInliers) return `${whyFew(target, query)}${agree}, ${minimumInliers} are needed`;
  if (chance > CHANCE) return `${agree}, but chance may explain that`;
  return inliers < FEW.inliers && span < FEW.span
    ? `${agree}, but on ${(span * 100).toFixed(1)} % of the target's area only`
    : undefined;
}

/** Why the pixels at a position are another picture's, or tell too little; undefined if they are the target's. */
function whyNotShown({ inliers, chance }: Position, { shown, same }: Look): string | undefined {
  const agree = `${inliers} features agree`;
  if (shown === undefined)
    return chance > CHANCE_ALONE ? `${agree}, but too little of the target is seen to be sure` : undefined;
  if (same < Math.min(SAME.least, SAME.certain / -chance))
    return `${agree}, but only ${Math.round(100 * same)} % of the pixels there look like the target's`;
  if (shown >= Math.max(SHOWN.least, Math.min(SHOWN.most, SHOWN.certain / -chance))) return undefined;
  return `${agree}, but the pixels show only ${Math.round(100 * shown)} % of the target`;
}

/** Explains few features, before the number of inliers. */
function whyFew(target: Features, query: Features): string {
  for (const [whose, picture] of Object.entries({ query, target })) {
    const size = tooSmall(picture);
    if (size !== undefined) return `the ${whose}'s picture is too small, ${size}: `;
  }
  return target.count < MANY_FEATURES
    ? `the target has only ${target.count} features (${GOOD_FEATURES}): `
    : "";
}
