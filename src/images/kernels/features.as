/*
 * Local features of a grey picture, in AssemblyScript.
 *
 *  1. startDetection(), then detectPart() until it is done: a Gaussian pyramid of OCTAVES of three scales, 16-bit fixed point (grey · 64), and the extremes of its
 *     differences in place and scale (Lowe 2004, "Distinctive image features from scale-invariant keypoints").
 *  2. The caller selects candidates.
 *  3. describe(): of each selected one the main directions; in that frame 16 x 16 gradients pooled into 4 x 4 cells of 8
 *     directions; square roots of the shares (Arandjelović and Zisserman 2012); and BITS signs of learned projections.
 */
const SCALES: i32 = 3;
const MOST_OCTAVES: i32 = 6;
const MOST_CANDIDATES: i32 = 16384;
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
const LINE: i32 = ROWS + 1024; // one row, 16 pixels of margin on both sides
const LEVELS: i32 = LINE + MOST_WIDTH * 2 + 128; // address of each kept plane, then width, height, stride of each octave
const PATCH: i32 = LEVELS + 1024; // 18 x 18 f32, padded to 20
const CELLS: i32 = PATCH + 20 * 18 * 4;
const POOL: i32 = CELLS + VALUES * 4; // 16 x 4 f32: the share of a sample in a row or column of cells
const HISTOGRAM: i32 = POOL + 256; // 36 f32, with two more on both sides
const WIDE: i32 = HISTOGRAM + 256; // 128 i16
const PROJECTION: i32 = WIDE + 256; // BITS x 128 i8
const BIASES: i32 = PROJECTION + BITS * VALUES; // BITS i32
const CANDIDATES: i32 = 196608;
const SELECTED: i32 = CANDIDATES + MOST_CANDIDATES * CANDIDATE;
const FEATURES: i32 = SELECTED + MOST_CANDIDATES * 4;
const RAW: i32 = FEATURES + MOST_FEATURES * FEATURE;
const CODES: i32 = RAW + MOST_FEATURES * VALUES;
const INPUT: i32 = CODES + MOST_FEATURES * (BITS / 8);

export function inputAt(): i32 { return INPUT; }
export function candidatesAt(): i32 { return CANDIDATES; }
export function selectedAt(): i32 { return SELECTED; }
export function featuresAt(): i32 { return FEATURES; }
export function rawAt(): i32 { return RAW; }
export function codesAt(): i32 { return CODES; }
export function projectionAt(): i32 { return PROJECTION; }
export function biasesAt(): i32 { return BIASES; }

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

/** Makes room for a picture; returns where its grey pixels go. */
export function begin(w: i32, h: i32): i32 {
  if (!ready) makeTables();
  width = w;
  height = h;
  const stride = ((w + 7) & ~7) + 8;
  const plane = stride * (h + 1) * 2;
  base = (INPUT + w * h + 63) & ~15;
  const need = base + plane * 8 + plane * 5;
  const pages = (need + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  return INPUT;
}

function blur(from: i32, to: i32, w: i32, h: i32, stride: i32, kernel: i32): void {
  const radius = load<i32>(kernel);
  const centre = v128.load16_splat(kernel + 4);
  const pitch = stride * 2;
  for (let y = 0; y < h; y++) {
    for (let i = 1; i <= radius; i++) {
      store<i32>(ROWS + i * 8, from + max(y - i, 0) * pitch);
      store<i32>(ROWS + i * 8, from + min(y + i, h - 1) * pitch, 4);
    }
    const row = from + y * pitch;
    const end = w * 2;
    for (let x = 0; x < end; x += 32) {
      let s0 = i16x8.q15mulr_sat_s(v128.load(row + x), centre);
      let s1 = i16x8.q15mulr_sat_s(v128.load(row + x, 16), centre);
      for (let i = 1; i <= radius; i++) {
        const up = load<i32>(ROWS + i * 8) + x;
        const down = load<i32>(ROWS + i * 8, 4) + x;
        const share = v128.load16_splat(kernel + i * 2, 4);
        s0 = i16x8.add(s0, i16x8.q15mulr_sat_s(i16x8.add(v128.load(up), v128.load(down)), share));
        s1 = i16x8.add(s1, i16x8.q15mulr_sat_s(i16x8.add(v128.load(up, 16), v128.load(down, 16)), share));
      }
      v128.store(LINE + 32 + x, s0);
      v128.store(LINE + 32 + x, s1, 16);
    }
    const left = v128.load16_splat(LINE + 32);
    v128.store(LINE, left);
    v128.store(LINE, left, 16);
    const right = v128.load16_splat(LINE + 32 + end - 2);
    v128.store(LINE + 32 + end, right);
    v128.store(LINE + 32 + end, right, 16);
    const out = to + y * pitch;
    for (let x = 0; x < end; x += 16) {
      const at = LINE + 32 + x;
      let sum = i16x8.q15mulr_sat_s(v128.load(at), centre);
      for (let i = 1; i <= radius; i++) {
        const share = v128.load16_splat(kernel + i * 2, 4);
        sum = i16x8.add(sum, i16x8.q15mulr_sat_s(i16x8.add(v128.load(at - i * 2), v128.load(at + i * 2)), share));
      }
      v128.store(out + x, sum);
    }
  }
}

function subtract(a: i32, b: i32, to: i32, bytes: i32): void {
  for (let i = 0; i < bytes; i += 16) v128.store(to + i, i16x8.sub(v128.load(a + i), v128.load(b + i)));
}

function halve(from: i32, w: i32, h: i32, stride: i32, to: i32, toStride: i32): void {
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      store<i16>(to + (y * toStride + x) * 2, load<i16>(from + (2 * y * stride + 2 * x) * 2));
    }
  }
}

