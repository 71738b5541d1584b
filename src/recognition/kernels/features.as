/*
 * Local features of a grey picture, in AssemblyScript.
 *
 *  1. startDetection(), then detectPart() until it is done: a Gaussian pyramid of octaves of three scales, 16-bit fixed point
 *     (grey · 64), and the extremes of its differences (Lowe 2004, "Distinctive image features from scale-invariant keypoints").
 *  2. The caller selects candidates.
 *  3. describe(): of each selected one the main directions; in that frame 16 x 16 gradients pooled into 4 x 4 cells of 8
 *     directions; square roots of the shares (Arandjelović and Zisserman 2012); and BITS signs of learned projections.
 */
const SCALES: i32 = 3;
const MOST_OCTAVES: i32 = 6;
const MOST_CANDIDATES: i32 = 32768;
const CANDIDATE: i32 = 32; // x, y, sigma, response as f32; octave, level, sign as i32
const MOST_FEATURES: i32 = 2048;
const FEATURE: i32 = 24; // x, y, sigma, angle as f32; sign; index of its candidate
const VALUES: i32 = 128;
const BITS: i32 = 256;
const SIGMA: f32 = 1.6;
const INPUT_SIGMA: f32 = 0.5;
const MARGIN: i32 = 6; // pixels at the edge without candidates
const EDGE_RATIO: f32 = 10;
const MOST_WIDTH: i32 = 2048;

// Memory: constants and results below, the pyramid above.
const KERNELS: i32 = 65536; // 6 kernels of 64 bytes: radius, then 16-bit coefficients from the centre on
const ROWS: i32 = KERNELS + 1024;
const AROUND: i32 = ROWS + 512; // addresses of the rows around a pixel
const LINE: i32 = ROWS + 1024; // one row, 16 pixels of margin on both sides
const LEVELS: i32 = LINE + MOST_WIDTH * 2 + 128; // address of each kept plane, then width, height, stride of each octave
const PATCH: i32 = LEVELS + 1024; // 18 x 18 f32, padded to 20
const CELLS: i32 = PATCH + 20 * 18 * 4;
const POOL: i32 = CELLS + VALUES * 4; // 16 x 4 f32: the share of a sample in a row or column of cells
const HISTOGRAM: i32 = POOL + 256; // 36 f32, with two more on both sides
const WIDE: i32 = HISTOGRAM + 256; // 128 i16
const SAMPLES: i32 = WIDE + 256; // what was computed for 4 or 16 samples
export const PROJECTION: i32 = SAMPLES + 256; // BITS x 128 i8
export const BIASES: i32 = PROJECTION + BITS * VALUES; // BITS i32
export const CANDIDATES: i32 = 196608;
export const SELECTED: i32 = CANDIDATES + MOST_CANDIDATES * CANDIDATE;
export const FEATURES: i32 = SELECTED + MOST_CANDIDATES * 4;
export const RAW: i32 = FEATURES + MOST_FEATURES * FEATURE;
export const CODES: i32 = RAW + MOST_FEATURES * VALUES;
const INPUT: i32 = CODES + MOST_FEATURES * (BITS / 8);

let width: i32 = 0;
let height: i32 = 0;
let octaves: i32 = 0;
let candidates: i32 = 0;
let features: i32 = 0;
let base: i32 = 0;
let ready: bool = false;

function makeKernel(index: i32, sigma: f32): void {
  const at = KERNELS + index * 64;
  const radius = min(14, <i32>Mathf.ceil(sigma * 3));
  let total: f32 = 0;
  for (let i = -radius; i <= radius; i++) total += Mathf.exp(-<f32>(i * i) / (2 * sigma * sigma));
  let rest = 32768;
  for (let i = radius; i > 0; i--) {
    const share = <i32>Mathf.round((32768 * Mathf.exp(-<f32>(i * i) / (2 * sigma * sigma))) / total);
    store<i16>(at + 4 + i * 2, <i16>share);
    rest -= 2 * share;
  }
  store<i16>(at + 4, <i16>rest);
  store<i32>(at, radius);
}

