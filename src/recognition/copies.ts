import { yieldToEventLoop } from "../core/general/scheduling.ts";
import type { TargetFeatures } from "./extract.ts";
import { findSame, smallSize } from "./pixels.ts";

/*
 * Groups targets by picture. Copies differ only by scaling and compression, so they share at least one part of their layout: only
 * targets with a common part are compared, pixel by pixel.
 */

/** Cells along the sides of a picture whose brightness is its layout. */
const CELLS = 8;
const PART_BITS = 16;
/** A target is compared with the latest pictures of a part. */
const MOST_COMPARED = 20;
const GROUPED_PER_SLICE = 25;

export async function groupCopies(
  targets: readonly TargetFeatures[],
): Promise<readonly (readonly [TargetFeatures, ...TargetFeatures[]])[]> {
  const groups = new Map<TargetFeatures, [TargetFeatures, ...TargetFeatures[]]>();
  const byPart = new Map<number, TargetFeatures[]>();
  for (const [index, target] of targets.entries()) {
    if (index % GROUPED_PER_SLICE === 0) await yieldToEventLoop();
    const parts = partsOf(target);
    const alike = new Set(parts.flatMap((part) => byPart.get(part) ?? []));
    const copied = findSame(target, [...alike]);
    if (copied !== undefined) {
      groups.get(copied)?.push(target);
      continue;
    }
    groups.set(target, [target]);
    for (const part of parts) {
      const others = byPart.get(part);
      if (others === undefined) byPart.set(part, [target]);
      else if (others.push(target) > MOST_COMPARED) others.shift();
    }
  }
  return [...groups.values()];
}

const known = new WeakMap<TargetFeatures, readonly number[]>();

/** Cells that are brighter than the whole picture: 16 bits each, and the number of the part. */
function partsOf(target: TargetFeatures): readonly number[] {
  const parts = known.get(target) ?? findParts(target);
  known.set(target, parts);
  return parts;
}

function findParts(target: TargetFeatures): readonly number[] {
  const { small } = target;
  const { width, height } = smallSize(target);
  const sums = new Float64Array(CELLS ** 2);
  const counts = new Float64Array(CELLS ** 2);
  const columns = Uint8Array.from({ length: width }, (_, x) => Math.floor((x * CELLS) / width));
  let total = 0;
  // No lists here: this is done for nine thousand pixels.
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * CELLS) / height) * CELLS;
    for (let x = 0; x < width; x++, at++) {
      const cell = row + (columns[x] ?? 0);
      const grey = small[at] ?? 0;
      sums[cell] = (sums[cell] ?? 0) + grey;
      counts[cell] = (counts[cell] ?? 0) + 1;
      total += grey;
    }
  }
  const mean = total / small.length;
  const parts = new Array<number>(CELLS ** 2 / PART_BITS).fill(0).map((_, part) => part * 2 ** PART_BITS);
  for (const [cell, sum] of sums.entries()) {
    if (sum <= mean * (counts[cell] ?? 0)) continue;
    const part = Math.floor(cell / PART_BITS);
    parts[part] = (parts[part] ?? 0) + 2 ** (cell % PART_BITS);
  }
  return parts;
}
