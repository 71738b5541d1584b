/*
 * Pairs of features that look alike in a target and in a photograph. Features come with those that are dark on light ground first:
 * dark ones are only compared with dark ones.
 */
const CODE: i32 = 32; // bytes
const MOST_QUERY: i32 = 2048;
export const MOST_TARGET: i32 = 512;
const MOST_DISTANCE: i32 = 84; // bits of 256 that may differ
const MOST_RATIO: f64 = 0.88; // of the distances to the nearest and to the second nearest

const PLACES: i32 = 32; // of a feature, in a pixel

export const queryCodes = new StaticArray<u8>(MOST_QUERY * CODE);
export const targetCodes = new StaticArray<u8>(MOST_TARGET * CODE);
// x, y (1/PLACES pixel), size (1/128 pixel), direction (1/65536 turn)
export const queryFrames = new StaticArray<u16>(MOST_QUERY * 4);
export const targetFrames = new StaticArray<u16>(MOST_TARGET * 4);

// Per feature of the target: the nearest of the query, its distance, the second nearest's
const nearest = new StaticArray<i32>(MOST_TARGET);
const distances = new StaticArray<i32>(MOST_TARGET);
const seconds = new StaticArray<i32>(MOST_TARGET);

// Pairs, those that are told apart best first
export let n: i32 = 0;
export const tx = new StaticArray<f64>(MOST_TARGET);
export const ty = new StaticArray<f64>(MOST_TARGET);
export const qx = new StaticArray<f64>(MOST_TARGET);
export const qy = new StaticArray<f64>(MOST_TARGET);
export const zoom = new StaticArray<f64>(MOST_TARGET);
export const turnCos = new StaticArray<f64>(MOST_TARGET);
export const turnSin = new StaticArray<f64>(MOST_TARGET);
export const reach = new StaticArray<f64>(MOST_TARGET);

function compare(start: i32, end: i32, queryStart: i32, queryEnd: i32): void {
  // Two at a time, so that the query's features are loaded half as often. An odd last one is compared with itself, too.
  for (let t = start; t < end; t += 2) comparePair(t, min(t + 1, end - 1), queryStart, queryEnd);
}

/** Scalar: V8 has one instruction for popcnt<u64> but none for the bytes of a vector. */
function comparePair(t: i32, u: i32, queryStart: i32, queryEnd: i32): void {
  const one = changetype<usize>(targetCodes) + t * CODE, two = changetype<usize>(targetCodes) + u * CODE;
  const a = load<u64>(one), b = load<u64>(one, 8), c = load<u64>(one, 16), d = load<u64>(one, 24);
  const e = load<u64>(two), f = load<u64>(two, 8), g = load<u64>(two, 16), h = load<u64>(two, 24);
  let best = 0xffff, second = 0xffff, found = -1;
  let otherBest = 0xffff, otherSecond = 0xffff, otherFound = -1;
  let at = changetype<usize>(queryCodes) + queryStart * CODE;
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
  }
  nearest[t] = found;
  distances[t] = best;
  seconds[t] = second;
  nearest[u] = otherFound;
  distances[u] = otherBest;
  seconds[u] = otherSecond;
}

/** In how many bits a code differs from another one, given in four parts. */
@inline
function distanceTo(code: usize, a: u64, b: u64, c: u64, d: u64): i32 {
  return <i32>(popcnt<u64>(a ^ load<u64>(code)) + popcnt<u64>(b ^ load<u64>(code, 8)) +
    popcnt<u64>(c ^ load<u64>(code, 16)) + popcnt<u64>(d ^ load<u64>(code, 24)));
}

/** Whether no other feature of the target is nearer to one of the query; of equally near ones, the first counts. */
function isNearest(t: i32, q: i32, start: i32, end: i32): bool {
  const own = changetype<usize>(queryCodes) + q * CODE;
  const a = load<u64>(own), b = load<u64>(own, 8), c = load<u64>(own, 16), d = load<u64>(own, 24);
  for (let other = start; other < end; other++) {
    const distance = distanceTo(changetype<usize>(targetCodes) + other * CODE, a, b, c, d);
    if (distance < distances[t] || (distance == distances[t] && other < t)) return false;
  }
  return true;
}

const ALIKE: i32 = 16; // bits of 256 that may differ
const APART: i32 = 5 * PLACES;

/** How many of a target's features differ: those that look alike in several places count as one. */
export function countDifferent(targets: i32, dark: i32): f64 {
  let different: f64 = 0;
  for (let t = 0; t < targets; t++) {
    const row = changetype<usize>(targetCodes) + t * CODE;
    const a = load<u64>(row), b = load<u64>(row, 8), c = load<u64>(row, 16), d = load<u64>(row, 24);
    const start = t < dark ? 0 : dark, end = t < dark ? dark : targets;
    let alike: f64 = 1;
    for (let other = start; other < end; other++) {
      if (distanceTo(changetype<usize>(targetCodes) + other * CODE, a, b, c, d) >= ALIKE) continue;
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

/** Pairs features that are each other's nearest, if no third one is nearly as near. */
export function pairUp(queries: i32, queryDark: i32, targets: i32, targetDark: i32): void {
  compare(0, targetDark, 0, queryDark);
  compare(targetDark, targets, queryDark, queries);
  n = 0;
  for (let t = 0; t < targets; t++) {
    const q = nearest[t];
    if (q < 0 || distances[t] > MOST_DISTANCE) continue;
    const ratio = <f64>distances[t] / <f64>max(seconds[t], 1);
    if (ratio > MOST_RATIO || !isNearest(t, q, t < targetDark ? 0 : targetDark, t < targetDark ? targetDark : targets)) continue;
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
    tx[i] = <f64>targetFrames[t] / PLACES;
    ty[i] = <f64>targetFrames[t + 1] / PLACES;
    qx[i] = <f64>queryFrames[q] / PLACES;
    qy[i] = <f64>queryFrames[q + 1] / PLACES;
    zoom[i] = <f64>queryFrames[q + 2] / <f64>max(<i32>targetFrames[t + 2], 1);
    const turn: f32 = (<f32>(<i32>queryFrames[q + 3] - <i32>targetFrames[t + 3]) * Mathf.PI) / 32768;
    turnCos[i] = Mathf.cos(turn);
    turnSin[i] = Mathf.sin(turn);
    reach[i] = 2.5 + <f64>queryFrames[q + 2] / 256;
  }
}