// Where the detection stands
let contrast: i32 = 0;
let level: i32 = 0;
let w: i32 = 0;
let h: i32 = 0;
let stride: i32 = 0;
let plane: i32 = 0;
let next: i32 = 0;
let from: i32 = 0;
// Planes of one octave: its first level, the two above the kept levels, five differences
let first: i32 = 0;
let fourth: i32 = 0;
let fifth: i32 = 0;
let differences: i32 = 0;

/** Begins to look for candidates with at least this contrast, in 1/64 of a grey level. */
export function startDetection(least: i32): void {
  contrast = least;
  candidates = 0;
  octaves = 0;
  level = 0;
  w = width;
  h = height;
  stride = ((w + 7) & ~7) + 8;
  plane = stride * (h + 1) * 2;
  first = base;
  fourth = first + plane;
  fifth = fourth + plane;
  differences = fifth + plane;
  next = differences + plane * 5;
  for (let y = 0; y < h; y++) {
    const row = fifth + y * stride * 2;
    for (let x = 0; x < w; x++) store<i16>(row + x * 2, <i16>(<i32>load<u8>(INPUT + y * w + x) << 6));
  }
  blur(fifth, first, w, h, stride, KERNELS);
}

/** Does the next part of the detection, about 1 ms of work. Returns the number of candidates when it is done, before that -1. */
export function detectPart(): i32 {
  if (octaves == MOST_OCTAVES || min(w, h) < 20) return candidates;
  const bytes = stride * h * 2;
  const info = LEVELS + octaves * 32;
  if (level == 0) {
    store<i32>(info, w, 12);
    store<i32>(info, h, 16);
    store<i32>(info, stride, 20);
    from = first;
  }
  level++;
  if (level < SCALES + 3) {
    let to = level == 4 ? fourth : fifth;
    if (level <= SCALES) {
      to = next;
      next += bytes;
      store<i32>(info + (level - 1) * 4, to);
    }
    blur(from, to, w, h, stride, KERNELS + level * 64);
    subtract(to, from, differences + (level - 1) * plane, bytes);
    from = to;
    return -1;
  }
  const searched = level - SCALES - 2;
  search(differences, plane, searched, w, h, stride, contrast);
  if (searched < SCALES) return -1;
  const half = w >> 1;
  const toStride = ((half + 7) & ~7) + 8;
  halve(load<i32>(info + (SCALES - 1) * 4), half, h >> 1, stride, first, toStride);
  w = half;
  h >>= 1;
  stride = toStride;
  level = 0;
  octaves++;
  return -1;
}