function makeTables(): void {
  makeKernel(0, Mathf.sqrt(SIGMA * SIGMA - INPUT_SIGMA * INPUT_SIGMA));
  const step: f32 = Mathf.pow(2, 1 / <f32>SCALES);
  let sigma = SIGMA;
  for (let i = 1; i < SCALES + 3; i++) {
    makeKernel(i, sigma * Mathf.sqrt(step * step - 1));
    sigma *= step;
  }
  for (let sample = 0; sample < 16; sample++) {
    const from = <f32>sample - 7.5;
    const weight = Mathf.exp((-from * from) / (2 * 8 * 8));
    for (let cell = 0; cell < 4; cell++) {
      const share: f32 = 1 - Mathf.abs(<f32>sample - (1.5 + 4 * <f32>cell)) / 4;
      store<f32>(POOL + (sample * 4 + cell) * 4, share > 0 ? share * weight : 0);
    }
  }
  ready = true;
}

/** Returns where the picture's grey pixels go. */
export function begin(w: i32, h: i32): i32 {
  if (!ready) makeTables();
  width = w;
  height = h;
  const row = strideOf(w) * 2;
  base = (INPUT + w * h + 63) & ~15;
  const rings = (row * SHORT_RING + PAST_ROW) * 2 + (row * LONG_RING + PAST_ROW) * (DIFFERENCES + 2);
  // Each octave has a quarter of the pixels of the one before, and rows that are up to 15 values longer than these.
  const need = base + rings + row * h * SCALES * 4 / 3 + h * 192 + MOST_OCTAVES * SCALES * PAST_ROW;
  const pages = (need + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  return INPUT;
}

@inline
function strideOf(w: i32): i32 {
  return ((w + 7) & ~7) + 8;
}

@inline
function addShare(sum: v128, a: v128, b: v128, share: v128): v128 {
  return i16x8.add(sum, i16x8.q15mulr_sat_s(i16x8.add(a, b), share));
}

/**
 * Blurs the level below down the columns, then along the row, from some bytes of it to others, and keeps the difference. Writes up
 * to 24 values behind the end of the row.
 */
function blurRow(level: i32, y: i32, first: i32, last: i32): void {
  const kernel = KERNELS + (level - 1) * 64;
  const radius = load<i32>(kernel);
  const end = w * 2;
  const line = LINE + 32;
  const from = rowOf(level - 1, y), to = rowOf(level, y);
  for (let i = 1; i <= radius; i++) {
    store<i32>(ROWS + i * 8, rowOf(level - 1, max(y - i, 0)));
    store<i32>(ROWS + i * 8, rowOf(level - 1, min(y + i, h - 1)), 4);
  }
  addShares(from, line, max(first - radius * 2, 0), min(last + radius * 2, end), kernel);
  const left = v128.load16_splat(line);
  v128.store(LINE, left);
  v128.store(LINE, left, 16);
  const right = v128.load16_splat(line + end - 2);
  v128.store(line + end, right);
  v128.store(line + end, right, 16);
  for (let i = 1; i <= radius; i++) {
    store<i32>(ROWS + i * 8, line - i * 2);
    store<i32>(ROWS + i * 8, line + i * 2, 4);
  }
  addShares(line, to, first, last, kernel);
  if (level > FIRST) subtract(to, from, differenceOf(level, y), first, last);
}

/** Adds up a row's values and their neighbours, which begin where ROWS says for each distance. */
function addShares(row: i32, to: i32, first: i32, last: i32, kernel: i32): void {
  const radius = load<i32>(kernel);
  const centre = v128.load16_splat(kernel + 4);
  for (let x = first; x < last; x += 64) {
    let s0 = i16x8.q15mulr_sat_s(v128.load(row + x), centre);
    let s1 = i16x8.q15mulr_sat_s(v128.load(row + x, 16), centre);
    let s2 = i16x8.q15mulr_sat_s(v128.load(row + x, 32), centre);
    let s3 = i16x8.q15mulr_sat_s(v128.load(row + x, 48), centre);
    for (let i = 1; i <= radius; i++) {
      const before = load<i32>(ROWS + i * 8) + x;
      const after = load<i32>(ROWS + i * 8, 4) + x;
      const share = v128.load16_splat(kernel + i * 2, 4);
      // Offsets that are constants cost nothing
      s0 = addShare(s0, v128.load(before), v128.load(after), share);
      s1 = addShare(s1, v128.load(before, 16), v128.load(after, 16), share);
      s2 = addShare(s2, v128.load(before, 32), v128.load(after, 32), share);
      s3 = addShare(s3, v128.load(before, 48), v128.load(after, 48), share);
    }
    v128.store(to + x, s0);
    v128.store(to + x, s1, 16);
    v128.store(to + x, s2, 32);
    v128.store(to + x, s3, 48);
  }
}

function subtract(a: i32, b: i32, to: i32, first: i32, last: i32): void {
  for (let i = first; i < last; i += 16) v128.store(to + i, i16x8.sub(v128.load(a + i), v128.load(b + i)));
}

// Where the detection stands
let contrast: i32 = 0;
let w: i32 = 0;
let h: i32 = 0;
let pitch: i32 = 0; // bytes of a row
let next: i32 = 0;
let clock: i32 = 0;

/** Levels of an octave: the picture, in the first one; the first level; those that are kept; two more. */
const FIRST: i32 = 1;
const LAST: i32 = SCALES + 3;
const DIFFERENCES: i32 = SCALES + 2;
// All levels of an octave are made together, row by row, each as far behind the one below as its blur reaches. Of those that are not
// kept, only the latest rows stay in memory: it takes a third, most of it in the processor's cache.
const SHORT_RING: i32 = 16;
const LONG_RING: i32 = 32;
const PAST_ROW: i32 = 64;
/** Of each level, its rows' address, and the bits of a row's number that tell its place. */
const starts = new StaticArray<i32>(LAST + 1);
const masks = new StaticArray<i32>(LAST + 1);
/** By how many rows each level is behind the picture. */
const lags = new StaticArray<i32>(LAST + 1);
/** Between each level and the one below. */
const differences = new StaticArray<i32>(LAST + 1);

@inline
function rowOf(level: i32, y: i32): i32 {
  return unchecked(starts[level]) + (y & unchecked(masks[level])) * pitch;
}

@inline
function differenceOf(level: i32, y: i32): i32 {
  return unchecked(differences[level]) + (y & (LONG_RING - 1)) * pitch;
}

/** @param least - contrast of candidates, in 1/64 of a grey level */
export function startDetection(least: i32): void {
  contrast = least;
  candidates = 0;
  octaves = 0;
  clock = 0;
  w = width;
  h = height;
  const longest = strideOf(w) * 2;
  next = base;
  for (let level = 0; level <= LAST; level++) {
    if (level > FIRST && level <= FIRST + SCALES) masks[level] = -1;
    else {
      const rows = level <= FIRST ? SHORT_RING : LONG_RING;
      starts[level] = next;
      masks[level] = rows - 1;
      next += longest * rows + PAST_ROW;
    }
    if (level <= FIRST) continue;
    differences[level] = next;
    next += longest * LONG_RING + PAST_ROW;
  }
}

function beginOctave(): void {
  const info = LEVELS + octaves * 32;
  pitch = strideOf(w) * 2;
  store<i32>(info, w, 12);
  store<i32>(info, h, 16);
  store<i32>(info, pitch >> 1, 20);
  for (let scale = 0; scale < SCALES; scale++) {
    starts[FIRST + 1 + scale] = next;
    store<i32>(info + scale * 4, next);
    next += pitch * h + PAST_ROW;
  }
  for (let level = FIRST; level <= LAST; level++)
    lags[level] = level == FIRST && octaves > 0 ? 0 : unchecked(lags[level - 1]) + load<i32>(KERNELS + (level - 1) * 64);
}

function makeRow(level: i32, y: i32): void {
  if (level > FIRST || (level == FIRST && octaves == 0)) return blurRow(level, y, 0, w * 2);
  const to = rowOf(level, y);
  if (level == 0) {
    for (let x = 0; x < w; x += 8) v128.store(to + x * 2, i16x8.shl(v128.load8x8_u(INPUT + y * w + x), 6));
    return;
  }
  // Every second pixel of the last scale of the octave below
  const below = LEVELS + (octaves - 1) * 32;
  const from = load<i32>(below + (SCALES - 1) * 4) + 2 * y * load<i32>(below, 20) * 2;
  for (let x = 0; x < w * 2; x += 16) v128.store(to + x, v128.shuffle<i16>(v128.load(from + 2 * x), v128.load(from + 2 * x, 16), 0, 2, 4, 6, 8, 10, 12, 14));
}

/** Pixels of a part. */
const PART: i32 = 200000;

/** Does about 2 ms of work. Returns the number of candidates after the last part, -1 before. */
export function detectPart(): i32 {
  if (octaves == MOST_OCTAVES || min(w, h) < 20) return candidates;
  if (clock == 0) beginOctave();
  const last = h + unchecked(lags[LAST]);
  for (const end = min(clock + PART / w, last); clock < end; clock++) {
    for (let level = octaves == 0 ? 0 : FIRST; level < LAST; level++) {
      const y = clock - unchecked(lags[level]);
      if (y >= 0 && y < h) makeRow(level, y);
    }
    const y = clock - unchecked(lags[LAST]) - 1;
    if (y >= MARGIN && y < h - MARGIN) for (let scale = 1; scale <= SCALES; scale++) search(scale, y);
  }
  if (clock < last) return -1;
  w >>= 1;
  h >>= 1;
  clock = 0;
  octaves++;
  return -1;
}

/** Searches a row for pixels that are above or below all of their 26 neighbours. */
function search(scale: i32, y: i32): void {
  const least = i16x8.splat(<i16>contrast);
  const level = FIRST + 1 + scale;
  const here = differenceOf(level, y);
  // The rows around it: those of its own difference first
  store<i32>(AROUND, differenceOf(level, y - 1));
  store<i32>(AROUND, differenceOf(level, y + 1), 4);
  for (let row = 0; row < 3; row++) {
    store<i32>(AROUND + row * 4, differenceOf(level - 1, y + row - 1), 8);
    store<i32>(AROUND + row * 4, differenceOf(level + 1, y + row - 1), 20);
  }
  for (let x = MARGIN; x < w - MARGIN; x += 8) {
    const offset = x * 2;
    const d = v128.load(here + offset), l = v128.load(here + offset - 2), r = v128.load(here + offset, 2);
    let most = i16x8.max_s(least, i16x8.max_s(l, r));
    let fewest = i16x8.min_s(i16x8.neg(least), i16x8.min_s(l, r));
    let row = AROUND;
    for (; row < AROUND + 8; row += 4) {
      const at = load<i32>(row) + offset - 2;
      const a = v128.load(at), b = v128.load(at, 2), c = v128.load(at, 4);
      most = i16x8.max_s(most, i16x8.max_s(a, i16x8.max_s(b, c)));
      fewest = i16x8.min_s(fewest, i16x8.min_s(a, i16x8.min_s(b, c)));
    }
    let mask = i16x8.bitmask(v128.or(i16x8.gt_s(d, most), i16x8.lt_s(d, fewest)));
    while (mask && row < AROUND + 32) {
      // Of the last level, only what is asked for is made: a fifth of all blurring
      if (row == AROUND + 20 && scale == SCALES) for (let i = -1; i <= 1; i++) blurRow(LAST, y + i, offset - 2, offset + 18);
      for (const end = row + 12; row < end; row += 4) {
        const at = load<i32>(row) + offset - 2;
        const a = v128.load(at), b = v128.load(at, 2), c = v128.load(at, 4);
        most = i16x8.max_s(most, i16x8.max_s(a, i16x8.max_s(b, c)));
        fewest = i16x8.min_s(fewest, i16x8.min_s(a, i16x8.min_s(b, c)));
      }
      mask = i16x8.bitmask(v128.or(i16x8.gt_s(d, most), i16x8.lt_s(d, fewest)));
    }
    while (mask) {
      const lane = ctz(mask);
      mask &= mask - 1;
      if (x + lane < w - MARGIN) refine(scale, x + lane, y);
    }
  }
}

@inline
function value(level: i32, x: i32, y: i32): f32 {
  return <f32>load<i16>(differenceOf(level, y) + x * 2);
}

/** Places a candidate between pixels and scales by a parabola. Candidates on edges are dropped. */
function refine(level: i32, x: i32, y: i32): void {
  const here = FIRST + 1 + level, below = here - 1, above = here + 1;
  const d = value(here, x, y);
  const left = value(here, x - 1, y), right = value(here, x + 1, y);
  const up = value(here, x, y - 1), down = value(here, x, y + 1);
  const under = value(below, x, y), over = value(above, x, y);
  const xx = left + right - 2 * d;
  const yy = up + down - 2 * d;
  const ss = under + over - 2 * d;
  const xy: f32 = 0.25 * (value(here, x + 1, y + 1) - value(here, x - 1, y + 1) - value(here, x + 1, y - 1) + value(here, x - 1, y - 1));
  const trace = xx + yy;
  const determinant = xx * yy - xy * xy;
  if (determinant <= 0 || trace * trace * EDGE_RATIO >= (EDGE_RATIO + 1) * (EDGE_RATIO + 1) * determinant) return;
  const xs: f32 = 0.25 * (value(above, x + 1, y) - value(above, x - 1, y) - value(below, x + 1, y) + value(below, x - 1, y));
  const ys: f32 = 0.25 * (value(above, x, y + 1) - value(above, x, y - 1) - value(below, x, y + 1) + value(below, x, y - 1));
  const gx: f32 = 0.5 * (right - left), gy: f32 = 0.5 * (down - up), gs: f32 = 0.5 * (over - under);
  // Cramer's rule
  const a = yy * ss - ys * ys, b = xs * ys - xy * ss, c = xy * ys - yy * xs;
  const whole = xx * a + xy * b + xs * c;
  if (Mathf.abs(whole) < 1e-6) return;
  let ox = -(gx * a + gy * b + gs * c) / whole;
  let oy = -(gx * b + gy * (xx * ss - xs * xs) + gs * (xs * xy - xx * ys)) / whole;
  let os = -(gx * c + gy * (xs * xy - xx * ys) + gs * determinant) / whole;
  if (Mathf.abs(ox) > 1 || Mathf.abs(oy) > 1 || Mathf.abs(os) > 1) return;
  if (candidates == MOST_CANDIDATES) return;
  const at = CANDIDATES + candidates++ * CANDIDATE;
  const unit = <f32>(1 << octaves);
  store<f32>(at, (<f32>x + ox) * unit);
  store<f32>(at, (<f32>y + oy) * unit, 4);
  store<f32>(at, SIGMA * Mathf.pow(2, (<f32>level + os) / <f32>SCALES) * unit, 8);
  store<f32>(at, Mathf.abs(d + 0.5 * (gx * ox + gy * oy + gs * os)), 12);
  store<i32>(at, octaves, 16);
  store<i32>(at, level, 20);
  store<i32>(at, d > 0 ? 1 : 0, 24);
}

/** Describes selected candidates. Returns the number of features so far: a candidate with two directions has two. */
export function describe(start: i32, end: i32, most: i32): i32 {
  if (start == 0) features = 0;
  const limit = min(most, MOST_FEATURES);
  for (let i = start; i < end && features < limit; i++) {
    const index = load<i32>(SELECTED + i * 4);
    const at = CANDIDATES + index * CANDIDATE;
    const info = LEVELS + load<i32>(at, 16) * 32;
    const unit = <f32>(1 << load<i32>(at, 16));
    const plane = load<i32>(info + (load<i32>(at, 20) - 1) * 4);
    const w = load<i32>(info, 12), h = load<i32>(info, 16), pitch = load<i32>(info, 20) * 2;
    const x = load<f32>(at) / unit, y = load<f32>(at, 4) / unit, sigma = load<f32>(at, 8) / unit;
    touch(plane, pitch, h, x, y, sigma);
    gatherDirections(plane, pitch, w, h, x, y, sigma);
    let highest: f32 = 0;
    for (let bin = 2; bin < 38; bin++) highest = max(highest, load<f32>(HISTOGRAM + bin * 4));
    let directions = 0;
    for (let bin = 2; bin < 38 && directions < 2; bin++) {
      const a = load<f32>(HISTOGRAM + bin * 4 - 4), b = load<f32>(HISTOGRAM + bin * 4), c = load<f32>(HISTOGRAM + bin * 4 + 4);
      if (b < highest * 0.85 || b <= a || b < c || features >= limit) continue;
      directions++;
      const angle: f32 = ((<f32>(bin - 2) + 0.5 * (a - c) / (a - 2 * b + c)) * 2 * Mathf.PI) / 36;
      const out = FEATURES + features * FEATURE;
      store<f32>(out, load<f32>(at));
      store<f32>(out, load<f32>(at, 4), 4);
      store<f32>(out, load<f32>(at, 8), 8);
      store<f32>(out, angle, 12);
      store<i32>(out, load<i32>(at, 24), 16);
      store<i32>(out, index, 20);
      describeOne(plane, pitch, w, h, x, y, sigma, angle);
      features++;
    }
  }
  return features;
}

/** Has the processor cache what a feature is made of, all at once instead of row by row: half of the time was waiting for it. */
function touch(plane: i32, pitch: i32, h: i32, x: f32, y: f32, sigma: f32): void {
  const reach = <i32>(sigma * 7), end = min(<i32>y + reach, h);
  let sum = 0;
  for (let row = max(<i32>y - reach, 0); row < end; row++) {
    const at = plane + row * pitch + (<i32>x << 1);
    sum += load<u8>(at - 2 * reach) + load<u8>(at + 2 * reach);
  }
  // Or the compiler leaves the loads out
  store<i32>(SAMPLES, sum);
}

/** Angles from 0 to 2π, off by at most 0.005. */
@inline
function anglesOf(y: v128, x: v128): v128 {
  const ax = f32x4.abs(x), ay = f32x4.abs(y);
  const a = f32x4.div(f32x4.pmin(ax, ay), f32x4.add(f32x4.pmax(ax, ay), f32x4.splat(1e-9)));
  const s = f32x4.mul(a, a);
  let r = f32x4.add(f32x4.mul(f32x4.splat(-0.0464964749), s), f32x4.splat(0.15931422));
  r = f32x4.sub(f32x4.mul(r, s), f32x4.splat(0.327622764));
  r = f32x4.add(f32x4.mul(f32x4.mul(r, s), a), a);
  const zero = f32x4.splat(0);
  r = v128.bitselect(f32x4.sub(f32x4.splat(1.57079637), r), r, f32x4.gt(ay, ax));
  r = v128.bitselect(f32x4.sub(f32x4.splat(3.14159274), r), r, f32x4.lt(x, zero));
  return v128.bitselect(f32x4.sub(f32x4.splat(6.28318531), r), r, f32x4.lt(y, zero));
}

/** Two 16-bit values at each of four places. */
@inline
function pairsAt(at: v128): v128 {
  let pairs = v128.load32_zero(i32x4.extract_lane(at, 0));
  pairs = v128.load_lane<u32>(i32x4.extract_lane(at, 1), pairs, 1);
  pairs = v128.load_lane<u32>(i32x4.extract_lane(at, 2), pairs, 2);
  return v128.load_lane<u32>(i32x4.extract_lane(at, 3), pairs, 3);
}

@inline
function firstOf(pairs: v128): v128 {
  return i32x4.shr_s(i32x4.shl(pairs, 16), 16);
}

@inline
function secondOf(pairs: v128): v128 {
  return i32x4.shr_s(pairs, 16);
}

function gatherDirections(plane: i32, pitch: i32, w: i32, h: i32, x: f32, y: f32, sigma: f32): void {
  for (let i = 0; i < 160; i += 16) v128.store(HISTOGRAM + i, f32x4.splat(0));
  const step: f32 = sigma * 0.75;
  for (let j = -6; j <= 6; j++) {
    const py = <i32>Mathf.floor(y + <f32>j * step + 0.5);
    if (py < 1 || py >= h - 1) continue;
    const row = plane + py * pitch;
    for (let start = -6; start <= 6; start += 4) {
      const i = i32x4.add(i32x4.splat(start), i32x4(0, 1, 2, 3));
      const r2 = i32x4.add(i32x4.mul(i, i), i32x4.splat(j * j));
      const px = i32x4.trunc_sat_f32x4_s(
        f32x4.floor(
          f32x4.add(
            f32x4.add(f32x4.splat(x), f32x4.mul(f32x4.convert_i32x4_s(i), f32x4.splat(step))),
            f32x4.splat(0.5),
          ),
        ),
      );
      let mask = i32x4.bitmask(
        v128.and(
          i32x4.le_s(r2, i32x4.splat(36)),
          v128.and(i32x4.ge_s(px, i32x4.splat(1)), i32x4.lt_s(px, i32x4.splat(w - 1))),
        ),
      );
      if (!mask) continue;
      // Samples outside are read, too, but do not count
      const inside = i32x4.min_s(i32x4.max_s(px, i32x4.splat(1)), i32x4.splat(w - 2));
      const at = i32x4.add(i32x4.splat(row), i32x4.shl(inside, 1));
      const two = i32x4.splat(2), rows = i32x4.splat(pitch);
      const gx = f32x4.convert_i32x4_s(i32x4.sub(firstOf(pairsAt(i32x4.add(at, two))), firstOf(pairsAt(i32x4.sub(at, two)))));
      const gy = f32x4.convert_i32x4_s(i32x4.sub(firstOf(pairsAt(i32x4.add(at, rows))), firstOf(pairsAt(i32x4.sub(at, rows)))));
      const length = f32x4.sqrt(f32x4.add(f32x4.mul(gx, gx), f32x4.mul(gy, gy)));
      const strength = f32x4.mul(
        length,
        f32x4.sub(f32x4.splat(1), f32x4.mul(f32x4.convert_i32x4_s(r2), f32x4.splat(<f32>(1 / 40.0)))),
      );
      const bin = f32x4.mul(anglesOf(gy, gx), f32x4.splat(36 / (2 * Mathf.PI)));
      const lower = f32x4.floor(bin), part = f32x4.sub(bin, lower);
      v128.store(SAMPLES, i32x4.trunc_sat_f32x4_s(lower));
      v128.store(SAMPLES, f32x4.mul(strength, f32x4.sub(f32x4.splat(1), part)), 16);
      v128.store(SAMPLES, f32x4.mul(strength, part), 32);
      for (; mask; mask &= mask - 1) {
        const lane = SAMPLES + (ctz(mask) << 2);
        let slot = load<i32>(lane);
        if (slot >= 36) slot -= 36;
        const to = HISTOGRAM + 8 + slot * 4;
        store<f32>(to, load<f32>(to) + load<f32>(lane, 16));
        const next = slot == 35 ? HISTOGRAM + 8 : to + 4;
        store<f32>(next, load<f32>(next) + load<f32>(lane, 32));
      }
    }
  }
  const quarter = f32x4.splat(0.25), half = f32x4.splat(0.5);
  for (let pass = 0; pass < 3; pass++) {
    wrapHistogram();
    let before = v128.load(HISTOGRAM + 4);
    for (let bin = HISTOGRAM + 8; bin < HISTOGRAM + 152; bin += 16) {
      const here = v128.load(bin), after = v128.load(bin, 4), next = v128.load(bin, 12);
      v128.store(
        bin,
        f32x4.add(f32x4.add(f32x4.mul(quarter, before), f32x4.mul(half, here)), f32x4.mul(quarter, after)),
      );
      before = next;
    }
  }
  wrapHistogram();
}

function wrapHistogram(): void {
  store<f32>(HISTOGRAM, load<f32>(HISTOGRAM + 36 * 4));
  store<f32>(HISTOGRAM + 4, load<f32>(HISTOGRAM + 37 * 4));
  store<f32>(HISTOGRAM + 38 * 4, load<f32>(HISTOGRAM + 2 * 4));
  store<f32>(HISTOGRAM + 39 * 4, load<f32>(HISTOGRAM + 3 * 4));
}

// pmin and pmax, not min and max, which care for numbers that are none: one instruction instead of eight.
function describeOne(plane: i32, pitch: i32, w: i32, h: i32, x: f32, y: f32, sigma: f32, angle: f32): void {
  const step: f32 = sigma * 0.75;
  const ux = Mathf.cos(angle) * step, uy = Mathf.sin(angle) * step;
  const right = f32x4.splat(<f32>(w - 2)), bottom = f32x4.splat(<f32>(h - 2));
  const zero = f32x4.splat(0);
  for (let j = 0; j < 18; j++) {
    const v = <f32>j - 8.5;
    const vy = f32x4.splat(v * uy), vx = f32x4.splat(v * ux);
    // Two columns more than are needed
    for (let i = 0; i < 20; i += 4) {
      const u = f32x4.add(f32x4.splat(<f32>i - 8.5), f32x4(0, 1, 2, 3));
      const px = f32x4.pmin(f32x4.pmax(zero, f32x4.sub(f32x4.add(f32x4.splat(x), f32x4.mul(u, f32x4.splat(ux))), vy)), right);
      const py = f32x4.pmin(f32x4.pmax(zero, f32x4.add(f32x4.add(f32x4.splat(y), f32x4.mul(u, f32x4.splat(uy))), vx)), bottom);
      const ix = i32x4.trunc_sat_f32x4_s(px), iy = i32x4.trunc_sat_f32x4_s(py);
      const fx = f32x4.sub(px, f32x4.convert_i32x4_s(ix)), fy = f32x4.sub(py, f32x4.convert_i32x4_s(iy));
      const at = i32x4.add(
        i32x4.splat(plane),
        i32x4.add(i32x4.mul(iy, i32x4.splat(pitch)), i32x4.shl(ix, 1)),
      );
      const upper = pairsAt(at), lower = pairsAt(i32x4.add(at, i32x4.splat(pitch)));
      const a = f32x4.convert_i32x4_s(firstOf(upper)), b = f32x4.convert_i32x4_s(secondOf(upper));
      const c = f32x4.convert_i32x4_s(firstOf(lower)), d = f32x4.convert_i32x4_s(secondOf(lower));
      const top = f32x4.add(a, f32x4.mul(f32x4.sub(b, a), fx));
      const low = f32x4.add(c, f32x4.mul(f32x4.sub(d, c), fx));
      v128.store(PATCH + (j * 20 + i) * 4, f32x4.add(top, f32x4.mul(f32x4.sub(low, top), fy)));
    }
  }
  for (let i = 0; i < VALUES; i += 4) v128.store(CELLS + i * 4, zero);
  const half = f32x4.splat(<f32>Math.SQRT1_2);
  for (let j = 0; j < 16; j++) {
    // The squares of the gradients along four directions and, negative, against them
    for (let i = 0; i < 16; i += 4) {
      const at = PATCH + ((j + 1) * 20 + i + 1) * 4;
      const gx = f32x4.sub(v128.load(at, 4), v128.load(at - 4));
      const gy = f32x4.sub(v128.load(at, 80), v128.load(at - 80));
      const m = f32x4.div(
        f32x4.splat(1),
        f32x4.add(f32x4.sqrt(f32x4.add(f32x4.mul(gx, gx), f32x4.mul(gy, gy))), f32x4.splat(1e-3)),
      );
      const a = squared(gx, m), b = squared(f32x4.mul(f32x4.add(gx, gy), half), m);
      const c = squared(gy, m), d = squared(f32x4.mul(f32x4.sub(gy, gx), half), m);
      const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
      v128.store(SAMPLES + i * 16, v128.shuffle<u64>(ab, cd, 0, 2));
      v128.store(SAMPLES + i * 16, v128.shuffle<u64>(ab, cd, 1, 3), 16);
      const ef = v128.shuffle<f32>(a, b, 2, 6, 3, 7), gh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      v128.store(SAMPLES + i * 16, v128.shuffle<u64>(ef, gh, 0, 2), 32);
      v128.store(SAMPLES + i * 16, v128.shuffle<u64>(ef, gh, 1, 3), 48);
    }
    // Cells are four samples apart; each sample counts in the two that are nearest.
    for (let cell = 0; cell < 4; cell++) {
      let positive = zero, negative = zero;
      const end = min(cell * 4 + 6, 16);
      for (let i = max(cell * 4 - 2, 0); i < end; i++) {
        const sample = v128.load(SAMPLES + i * 16);
        const share = v128.load32_splat(POOL + (i * 4 + cell) * 4);
        positive = f32x4.add(positive, f32x4.mul(share, f32x4.pmax(zero, sample)));
        negative = f32x4.add(negative, f32x4.mul(share, f32x4.pmax(zero, f32x4.neg(sample))));
      }
      for (let row = 0; row < 4; row++) {
        const share = load<f32>(POOL + (j * 4 + row) * 4);
        if (share == 0) continue;
        const to = CELLS + row * 128 + cell * 32;
        accumulate(to, positive, f32x4.splat(share));
        accumulate(to + 16, negative, f32x4.splat(share));
      }
    }
  }
  let sum = zero;
  for (let i = 0; i < VALUES * 4; i += 16) sum = f32x4.add(sum, v128.load(CELLS + i));
  const total = f32x4.splat(f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3) + 1e-6);
  const raw = RAW + features * VALUES;
  for (let i = 0; i < VALUES; i += 8) {
    const levels = i16x8.min_u(i16x8.narrow_i32x4_u(levelsAt(i, total), levelsAt(i + 4, total)), i16x8.splat(255));
    v128.store(WIDE + i * 2, levels);
    v128.store_lane<u64>(raw + i, i8x16.narrow_i16x8_u(levels, levels), 0);
  }
  project(CODES + features * (BITS / 8));
}

