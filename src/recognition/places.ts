import type { Outline } from "../core/schema/journal-entry.ts";
import { findSame, type SmallPicture } from "./pixels.ts";

/** A target that a query probably shows. */
export interface Detection {
  readonly inliers: number;
  /** The target's corners, in pixels of the query. */
  readonly corners: Outline;
  /** Places of the inliers, x and y of each. */
  readonly places: Float64Array;
  /** The part of the target that the pixels show; undefined if they cannot tell. */
  readonly shown: number | undefined;
  /** Undefined for the query's own file. */
  readonly picture?: SmallPicture;
}

/** Two targets are at one place if this part of the inliers lies in the other's outline. */
const MOST_SHARED = 0.5;
/** Two targets at one place both count if the photograph shows nearly as much of each: copies, or a part of the other's picture. */
const AS_MUCH = 0.8;
/** The same for targets of which nearly as many features agree: copies that are mostly covered show a little more or less. */
const HALF_AS_MUCH = 0.5;
/** Where the photograph shows less of a target than this, another one with many more features is what it shows: of one template. */
const LITTLE = { shown: 0.5, inliers: 0.6 };
/** Two targets have one outline if their corners are no farther apart, in parts of its longest side. */
const ONE_OUTLINE = 0.1;

/** Keeps the target at each place of which the pixels show most. Returns the target that hides each other one. */
export function hiddenByOthers<T extends Detection>(detections: readonly T[]): ReadonlyMap<T, T> {
  const hidden = new Map<T, T>();
  const kept: T[] = [];
  for (const detection of detections.toSorted((a, b) => (b.shown ?? 0) - (a.shown ?? 0))) {
    const is = (rule: (one: Detection, better: Detection) => boolean) => (better: T) =>
      rule(detection, better) && isWithin(detection, better.corners);
    const other =
      detections.find(is(isOfTemplate)) ?? detections.find(is(isInstead)) ?? kept.find(is(isLess));
    if (other === undefined) kept.push(detection);
    else hidden.set(detection, other);
  }
  return hidden;
}

const isOfTemplate = ({ shown = 1, inliers }: Detection, better: Detection): boolean =>
  shown < LITTLE.shown && inliers < LITTLE.inliers * better.inliers;

const isLess = ({ shown = 1, inliers }: Detection, better: Detection): boolean =>
  shown < (better.shown ?? 0) * (inliers < AS_MUCH * better.inliers ? AS_MUCH : HALF_AS_MUCH);

/** Whether two targets have one outline and are no copies: the photograph shows the one of which more features agree. */
function isInstead({ corners, picture, inliers }: Detection, better: Detection): boolean {
  if (!picture || !better.picture || inliers >= better.inliers) return false;
  const lengths = corners.map(([x, y], at) => distance([x, y], corners[(at + 1) % corners.length] ?? [x, y]));
  const near = ONE_OUTLINE * Math.max(...lengths);
  return (
    corners.every((corner, at) => distance(corner, better.corners[at] ?? corner) < near) &&
    findSame(picture, [better.picture]) === undefined
  );
}

const distance = ([x, y]: Outline[number], [u, v]: Outline[number]) => Math.sqrt((x - u) ** 2 + (y - v) ** 2);

function isWithin({ inliers, places }: Detection, outline: Outline): boolean {
  let within = 0;
  for (let at = 0; at < places.length; at += 2)
    if (contains(outline, places[at] ?? 0, places[at + 1] ?? 0)) within += 1;
  return within > MOST_SHARED * inliers;
}

/** Whether a point is to the right of all sides, which go clockwise. */
const contains = (outline: Outline, x: number, y: number): boolean =>
  outline.every(([fromX, fromY], index) => {
    const [toX, toY] = outline[(index + 1) % outline.length] ?? [fromX, fromY];
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= 0;
  });
