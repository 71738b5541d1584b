/*
 * Whether a photograph shows a target, in AssemblyScript: features that look alike are paired, and the homography is found
 * that most pairs agree with. Its functions of sines and logarithms are compiled with it, so that every engine gets the same
 * results.
 *
 * Features come with those that are dark on light ground first: dark ones are only compared with dark ones.
 */
const CODE: i32 = 32; // bytes
const MOST_QUERY: i32 = 2048;
const MOST_TARGET: i32 = 512;
const MOST_DISTANCE: i32 = 84; // bits of 256 that may differ
const MOST_RATIO: f64 = 0.88; // of the distances to the nearest and to the second nearest
const HYPOTHESES: i32 = 80;
const KEPT: i32 = 4;
const MOST_PERSPECTIVE: f64 = 6; // how many times farther away than another one a corner may be

const queryCodes = new StaticArray<u8>(MOST_QUERY * CODE);
const targetCodes = new StaticArray<u8>(MOST_TARGET * CODE);
// x, y (1/64 pixel), size (1/128 pixel), direction (1/65536 turn)
const queryFrames = new StaticArray<u16>(MOST_QUERY * 4);
const targetFrames = new StaticArray<u16>(MOST_TARGET * 4);
/** inliers, log10 of the chance, span, tilt in degrees, pairs, then the corners. */
const result = new StaticArray<f64>(13);

export function queryCodesAt(): usize { return changetype<usize>(queryCodes); }
export function targetCodesAt(): usize { return changetype<usize>(targetCodes); }
export function queryFramesAt(): usize { return changetype<usize>(queryFrames); }
export function targetFramesAt(): usize { return changetype<usize>(targetFrames); }
export function resultAt(): usize { return changetype<usize>(result); }
/** x and y in the query of each inlier. */
const inliers = new StaticArray<f64>(MOST_TARGET * 2);
export function inliersAt(): usize { return changetype<usize>(inliers); }

// Per feature of the target: the nearest of the query, its distance, the second nearest's. Per feature of the query: the
// nearest of the target, with its distance in the upper 16 bits
const nearest = new StaticArray<i32>(MOST_TARGET);
const distances = new StaticArray<i32>(MOST_TARGET);
const seconds = new StaticArray<i32>(MOST_TARGET);
const back = new StaticArray<i32>(MOST_QUERY);

// Pairs, those that are told apart best first
let n: i32 = 0;
const tx = new StaticArray<f64>(MOST_TARGET);
const ty = new StaticArray<f64>(MOST_TARGET);
const qx = new StaticArray<f64>(MOST_TARGET);
const qy = new StaticArray<f64>(MOST_TARGET);
const zoom = new StaticArray<f64>(MOST_TARGET);
const turnCos = new StaticArray<f64>(MOST_TARGET);
const turnSin = new StaticArray<f64>(MOST_TARGET);
const reach = new StaticArray<f64>(MOST_TARGET);

// Sizes of both pictures in pixels
let targetWidth: f64 = 0;
let targetHeight: f64 = 0;
let queryWidth: f64 = 0;
let queryHeight: f64 = 0;

function compare(start: i32, end: i32, queryStart: i32, queryEnd: i32): void {
  // Two at a time, so that the query's features are loaded half as often. An odd last one is compared with itself, too.
  for (let t = start; t < end; t += 2) comparePair(t, min(t + 1, end - 1), queryStart, queryEnd);
}

/** Scalar: V8 has one instruction for popcnt<u64> but none for the bytes of a vector. */
function comparePair(t: i32, u: i32, queryStart: i32, queryEnd: i32): void {
  const one = targetCodesAt() + t * CODE, two = targetCodesAt() + u * CODE;
  const a = load<u64>(one), b = load<u64>(one, 8), c = load<u64>(one, 16), d = load<u64>(one, 24);
  const e = load<u64>(two), f = load<u64>(two, 8), g = load<u64>(two, 16), h = load<u64>(two, 24);
  let best = 0xffff, second = 0xffff, found = -1;
  let otherBest = 0xffff, otherSecond = 0xffff, otherFound = -1;
  let at = queryCodesAt() + queryStart * CODE;
  for (let q = queryStart; q < queryEnd; q++, at += CODE) {
    const i = load<u64>(at), j = load<u64>(at, 8), k = load<u64>(at, 16), l = load<u64>(at, 24);
    const distance = <i32>(popcnt<u64>(a ^ i) + popcnt<u64>(b ^ j) + popcnt<u64>(c ^ k) + popcnt<u64>(d ^ l));
    const other = <i32>(popcnt<u64>(e ^ i) + popcnt<u64>(f ^ j) + popcnt<u64>(g ^ k) + popcnt<u64>(h ^ l));
    if (distance < second) {
      if (distance < best) {
        second = best;
        best = distance;
        found = q;
      } else second = distance;
    }
    if (other < otherSecond) {
      if (other < otherBest) {
        otherSecond = otherBest;
        otherBest = other;
        otherFound = q;
      } else otherSecond = other;
    }
    const packed = min((distance << 16) | t, (other << 16) | u);
    if (packed < unchecked(back[q])) unchecked((back[q] = packed));
  }
  nearest[t] = found;
  distances[t] = best;
  seconds[t] = second;
  nearest[u] = otherFound;
  distances[u] = otherBest;
  seconds[u] = otherSecond;
}

