import type { Outline } from "../../../schema/journal-entry.ts";
import { recognitionKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../../kernels/instantiate.ts";
import { type Features, inParts } from "./extract.ts";
import { GOOD_FEATURES } from "./rate.ts";

interface Kernel extends KernelMemory {
  queryCodesAt(): number;
  targetCodesAt(): number;
  queryFramesAt(): number;
  targetFramesAt(): number;
  resultAt(): number;
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
  ): void;
}

/** Where a target may be in a picture: the position that most features agree on. */
interface Position {
  /** Features that agree, at most one a place; 0 when no position makes sense. */
  readonly inliers: number;
  /** Log10 of how many times such an agreement is expected by chance. */
  readonly chance: number;
  /** The part of the target's area that those features span. */
  readonly span: number;
  /** Between the camera's axis and the target's normal, in degrees. */
  readonly tilt: number;
  /** The target's corners, in pixels of the picture as it was searched. */
  readonly corners: Outline;
}

let recogniser: { readonly kernel: Kernel; query?: Features } | undefined;

/** The kernel, with a target in its memory. */
function load({ codes, frames }: Features) {
  recogniser ??= { kernel: instantiate<Kernel>(recognitionKernel) };
  const { kernel } = recogniser;
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, kernel.targetCodesAt()).set(codes);
  new Uint16Array(buffer, kernel.targetFramesAt(), frames.length).set(frames);
  return recogniser;
}

/** How many of a target's features tell places of it apart: those that look alike in several places count as one. */
export const countDifferent = (target: Features): number =>
  Math.round(load(target).kernel.countDifferent(target.count, target.dark));

/** Looks for a target in a picture: 1 to 3 ms. */
export function recognise(target: Features, query: Features): Position {
  const loaded = load(target);
  const { kernel } = loaded;
  const { buffer } = kernel.memory;
  if (loaded.query !== query) {
    new Uint8Array(buffer, kernel.queryCodesAt()).set(query.codes);
    new Uint16Array(buffer, kernel.queryFramesAt(), query.frames.length).set(query.frames);
    loaded.query = query;
  }
  kernel.recognise(
    query.count,
    query.dark,
    query.width,
    query.height,
    target.count,
    target.dark,
    target.width,
    target.height,
  );
  const [inliers = 0, chance = 0, span = 0, tilt = 0, , ...corners] = new Float64Array(
    buffer,
    kernel.resultAt(),
    13,
  );
  const corner = (index: number): [number, number] => [corners[index * 2] ?? 0, corners[index * 2 + 1] ?? 0];
  return { inliers, chance, span, tilt, corners: [0, 1, 2, 3].map(corner) };
}

/** Chance gives an agreement this rarely (log10), or the target was not recognised. */
const CHANCE = -6;
/** Fewer features than this must span at least this part of the target: letters of one typeface agree in a small place. */
const FEW = { inliers: 16, span: 0.05 };
/** A target with fewer features is rarely recognised. */
const MANY_FEATURES = 60;

/** Whether a position is good enough, and why. */
export interface Judgement {
  readonly inliers: number;
  readonly why: string;
  /** Undefined when it is not. The score is 0.5 at the limit, and the nearer to 1 the less chance can explain it. */
  readonly found?: { readonly score: number; readonly outline: Outline };
}

/** Judges a position of a target in a picture. */
export function judge(
  { inliers, chance, span, tilt, corners }: Position,
  target: Features,
  query: Features,
  minimumInliers: number,
): Judgement {
  const agree = `${inliers} feature${inliers === 1 ? " agrees" : "s agree"}`;
  if (inliers < minimumInliers) {
    const few =
      target.count < MANY_FEATURES ? `the target has only ${target.count} features (${GOOD_FEATURES}): ` : "";
    return { inliers, why: `${few}${agree}, ${minimumInliers} are needed` };
  }
  if (chance > CHANCE) return { inliers, why: `${agree}, but chance may explain that` };
  if (inliers < FEW.inliers && span < FEW.span) {
    return { inliers, why: `${agree}, but on ${(span * 100).toFixed(1)} % of the target's area only` };
  }
  const outline = corners.map(([x, y]) => [inParts(x / query.width), inParts(y / query.height)] as const);
  return {
    inliers,
    why: `matched ${inliers} of ${target.count} features, tilt about ${Math.round(tilt)}°`,
    found: { score: chance / (chance + CHANCE), outline },
  };
}
