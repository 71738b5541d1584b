/*
 * Whether a photograph shows a target, in AssemblyScript: features that look alike are paired, and the homography is found
 * that most pairs agree with. Its functions of sines and logarithms are compiled with it, so that every engine gets the same
 * results.
 */
import { agreeWith, inside, insiders, model, queryHeight, queryWidth, refine, setSizes, targetHeight, targetWidth } from "./homographies";
import { MOST_TARGET, n, pairUp, qx, qy, reach, tx, ty } from "./pairs";

export { countDifferent, queryCodes, queryFrames, targetCodes, targetFrames } from "./pairs";

const HYPOTHESES: i32 = 80;
const KEPT: i32 = 3;
const CLEAR: f64 = -100; // log10 of the chance below which no other set is tried
const LITTLE_SLANT: f64 = 0.12;
const MUCH_SLANT: f64 = 0.3;
const MOST_PERSPECTIVE: f64 = 6; // how many times farther away than another one a corner may be

/** inliers, log10 of the chance, span, tilt in degrees, then the corners. */
export const result = new StaticArray<f64>(12);
/** x and y in the query of each inlier. */
export const inliers = new StaticArray<f64>(MOST_TARGET * 2);

const logs = new StaticArray<f64>(MOST_TARGET + 1);
let logged: i32 = 0;

function logChoose(all: i32, chosen: i32): f64 {
  for (; logged < all; logged++) logs[logged + 1] = logs[logged] + Math.log10(<f64>(logged + 1));
  return logs[all] - logs[chosen] - logs[all - chosen];
}

const byPlace = new StaticArray<i32>(MOST_TARGET);
const hull = new StaticArray<i32>(MOST_TARGET * 2 + 2);

function isLeftTurn(a: i32, b: i32, c: i32): bool {
  return (tx[b] - tx[a]) * (ty[c] - ty[a]) - (ty[b] - ty[a]) * (tx[c] - tx[a]) > 0;
}

/** Area of the convex hull (Andrew 1979) of the first pairs inside, in the target. */
function hullArea(count: i32): f64 {
  for (let i = 0; i < count; i++) {
    const j = inside[i];
    let place = i;
    for (; place > 0; place--) {
      const other = byPlace[place - 1];
      if (tx[other] < tx[j] || (tx[other] == tx[j] && ty[other] <= ty[j])) break;
      byPlace[place] = other;
    }
    byPlace[place] = j;
  }
  let corners = 0;
  for (let pass = 0; pass < 2; pass++) {
    const start = corners;
    for (let i = 0; i < count; i++) {
      const j = byPlace[pass == 0 ? i : count - 1 - i];
      while (corners > start + 1 && !isLeftTurn(hull[corners - 2], hull[corners - 1], j)) corners--;
      hull[corners++] = j;
    }
    corners--;
  }
  let sum: f64 = 0;
  for (let i = 0; i < corners; i++) {
    const a = hull[i], b = hull[(i + 1) % corners];
    sum += tx[a] * ty[b] - tx[b] * ty[a];
  }
  return Math.abs(sum) / 2;
}

/** One pair per place in either picture: features of several sizes or directions at one place agree by nature. */
function keepOnePerPlace(): i32 {
  let kept = 0;
  for (let i = 0; i < insiders; i++) {
    const j = inside[i];
    let isNew = true;
    for (let k = 0; k < kept && isNew; k++) {
      const other = inside[k];
      isNew =
        !(Math.round(tx[j] / 5) == Math.round(tx[other] / 5) && Math.round(ty[j] / 5) == Math.round(ty[other] / 5)) &&
        !(Math.round(qx[j] / 4) == Math.round(qx[other] / 4) && Math.round(qy[j] / 4) == Math.round(qy[other] / 4));
    }
    if (isNew) inside[kept++] = j;
  }
  return kept;
}

const corners = new StaticArray<f64>(8);
// How much the photograph was shortened in the query
let longerX: f64 = 1;
let longerY: f64 = 1;