const ALIKE: i32 = 16; // bits of 256 that may differ
const APART: i32 = 5 * 64; // 1/64 pixel

/** How many of a target's features differ: those that look alike in several places count as one. */
export function countDifferent(targets: i32, dark: i32): f64 {
  let different: f64 = 0;
  for (let t = 0; t < targets; t++) {
    const row = targetCodesAt() + t * CODE;
    const a = load<u64>(row), b = load<u64>(row, 8), c = load<u64>(row, 16), d = load<u64>(row, 24);
    const start = t < dark ? 0 : dark, end = t < dark ? dark : targets;
    let alike: f64 = 1;
    for (let other = start; other < end; other++) {
      const at = targetCodesAt() + other * CODE;
      const distance = popcnt<u64>(a ^ load<u64>(at)) + popcnt<u64>(b ^ load<u64>(at, 8)) +
        popcnt<u64>(c ^ load<u64>(at, 16)) + popcnt<u64>(d ^ load<u64>(at, 24));
      if (<i32>distance >= ALIKE) continue;
      const dx = <i32>targetFrames[t * 4] - <i32>targetFrames[other * 4];
      const dy = <i32>targetFrames[t * 4 + 1] - <i32>targetFrames[other * 4 + 1];
      if (abs(dx) > APART || abs(dy) > APART) alike += 1;
    }
    different += 1 / alike;
  }
  return different;
}

const ratios = new StaticArray<f64>(MOST_TARGET);
const order = new StaticArray<i32>(MOST_TARGET);

/** Pairs each feature with the nearest of the other picture, when each is the other's and no third is nearly as near. */
function pair(targets: i32): void {
  n = 0;
  for (let t = 0; t < targets; t++) {
    const q = nearest[t];
    if (q < 0 || distances[t] > MOST_DISTANCE || (back[q] & 0xffff) != t) continue;
    const ratio = <f64>distances[t] / <f64>max(seconds[t], 1);
    if (ratio > MOST_RATIO) continue;
    let place = n++;
    for (; place > 0 && ratios[place - 1] > ratio; place--) {
      ratios[place] = ratios[place - 1];
      order[place] = order[place - 1];
    }
    ratios[place] = ratio;
    order[place] = t;
  }
  for (let i = 0; i < n; i++) {
    const t = order[i] * 4, q = nearest[order[i]] * 4;
    tx[i] = <f64>targetFrames[t] / 64;
    ty[i] = <f64>targetFrames[t + 1] / 64;
    qx[i] = <f64>queryFrames[q] / 64;
    qy[i] = <f64>queryFrames[q + 1] / 64;
    zoom[i] = <f64>queryFrames[q + 2] / <f64>max(<i32>targetFrames[t + 2], 1);
    const turn: f32 = (<f32>(<i32>queryFrames[q + 3] - <i32>targetFrames[t + 3]) * Mathf.PI) / 32768;
    turnCos[i] = Mathf.cos(turn);
    turnSin[i] = Mathf.sin(turn);
    reach[i] = 2.5 + <f64>queryFrames[q + 2] / 256;
  }
}

const inside = new StaticArray<i32>(MOST_TARGET);
let insiders: i32 = 0;

/** The pairs that agree roughly with the similarity that pair i gives alone. */
function agreeWith(i: i32): void {
  insiders = 0;
  const c = turnCos[i] * zoom[i], s = turnSin[i] * zoom[i];
  for (let j = 0; j < n; j++) {
    const dx = tx[j] - tx[i], dy = ty[j] - ty[i];
    const ex = qx[i] + c * dx - s * dy - qx[j], ey = qy[i] + s * dx + c * dy - qy[j];
    const allowed = 4 + 0.3 * zoom[i] * Math.sqrt(dx * dx + dy * dy);
    if (ex * ex + ey * ey > allowed * allowed) continue;
    const grown = zoom[j] / zoom[i];
    if (grown > 2 || grown < 0.5 || turnCos[i] * turnCos[j] + turnSin[i] * turnSin[j] < 0.6) continue;
    inside[insiders++] = j;
  }
}

/** From pixels of the target to pixels of the query, row by row. */
const model = new StaticArray<f64>(9);

