import { yieldToEventLoop } from "../core/general/scheduling.ts";
import type { TargetFeatures } from "./extract.ts";
import { findSame, scaleDown, smallSize } from "./pixels.ts";

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

/** Cells that are brighter than the whole picture: 16 bits each, and the number of the part. */
function partsOf({ small, ...size }: TargetFeatures): readonly number[] {
  const cells = scaleDown({ data: small, ...smallSize(size) }, { width: CELLS, height: CELLS });
  const mean = cells.reduce((sum, cell) => sum + cell, 0) / cells.length;
  return Array.from({ length: cells.length / PART_BITS }, (_, part) =>
    cells
      .subarray(part * PART_BITS, (part + 1) * PART_BITS)
      .reduce((bits, cell, index) => (cell > mean ? bits + 2 ** index : bits), part * 2 ** PART_BITS),
  );
}