function search(differences: i32, plane: i32, level: i32, w: i32, h: i32, stride: i32, contrast: i32): void {
  const least = i16x8.splat(<i16>contrast);
  const pitch = stride * 2;
  const below = differences + (level - 1) * plane;
  const here = differences + level * plane;
  const above = differences + (level + 1) * plane;
  for (let y = MARGIN; y < h - MARGIN; y++) {
    for (let x = MARGIN; x < w - MARGIN; x += 8) {
      const offset = y * pitch + x * 2;
      const at = here + offset;
      const d = v128.load(at);
      if (!v128.any_true(i16x8.gt_s(i16x8.abs(d), least))) continue;
      const l = v128.load(at - 2);
      const r = v128.load(at, 2);
      let most = i16x8.max_s(l, r);
      let fewest = i16x8.min_s(l, r);
      for (let row = at - pitch; row <= at + pitch; row += pitch * 2) {
        const a = v128.load(row - 2), b = v128.load(row), c = v128.load(row, 2);
        most = i16x8.max_s(most, i16x8.max_s(a, i16x8.max_s(b, c)));
        fewest = i16x8.min_s(fewest, i16x8.min_s(a, i16x8.min_s(b, c)));
      }
      let high = v128.and(i16x8.gt_s(d, most), i16x8.gt_s(d, least));
      let low = v128.and(i16x8.lt_s(d, fewest), i16x8.lt_s(d, i16x8.neg(least)));
      if (!v128.any_true(v128.or(high, low))) continue;
      for (let other = below; other <= above; other += plane * 2) {
        const middle = other + offset;
        for (let row = middle - pitch; row <= middle + pitch; row += pitch) {
          const a = v128.load(row - 2), b = v128.load(row), c = v128.load(row, 2);
          most = i16x8.max_s(most, i16x8.max_s(a, i16x8.max_s(b, c)));
          fewest = i16x8.min_s(fewest, i16x8.min_s(a, i16x8.min_s(b, c)));
        }
      }
      high = v128.and(high, i16x8.gt_s(d, most));
      low = v128.and(low, i16x8.lt_s(d, fewest));
      let mask = i16x8.bitmask(v128.or(high, low));
      while (mask) {
        const lane = ctz(mask);
        mask &= mask - 1;
        if (x + lane < w - MARGIN) refine(below, here, above, pitch, x + lane, y, level);
      }
    }
  }
}

@inline
function value(plane: i32, pitch: i32, x: i32, y: i32): f32 {
  return <f32>load<i16>(plane + y * pitch + x * 2);
}