/** The pairs that the model puts within so many times their reach. */
function agreeWithModel(factor: f64): void {
  insiders = 0;
  for (let j = 0; j < n; j++) {
    const w = model[6] * tx[j] + model[7] * ty[j] + model[8];
    if (w <= 0) continue;
    const ex = (model[0] * tx[j] + model[1] * ty[j] + model[2]) / w - qx[j];
    const ey = (model[3] * tx[j] + model[4] * ty[j] + model[5]) / w - qy[j];
    const allowed = reach[j] * factor;
    if (ex * ex + ey * ey <= allowed * allowed) inside[insiders++] = j;
  }
}

// Linear equations, with one or two right sides behind them, which the solutions replace
const system = new StaticArray<f64>(80);

/** Gaussian elimination with pivots. */
function solve(size: i32, columns: i32): bool {
  for (let c = 0; c < size; c++) {
    let pivot = c;
    for (let r = c + 1; r < size; r++) {
      if (Math.abs(system[r * columns + c]) > Math.abs(system[pivot * columns + c])) pivot = r;
    }
    if (Math.abs(system[pivot * columns + c]) < 1e-12) return false;
    for (let k = 0; k < columns; k++) {
      const kept = system[c * columns + k];
      system[c * columns + k] = system[pivot * columns + k];
      system[pivot * columns + k] = kept;
    }
    for (let r = 0; r < size; r++) {
      if (r == c) continue;
      const factor = system[r * columns + c] / system[c * columns + c];
      if (factor == 0) continue;
      for (let k = c; k < columns; k++) system[r * columns + k] -= factor * system[c * columns + k];
    }
  }
  for (let r = 0; r < size; r++) {
    for (let k = size; k < columns; k++) system[r * columns + k] /= system[r * columns + r];
  }
  return true;
}

function fitAffine(): bool {
  memory.fill(changetype<usize>(system), 0, 80 * 8);
  for (let i = 0; i < insiders; i++) {
    const j = inside[i];
    for (let r = 0; r < 3; r++) {
      const v: f64 = r == 0 ? tx[j] / 100 : r == 1 ? ty[j] / 100 : 1;
      system[r * 5] += (v * tx[j]) / 100;
      system[r * 5 + 1] += (v * ty[j]) / 100;
      system[r * 5 + 2] += v;
      system[r * 5 + 3] += v * qx[j];
      system[r * 5 + 4] += v * qy[j];
    }
  }
  if (!solve(3, 5)) return false;
  for (let r = 0; r < 2; r++) {
    model[r * 3] = system[3 + r] / 100;
    model[r * 3 + 1] = system[8 + r] / 100;
    model[r * 3 + 2] = system[13 + r];
  }
  model[6] = 0;
  model[7] = 0;
  model[8] = 1;
  return true;
}

const row = new StaticArray<f64>(9);

function addRow(weight: f64): void {
  for (let r = 0; r < 8; r++) {
    if (row[r] == 0) continue;
    for (let c = 0; c < 9; c++) system[r * 9 + c] += weight * row[r] * row[c];
  }
}

function fitProjective(): bool {
  // Both pictures from about -1 to 1, so that the equations are well conditioned
  const mx = targetWidth / 2, my = targetHeight / 2, unit = Math.max(mx, my);
  const ux = queryWidth / 2, uy = queryHeight / 2, size = Math.max(ux, uy);
  memory.fill(changetype<usize>(system), 0, 80 * 8);
  for (let i = 0; i < insiders; i++) {
    const j = inside[i];
    const x = (tx[j] - mx) / unit, y = (ty[j] - my) / unit;
    const X = (qx[j] - ux) / size, Y = (qy[j] - uy) / size;
    const weight = 1 / (reach[j] * reach[j]);
    for (let half = 0; half < 2; half++) {
      const value = half == 0 ? X : Y;
      memory.fill(changetype<usize>(row), 0, 72);
      row[half * 3] = x;
      row[half * 3 + 1] = y;
      row[half * 3 + 2] = 1;
      row[6] = -x * value;
      row[7] = -y * value;
      row[8] = value;
      addRow(weight);
    }
  }
  // Prefers no perspective where the pairs do not say
  system[6 * 9 + 6] += 1e-4;
  system[7 * 9 + 7] += 1e-4;
  if (!solve(8, 9)) return false;
  for (let c = 0; c < 3; c++) {
    const last: f64 = c == 2 ? 1 : system[(6 + c) * 9 + 8];
    model[c] = system[c * 9 + 8] * size + ux * last;
    model[3 + c] = system[(3 + c) * 9 + 8] * size + uy * last;
    model[6 + c] = last;
  }
  for (let r = 0; r < 3; r++) {
    model[r * 3] /= unit;
    model[r * 3 + 1] /= unit;
    model[r * 3 + 2] -= model[r * 3] * mx + model[r * 3 + 1] * my;
  }
  return true;
}

