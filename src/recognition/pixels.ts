import type { PixelSize } from "../core/general/image-header.ts";
import type { GreyPicture } from "../core/images/decode.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "../core/images/kernels/instantiate.ts";
import type { Outline } from "../core/schema/journal-entry.ts";
import { windowsKernel } from "./kernels/compiled.ts";

interface Kernel extends KernelMemory<"picture" | "small" | "other" | "corners" | "lookedAt" | "covered"> {
  reduce(width: number, height: number, smallWidth: number, smallHeight: number): void;
  halve(width: number, height: number): void;
  begin(width: number, height: number): number;
  isSame(others: number): number;
  warp(width: number, height: number, scale: number, targetWidth: number, targetHeight: number): void;
  countAlike(needsMany: boolean): number;
}

/** Each use ends before another begins: its memory keeps nothing. */
const load = keptWhileUsed(() => {
  const kernel = instantiate<Kernel>(windowsKernel);
  return { kernel, memory: new Uint8Array(kernel.memory.buffer) };
});

/** Longer side, in pixels, of a target's small picture: 9 kB at most. */
const SMALL_SIDE = 96;
/** Sides of a narrow one at most, 10 kB: a part of it that fills a photograph must have some windows. */
const NARROW = { shorter: 40, longer: 240 };
/** Shortest side of a narrow picture: windows must fit in. */
const LEAST_SIDE = 24;

export function smallSize({ width, height }: PixelSize): PixelSize {
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const narrow = Math.min(NARROW.shorter / shorter, NARROW.longer / longer);
  const scale = Math.min(1, Math.max(SMALL_SIDE / longer, narrow));
  const side = (length: number) => Math.max(LEAST_SIDE, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/** The small picture that is kept of a target. */
export const reduce = (picture: GreyPicture): Uint8Array => scaleDown(picture, smallSize(picture));

/** By area means, to no more pixels than a small picture may have. */
export function scaleDown({ data, width, height }: GreyPicture, to: PixelSize): Uint8Array {
  const { kernel, memory } = load();
  memory.set(data, kernel.picture.value);
  kernel.reduce(width, height, to.width, to.height);
  return memory.slice(kernel.small.value, kernel.small.value + to.width * to.height);
}

/** A picture, at half its size, at a quarter, as far as it is asked for. */
export class Pyramid {
  readonly #levels: GreyPicture[];

  /** @param free - nothing reads the picture afterwards */
  constructor(
    picture: GreyPicture,
    readonly free = () => {},
  ) {
    this.#levels = [picture];
  }

  level(number: number): GreyPicture {
    const known = this.#levels[number];
    if (known !== undefined) return known;
    const made = halve(this.level(number - 1));
    this.#levels[number] = made;
    return made;
  }
}

function halve(picture: GreyPicture): GreyPicture {
  const { kernel, memory } = load();
  memory.set(picture.data, kernel.picture.value);
  kernel.halve(picture.width, picture.height);
  const [width, height] = [picture.width >> 1, picture.height >> 1];
  return { data: memory.slice(kernel.picture.value, kernel.picture.value + width * height), width, height };
}

/** No divisor of usual widths. */
const SAMPLED = 7;

/**
 * A picture whose width or height is halved: the side with less detail, since a tilted target has more along the other, in which it
 * is foreshortened.
 */
export function shorten({ data, width, height }: GreyPicture): GreyPicture {
  let [across, down] = [0, 0];
  for (let at = width + 1; at + width < data.length; at += SAMPLED) {
    across += ((data[at + 1] ?? 0) - (data[at - 1] ?? 0)) ** 2;
    down += ((data[at + width] ?? 0) - (data[at - width] ?? 0)) ** 2;
  }
  const narrow = across < down;
  const [next, beside] = narrow ? [2, 1] : [1, width];
  const size = narrow ? { width: width >> 1, height } : { width, height: height >> 1 };
  const made = new Uint8Array(size.width * size.height);
  for (let to = 0, y = 0; y < size.height; y++) {
    for (let at = y * (narrow ? width : 2 * width), end = to + size.width; to < end; at += next)
      made[to++] = ((data[at] ?? 0) + (data[at + beside] ?? 0)) >> 1;
  }
  return { data: made, ...size };
}

export interface SmallPicture extends PixelSize {
  readonly small: Uint8Array;
}

/** Puts a target's small picture into the kernel. Returns how many of its windows have texture. */
function begin(target: SmallPicture): number {
  const { kernel, memory } = load();
  const { width, height } = smallSize(target);
  memory.set(target.small, kernel.small.value);
  return kernel.begin(width, height);
}

/** With fewer windows than this, pixels alone tell too little. */
export const LEAST_WINDOWS = 12;
/** The same, of pixels where features agree; fewer tell enough if all of them look the same. */
export const FEWEST_WINDOWS = 6;
const FEWEST_ALIKE = 3;
/** Part of the windows that are the same in copies of a picture. */
const NEARLY_ALL = 0.95;

/** Finds a copy of a target, scaled and compressed differently. */
export function findSame<T extends SmallPicture>(target: SmallPicture, others: readonly T[]): T | undefined {
  const size = smallSize(target);
  const windows = begin(target);
  if (windows < LEAST_WINDOWS) return undefined;
  const { kernel, memory } = load();
  const mayDiffer = Math.floor(windows * (1 - NEARLY_ALL));
  return others.find((other) => {
    const { width, height } = smallSize(other);
    if (width !== size.width || height !== size.height) return false;
    memory.set(other.small, kernel.other.value);
    return kernel.isSame(mayDiffer) === 1;
  });
}

/** A level of a query's pyramid may have so many pixels for one of the small picture: more would be passed over. */
const MOST_DENSE = 3;

/** How many times larger, in pixels, a target is on the query's picture than its small picture. */
function densityOf(corners: Outline, { width, height }: PixelSize): number {
  const lengths = corners.map(([x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [x, y];
    return Math.sqrt((nextX - x) ** 2 + (nextY - y) ** 2) / (index % 2 === 0 ? width : height);
  });
  return Math.max(...lengths);
}

export interface Look {
  /** How many windows of the target the query's picture has, of those that tell something. */
  readonly windows: number;
  /** The part of these that look as the target's do; undefined if they are too few to tell. */
  readonly shown: number | undefined;
  /** The same, without those that something covers. */
  readonly same: number;
}

/** Looks at the pixels where a target may be: between its corners, in pixels of the query's picture. With `needsMany`, none at all if none looks the same. */
export function lookAtPixels(
  target: SmallPicture,
  query: Pyramid,
  corners: Outline,
  needsMany = false,
): Look {
  let level = 0;
  for (let dense = densityOf(corners, smallSize(target)); dense > MOST_DENSE; dense /= 2) level += 1;
  const picture = query.level(level);
  begin(target);
  const { kernel, memory } = load();
  memory.set(picture.data, kernel.picture.value);
  new Float64Array(memory.buffer, kernel.corners.value, 8).set(corners.flat());
  kernel.warp(picture.width, picture.height, 2 ** level, target.width, target.height);
  const alike = kernel.countAlike(needsMany);
  const windows = kernel.lookedAt.value;
  const fewest = alike < windows ? FEWEST_WINDOWS : FEWEST_ALIKE;
  const shown = windows < fewest ? undefined : alike / windows;
  return { windows, shown, same: alike / Math.max(1, windows - kernel.covered.value) };
}