@inline
function squared(g: v128, m: v128): v128 {
  return f32x4.mul(f32x4.mul(g, f32x4.abs(g)), m);
}

/** Roots of shares, which are at most 1, times 512. */
@inline
function levelsAt(i: i32, total: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.sqrt(f32x4.div(v128.load(CELLS + i * 4), total)), f32x4.splat(512)));
}

@inline
function accumulate(to: i32, what: v128, share: v128): void {
  v128.store(to, f32x4.add(v128.load(to), f32x4.mul(what, share)));
}

/** The signs of the scalar products of the values and the rows of the projection: four rows at once. */
function project(to: i32): void {
  let word: u32 = 0;
  for (let bit = 0; bit < BITS; bit += 4) {
    const row = PROJECTION + bit * VALUES;
    let a = i32x4.splat(0), b = i32x4.splat(0), c = i32x4.splat(0), d = i32x4.splat(0);
    for (let i = 0; i < VALUES; i += 8) {
      const values = v128.load(WIDE + i * 2);
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load8x8_s(row + i), values));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load8x8_s(row + i, VALUES), values));
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load8x8_s(row + i, 2 * VALUES), values));
      d = i32x4.add(d, i32x4.dot_i16x8_s(v128.load8x8_s(row + i, 3 * VALUES), values));
    }
    const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
    const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
    const totals = i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
    word = (word >> 4) | (<u32>i32x4.bitmask(i32x4.gt_s(totals, v128.load(BIASES + bit * 4))) << 28);
    if ((bit & 28) == 28) store<u32>(to + ((bit >> 5) << 2), word);
  }
}