/** Fits a model to the pairs inside, in narrowing circles. */
function refine(): bool {
  for (let round = 0; round < 8; round++) {
    const isFitted = round < 2 || insiders < 6 ? fitAffine() : fitProjective();
    if (!isFitted) return false;
    agreeWithModel(round == 0 ? 6 : round == 1 ? 4 : round == 2 ? 3 : round == 3 ? 2 : round == 4 ? 1.5 : 1);
    if (insiders < 4) return false;
  }
  return true;
}

const logs = new StaticArray<f64>(MOST_TARGET + 1);
let logged: i32 = 0;

function logChoose(all: i32, chosen: i32): f64 {
  for (; logged < all; logged++) logs[logged + 1] = logs[logged] + Math.log10(<f64>(logged + 1));
  return logs[all] - logs[chosen] - logs[all - chosen];
}

// Pairs by place in the target, and their convex hull
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

/** Whether a camera can see a picture so: not mirrored, folded, edge on, or of a few pixels. Returns the cosine of the tilt, or 0. */
function plausibility(): f64 {
  let nearest: f64 = Infinity, farthest: f64 = 0;
  for (let i = 0; i < 4; i++) {
    const x = i == 1 || i == 2 ? targetWidth : 0, y = i > 1 ? targetHeight : 0;
    const w = model[6] * x + model[7] * y + model[8];
    if (w <= 1e-6) return 0;
    nearest = Math.min(nearest, w);
    farthest = Math.max(farthest, w);
    corners[i * 2] = (model[0] * x + model[1] * y + model[2]) / w;
    corners[i * 2 + 1] = (model[3] * x + model[4] * y + model[5]) / w;
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
  const a = (model[0] - model[6] * X) / w, b = (model[1] - model[7] * X) / w;
  const c = (model[3] - model[6] * Y) / w, d = (model[4] - model[7] * Y) / w;
  const q = Math.sqrt((a + d) * (a + d) + (c - b) * (c - b)) / 2;
  const r = Math.sqrt((a - d) * (a - d) + (c + b) * (c + b)) / 2;
  const most = q + r, least = Math.abs(q - r);
  return least < 0.04 || most > 12 || least / most < 0.2 || longest < 24 * 24 ? 0 : least / most;
}

/** Keeps the model as the result, if it is less likely by chance than the one before. */
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
  for (let i = 0; i < 8; i++) result[5 + i] = corners[i];
  for (let i = 0; i < kept; i++) {
    inliers[i * 2] = qx[inside[i]];
    inliers[i * 2 + 1] = qy[inside[i]];
  }
}

const counts = new StaticArray<i32>(HYPOTHESES);
const tried = new StaticArray<i32>(KEPT * MOST_TARGET);
const triedCounts = new StaticArray<i32>(KEPT);

function isTried(sets: i32): bool {
  for (let s = 0; s < sets; s++) {
    if (triedCounts[s] != insiders) continue;
    let same = true;
    for (let i = 0; i < insiders && same; i++) same = tried[s * MOST_TARGET + i] == inside[i];
    if (same) return true;
  }
  return false;
}

/**
 * Looks for a target in the query. Each pair alone gives a similarity (Lowe 2004; Philbin et al. 2007, "Object retrieval with
 * large vocabularies and fast spatial matching"), which is fitted again to the pairs that agree with it: nothing is drawn at random.
 */
export function recognise(
  queries: i32, queryDark: i32, queryW: i32, queryH: i32,
  targets: i32, targetDark: i32, targetW: i32, targetH: i32,
): void {
  queryWidth = queryW;
  queryHeight = queryH;
  targetWidth = targetW;
  targetHeight = targetH;
  for (let q = 0; q < queries; q++) back[q] = 0x7fffffff;
  compare(0, targetDark, 0, queryDark);
  compare(targetDark, targets, queryDark, queries);
  pair(targets);
  memory.fill(resultAt(), 0, 13 * 8);
  result[4] = n;
  if (n < 5) return;
  const hypotheses = min(n, HYPOTHESES);
  for (let i = 0; i < hypotheses; i++) {
    agreeWith(i);
    counts[i] = insiders;
  }
  for (let sets = 0; sets < KEPT; ) {
    let best = 0;
    for (let i = 1; i < hypotheses; i++) if (counts[i] > counts[best]) best = i;
    if (counts[best] < 4) return;
    counts[best] = 0;
    agreeWith(best);
    if (isTried(sets)) continue;
    for (let i = 0; i < insiders; i++) tried[sets * MOST_TARGET + i] = inside[i];
    triedCounts[sets++] = insiders;
    if (refine()) judge();
  }
}