/** Whether a camera can see a picture so: not mirrored, folded, edge on, or of a few pixels. Returns the cosine of the tilt, or 0. */
function plausibility(): f64 {
  let nearest: f64 = Infinity, farthest: f64 = 0;
  for (let i = 0; i < 4; i++) {
    const x = i == 1 || i == 2 ? targetWidth : 0, y = i > 1 ? targetHeight : 0;
    const w = model[6] * x + model[7] * y + model[8];
    if (w <= 1e-6) return 0;
    nearest = Math.min(nearest, w);
    farthest = Math.max(farthest, w);
    corners[i * 2] = (longerX * (model[0] * x + model[1] * y + model[2])) / w;
    corners[i * 2 + 1] = (longerY * (model[3] * x + model[4] * y + model[5])) / w;
  }
  if (nearest * MOST_PERSPECTIVE < farthest) return 0;
  let longest: f64 = 0;
  for (let i = 0; i < 4; i++) {
    const b = ((i + 1) & 3) * 2, c = ((i + 2) & 3) * 2;
    const ux = corners[b] - corners[i * 2], uy = corners[b + 1] - corners[i * 2 + 1];
    if (ux * (corners[c + 1] - corners[b + 1]) - uy * (corners[c] - corners[b]) <= 0) return 0;
    longest = Math.max(longest, ux * ux + uy * uy);
  }
  // How the middle is stretched: the singular values of the Jacobian
  const x = targetWidth / 2, y = targetHeight / 2;
  const w = model[6] * x + model[7] * y + model[8];
  const X = (model[0] * x + model[1] * y + model[2]) / w, Y = (model[3] * x + model[4] * y + model[5]) / w;
  const a = (longerX * (model[0] - model[6] * X)) / w, b = (longerX * (model[1] - model[7] * X)) / w;
  const c = (longerY * (model[3] - model[6] * Y)) / w, d = (longerY * (model[4] - model[7] * Y)) / w;
  const q = Math.sqrt((a + d) * (a + d) + (c - b) * (c - b)) / 2;
  const r = Math.sqrt((a - d) * (a - d) + (c + b) * (c + b)) / 2;
  const most = q + r, least = Math.abs(q - r);
  return least < 0.04 || most > 12 || least / most < 0.2 || longest < 24 * 24 ? 0 : least / most;
}

/** Keeps the model as the result if it is less likely by chance. */
function judge(): void {
  const cosine = plausibility();
  if (cosine == 0) return;
  const kept = keepOnePerPlace();
  if (kept < 5) return;
  let area: f64 = 0;
  for (let i = 0; i < kept; i++) area += Math.PI * reach[inside[i]] * reach[inside[i]];
  // By chance (Moisan and Stival 2004, "A probabilistic criterion to detect rigid point matches"): four pairs fix a homography
  const p = Math.min(0.5, area / <f64>kept / (queryWidth * queryHeight));
  const chance =
    Math.log10(<f64>max(1, n - 4)) + logChoose(n, kept) + logChoose(kept, 4) + <f64>(kept - 4) * Math.log10(p);
  if (result[0] > 0 && chance >= result[1]) return;
  result[0] = kept;
  result[1] = chance;
  result[2] = hullArea(kept) / (targetWidth * targetHeight);
  result[3] = (Math.acos(Math.min(1, cosine)) * 180) / Math.PI;
  for (let i = 0; i < 8; i++) result[4 + i] = corners[i];
  for (let i = 0; i < kept; i++) {
    inliers[i * 2] = longerX * qx[inside[i]];
    inliers[i * 2 + 1] = longerY * qy[inside[i]];
  }
}

const counts = new StaticArray<i32>(HYPOTHESES);

/**
 * Looks for a target in the query. Each pair alone gives a similarity (Lowe 2004; Philbin et al. 2007, "Object retrieval with
 * large vocabularies and fast spatial matching"), which is fitted again to the pairs that agree with it: nothing is drawn at random.
 */
export function recognise(
  queries: i32, queryDark: i32, queryW: i32, queryH: i32,
  targets: i32, targetDark: i32, targetW: i32, targetH: i32, timesX: f64, timesY: f64,
): void {
  longerX = timesX;
  longerY = timesY;
  setSizes(targetW, targetH, queryW, queryH);
  pairUp(queries, queryDark, targets, targetDark);
  memory.fill(changetype<usize>(result), 0, 12 * 8);
  if (n < 5) return;
  // Cells of a table agree roughly anywhere
  trySets(LITTLE_SLANT);
  trySets(MUCH_SLANT);
}

function trySets(slant: f64): void {
  const hypotheses = min(n, HYPOTHESES);
  for (let i = 0; i < hypotheses; i++) {
    agreeWith(i, slant);
    counts[i] = insiders;
  }
  for (let set = 0; set < KEPT && result[1] > CLEAR; set++) {
    let best = 0;
    for (let i = 1; i < hypotheses; i++) if (counts[i] > counts[best]) best = i;
    if (counts[best] < 4) return;
    agreeWith(best, slant);
    // The other pairs of this set, with which as many agree, would give it again
    for (let i = 0; i < insiders; i++) {
      const pair = inside[i];
      if (pair < hypotheses && counts[pair] == insiders) counts[pair] = 0;
    }
    if (refine()) judge();
  }
}