/** Adds a candidate, placed between pixels and scales by a parabola, unless it lies on an edge. */
function refine(below: i32, here: i32, above: i32, pitch: i32, x: i32, y: i32, level: i32): void {
  const d = value(here, pitch, x, y);
  const left = value(here, pitch, x - 1, y), right = value(here, pitch, x + 1, y);
  const up = value(here, pitch, x, y - 1), down = value(here, pitch, x, y + 1);
  const under = value(below, pitch, x, y), over = value(above, pitch, x, y);
  const xx = left + right - 2 * d;
  const yy = up + down - 2 * d;
  const ss = under + over - 2 * d;
  const xy: f32 = 0.25 * (value(here, pitch, x + 1, y + 1) - value(here, pitch, x - 1, y + 1) - value(here, pitch, x + 1, y - 1) + value(here, pitch, x - 1, y - 1));
  const trace = xx + yy;
  const determinant = xx * yy - xy * xy;
  if (determinant <= 0 || trace * trace * EDGE_RATIO >= (EDGE_RATIO + 1) * (EDGE_RATIO + 1) * determinant) return;
  const xs: f32 = 0.25 * (value(above, pitch, x + 1, y) - value(above, pitch, x - 1, y) - value(below, pitch, x + 1, y) + value(below, pitch, x - 1, y));
  const ys: f32 = 0.25 * (value(above, pitch, x, y + 1) - value(above, pitch, x, y - 1) - value(below, pitch, x, y + 1) + value(below, pitch, x, y - 1));
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

/** Describes some of the selected candidates, in order. Returns the number of features so far: a candidate with two directions has two. */
export function describe(start: i32, end: i32, most: i32): i32 {
  if (start == 0) features = 0;
  for (let i = start; i < end; i++) {
    const index = load<i32>(SELECTED + i * 4);
    const at = CANDIDATES + index * CANDIDATE;
    const info = LEVELS + load<i32>(at, 16) * 32;
    const unit = <f32>(1 << load<i32>(at, 16));
    const plane = load<i32>(info + (load<i32>(at, 20) - 1) * 4);
    const w = load<i32>(info, 12), h = load<i32>(info, 16), pitch = load<i32>(info, 20) * 2;
    const x = load<f32>(at) / unit, y = load<f32>(at, 4) / unit, sigma = load<f32>(at, 8) / unit;
    gatherDirections(plane, pitch, w, h, x, y, sigma);
    let highest: f32 = 0;
    for (let bin = 2; bin < 38; bin++) highest = max(highest, load<f32>(HISTOGRAM + bin * 4));
    let directions = 0;
    for (let bin = 2; bin < 38 && directions < 2; bin++) {
      const a = load<f32>(HISTOGRAM + bin * 4 - 4), b = load<f32>(HISTOGRAM + bin * 4), c = load<f32>(HISTOGRAM + bin * 4 + 4);
      if (b < highest * 0.85 || b <= a || b < c || features >= min(most, MOST_FEATURES)) continue;
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

/** An angle from 0 to 2π, off by at most 0.005. */
@inline
function angleOf(y: f32, x: f32): f32 {
  const ax = Mathf.abs(x), ay = Mathf.abs(y);
  const a = min(ax, ay) / (max(ax, ay) + 1e-9);
  const s = a * a;
  let r: f32 = ((-0.0464964749 * s + 0.15931422) * s - 0.327622764) * s * a + a;
  if (ay > ax) r = 1.57079637 - r;
  if (x < 0) r = 3.14159274 - r;
  if (y < 0) r = 6.28318531 - r;
  return r;
}

function gatherDirections(plane: i32, pitch: i32, w: i32, h: i32, x: f32, y: f32, sigma: f32): void {
  for (let i = 0; i < 40; i++) store<f32>(HISTOGRAM + i * 4, 0);
  const step: f32 = sigma * 0.75;
  for (let j = -6; j <= 6; j++) {
    const py = <i32>Mathf.floor(y + <f32>j * step + 0.5);
    if (py < 1 || py >= h - 1) continue;
    for (let i = -6; i <= 6; i++) {
      const r2 = i * i + j * j;
      if (r2 > 36) continue;
      const px = <i32>Mathf.floor(x + <f32>i * step + 0.5);
      if (px < 1 || px >= w - 1) continue;
      const at = plane + py * pitch + px * 2;
      const gx = <f32>(<i32>load<i16>(at, 2) - <i32>load<i16>(at - 2));
      const gy = <f32>(<i32>load<i16>(at + pitch) - <i32>load<i16>(at - pitch));
      const strength = Mathf.sqrt(gx * gx + gy * gy) * (1 - <f32>r2 * <f32>(1 / 40.0));
      const bin: f32 = angleOf(gy, gx) * (36 / (2 * Mathf.PI));
      const lower = Mathf.floor(bin), part = bin - lower;
      const slot = HISTOGRAM + 8 + (<i32>lower % 36) * 4;
      store<f32>(slot, load<f32>(slot) + strength * (1 - part));
      const upper = HISTOGRAM + 8 + ((<i32>lower + 1) % 36) * 4;
      store<f32>(upper, load<f32>(upper) + strength * part);
    }
  }
  for (let pass = 0; pass < 3; pass++) {
    wrapHistogram();
    let before = load<f32>(HISTOGRAM + 4);
    for (let bin = 2; bin < 38; bin++) {
      const here = load<f32>(HISTOGRAM + bin * 4);
      store<f32>(HISTOGRAM + bin * 4, 0.25 * before + 0.5 * here + 0.25 * load<f32>(HISTOGRAM + bin * 4 + 4));
      before = here;
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

function describeOne(plane: i32, pitch: i32, w: i32, h: i32, x: f32, y: f32, sigma: f32, angle: f32): void {
  const step: f32 = sigma * 0.75;
  const ux = Mathf.cos(angle) * step, uy = Mathf.sin(angle) * step;
  const right = <f32>(w - 2), bottom = <f32>(h - 2);
  for (let j = 0; j < 18; j++) {
    const v = <f32>j - 8.5;
    for (let i = 0; i < 18; i++) {
      const u = <f32>i - 8.5;
      const px = min(max(x + u * ux - v * uy, 0), right);
      const py = min(max(y + u * uy + v * ux, 0), bottom);
      const ix = <i32>px, iy = <i32>py;
      const fx = px - <f32>ix, fy = py - <f32>iy;
      const at = plane + iy * pitch + ix * 2;
      const a = <f32>load<i16>(at), b = <f32>load<i16>(at, 2);
      const c = <f32>load<i16>(at + pitch), d = <f32>load<i16>(at + pitch, 2);
      const top = a + (b - a) * fx;
      store<f32>(PATCH + (j * 20 + i) * 4, top + (c + (d - c) * fx - top) * fy);
    }
  }
  for (let i = 0; i < VALUES; i += 4) v128.store(CELLS + i * 4, f32x4.splat(0));
  const zero = f32x4.splat(0);
  for (let j = 0; j < 16; j++) {
    let p0 = zero, p1 = zero, p2 = zero, p3 = zero, n0 = zero, n1 = zero, n2 = zero, n3 = zero;
    for (let i = 0; i < 16; i++) {
      const at = PATCH + ((j + 1) * 20 + i + 1) * 4;
      const gx = load<f32>(at, 4) - load<f32>(at - 4);
      const gy = load<f32>(at, 80) - load<f32>(at - 80);
      const m: f32 = 1 / (Mathf.sqrt(gx * gx + gy * gy) + 1e-3);
      const half = <f32>Math.SQRT1_2;
      const g = f32x4(gx, (gx + gy) * half, gy, (gy - gx) * half);
      const squared = f32x4.mul(f32x4.mul(g, f32x4.abs(g)), f32x4.splat(m));
      const positive = f32x4.max(squared, zero), negative = f32x4.max(f32x4.neg(squared), zero);
      const pool = POOL + i * 16;
      const w0 = v128.load32_splat(pool), w1 = v128.load32_splat(pool, 4), w2 = v128.load32_splat(pool, 8), w3 = v128.load32_splat(pool, 12);
      p0 = f32x4.add(p0, f32x4.mul(w0, positive)); n0 = f32x4.add(n0, f32x4.mul(w0, negative));
      p1 = f32x4.add(p1, f32x4.mul(w1, positive)); n1 = f32x4.add(n1, f32x4.mul(w1, negative));
      p2 = f32x4.add(p2, f32x4.mul(w2, positive)); n2 = f32x4.add(n2, f32x4.mul(w2, negative));
      p3 = f32x4.add(p3, f32x4.mul(w3, positive)); n3 = f32x4.add(n3, f32x4.mul(w3, negative));
    }
    for (let cell = 0; cell < 4; cell++) {
      if (load<f32>(POOL + (j * 4 + cell) * 4) == 0) continue;
      const share = v128.load32_splat(POOL + (j * 4 + cell) * 4);
      const to = CELLS + cell * 128;
      accumulate(to, p0, share); accumulate(to + 16, n0, share);
      accumulate(to + 32, p1, share); accumulate(to + 48, n1, share);
      accumulate(to + 64, p2, share); accumulate(to + 80, n2, share);
      accumulate(to + 96, p3, share); accumulate(to + 112, n3, share);
    }
  }
  let sum = zero;
  for (let i = 0; i < VALUES * 4; i += 16) sum = f32x4.add(sum, v128.load(CELLS + i));
  const total = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3) + 1e-6;
  const raw = RAW + features * VALUES;
  for (let i = 0; i < VALUES; i++) {
    const level = min(<i32>(Mathf.sqrt(load<f32>(CELLS + i * 4) / total) * 512), 255);
    store<u8>(raw + i, <u8>level);
    store<i16>(WIDE + i * 2, <i16>level);
  }
  project(CODES + features * (BITS / 8));
}

@inline
function accumulate(to: i32, what: v128, share: v128): void {
  v128.store(to, f32x4.add(v128.load(to), f32x4.mul(what, share)));
}

function project(to: i32): void {
  let word: u32 = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const row = PROJECTION + bit * VALUES;
    let sum = i32x4.splat(0);
    for (let i = 0; i < VALUES; i += 16) {
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(row + i), v128.load(WIDE + i * 2)));
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(row + i, 8), v128.load(WIDE + i * 2, 16)));
    }
    const total = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
    word = (word >> 1) | (total > load<i32>(BIASES + bit * 4) ? 0x80000000 : 0);
    if ((bit & 31) == 31) store<u32>(to + ((bit >> 5) << 2), word);
  }
}
