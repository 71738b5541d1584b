/*
 * Structural similarity, in AssemblyScript: prepares thumbnails, makes sketches of them, and compares.
 *
 * A prepared image has WINDOWS windows per plane, in the order full, right or bottom edge, corner. Of each window it
 * has the pixels, the sum S of the pixels, and D = n·ΣP² - S² with n the number of pixels: all of them integers, so
 * that nothing is lost. With E = n·ΣPQ - S·S', the score of image-ssim for a window of two images is
 *
 *     (2SS' + C1·n²) (2E + C2·n(n-1))  /  (S² + S'² + C1·n²) (D + D' + C2·n(n-1))
 *
 * and, because E is at most √(DD'), it cannot be above the same with √(DD') in the place of E.
 *
 * A sketch keeps four bytes of each window: enough to tell, mostly, that a score cannot reach a threshold. Let x and y be
 * the pixels of two windows less their means, c = C2(n-1), and X = (gx, gy, r, √(c/2)), where gx and gy are the two
 * lowest cosine coefficients of x, and r is the norm of what they leave of it. Then
 *
 *  1. the structure term (2⟨x,y⟩ + c) / (|x|² + |y|² + c) is at most f(X, Y) = 2⟨X,Y⟩ / (|X|² + |Y|²), by Cauchy-Schwarz
 *     on what is left; and the luminance term is f(A, B) with A = (mean, √(C1/2)), which is positive;
 *  2. f(X, Y) = cos∠(X,Y) · sech ln(|X|/|Y|): when X is replaced by X', the cosine changes by at most the length of
 *     X/|X| - X'/|X'|, the other factor by at most ½|ln(|X|/|X'|)|, whatever Y is. Both factors are at most 1. |ln q| is at most
 *     |sinh ln q| = ½|q - 1/q|, which is computed faster, and nearly the same where q is nearly 1;
 *  3. so taking the coded X' and A' for X and A changes the product of both terms by at most the sum of these four. The
 *     encoder adds them up over all windows: that is the sketch's slack. Slack and a margin for 32-bit floats are added to
 *     what the codes give, and the sum is at least the score, for whatever other image.
 */

const SIDE: i32 = 256;
const WINDOWS: i32 = 1849; // 43 x 43 windows of 6 x 6 pixels in 256 x 256
const FULL: i32 = 1764; // 42 x 42 of 36 pixels
const FULL_AND_EDGE: i32 = 1848; // then 2 x 42 of 24, and one of 16
const PLANES: i32 = 3;
const PIXELS: i32 = 36;
const WIDE_PIXELS: i32 = 40; // a window of the query: 16 bits a pixel, padded with zeros

const C1: f64 = (0.01 * 255) * (0.01 * 255);
const C2: f64 = (0.03 * 255) * (0.03 * 255);

/** Error of a window's bound, which is computed in 32-bit floats. */
const MARGIN: f64 = 1e-5;
/** After so many windows, checks whether the rest can still reach the threshold. */
const STRIDE: i32 = 128;

// A sketch: groups of 16 windows, of each group 16 means, 16 norms, 16 gx, 16 gy. The full windows fill 110¼ groups, those
// at the edge 5¼: the rest is padding, of which every window counts 1. The corner is not kept, and counts 1.
const FULL_GROUPS: i32 = 111;
const GROUPS: i32 = 117;
const GROUP_BYTES: i32 = 64;
const SKETCH_PLANE_BYTES: i32 = GROUPS * GROUP_BYTES;
const PADDING: i32 = GROUPS * 16 - FULL_AND_EDGE;
const GROUP_STRIDE: i32 = 12; // likewise
/** Above the norm of any window: 36 pixels, half of them 0 and half of them 255, have 765.7. */
const MOST_NORM: f64 = 768;
/** gx and gy are coded as a part of the norm, in steps of 1/127. */
const STEPS: f64 = 127;
/** The query's sketch: for each 4 windows 255·mean, 2gx/127, 2gy/127, 2r and |X|², 4 floats each. */
const QUERY_STEP: i32 = 80;
const QUERY_PLANE_BYTES: i32 = GROUPS * 4 * QUERY_STEP;

// Memory: an image as it is prepared, then the query's, the bounds of windows, both sketches, a thumbnail.
export const SPREADS: i32 = 0;
export const SUMS: i32 = SPREADS + PLANES * WINDOWS * 4;
export const WINDOW_PIXELS: i32 = SUMS + PLANES * WINDOWS * 2;
const QUERY_SPREADS: i32 = 262144;
const QUERY_SUMS: i32 = QUERY_SPREADS + PLANES * WINDOWS * 4;
const QUERY_PIXELS: i32 = 327680;
const BOUNDS: i32 = 786432;
export const QUERY_SKETCH: i32 = 851968;
export const SKETCH: i32 = 983040;
export const THUMBNAIL: i32 = 1048576; // up to 1245184, which is 19 pages

/** Upper bound of the score times the number of windows. */
let bound: f64 = 0;

/** Prepares a thumbnail of R, G and B. Returns whether it is grey: then only one plane is prepared. */
export function prepare(): bool {
  const grey = isGrey();
  const planes = grey ? 1 : PLANES;
  for (let plane = 0; plane < planes; plane++) {
    const first = plane * WINDOWS;
    for (let row = 0; row < 42; row++) {
      for (let column = 0; column < 42; column++) {
        prepareFull(first + row * 42 + column, plane, column * 6, row * 6);
      }
      prepareWindow(first + FULL + row, plane, 252, row * 6, 4, 6);
      prepareWindow(first + FULL + 42 + row, plane, row * 6, 252, 6, 4);
    }
    prepareWindow(first + FULL_AND_EDGE, plane, 252, 252, 4, 4);
  }
  return grey;
}

function isGrey(): bool {
  for (let at = THUMBNAIL; at < THUMBNAIL + SIDE * SIDE * PLANES; at += PLANES) {
    const red = load<u8>(at);
    if (red != load<u8>(at + 1) || red != load<u8>(at + 2)) return false;
  }
  return true;
}

/** Six pixels of a row, and two zeros. */
@inline
function sixOf(row: i32): v128 {
  const zero = i32x4.splat(0);
  return v128.shuffle<u8>(v128.load(row), zero, 0, 3, 6, 9, 12, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16);
}

@inline
function prepareFull(window: i32, plane: i32, x: i32, y: i32): void {
  const to = WINDOW_PIXELS + window * PIXELS;
  let from = THUMBNAIL + (y * SIDE + x) * PLANES + plane;
  let six = sixOf(from);
  let wide = i16x8.extend_low_i8x16_u(six);
  let sums = wide;
  let squares = i32x4.dot_i16x8_s(wide, wide);
  for (let place = to; place < to + PIXELS - 6; place += 6) {
    // The next row overwrites the zeros.
    v128.store64_lane(place, six, 0);
    from += SIDE * PLANES;
    six = sixOf(from);
    wide = i16x8.extend_low_i8x16_u(six);
    sums = i16x8.add(sums, wide);
    squares = i32x4.add(squares, i32x4.dot_i16x8_s(wide, wide));
  }
  v128.store32_lane(to + PIXELS - 6, six, 0);
  v128.store16_lane(to + PIXELS - 2, six, 2);
  const both = addPairs(i32x4.dot_i16x8_s(sums, i16x8.splat(1)), squares);
  const sum: u32 = i32x4.extract_lane(both, 0);
  store<u16>(SUMS + window * 2, <u16>sum);
  store<u32>(SPREADS + window * 4, PIXELS * i32x4.extract_lane(both, 1) - sum * sum);
}

/** The sums of the four lanes of each, in the lowest lanes. */
@inline
function addPairs(a: v128, b: v128): v128 {
  const halves = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  return i32x4.add(halves, v128.shuffle<i32>(halves, halves, 2, 3, 0, 1));
}

@inline
function prepareWindow(window: i32, plane: i32, x: i32, y: i32, width: i32, height: i32): void {
  const pixels = WINDOW_PIXELS + window * PIXELS;
  let to = pixels;
  let sum: u32 = 0;
  let squares: u32 = 0;
  for (let row = y; row < y + height; row++) {
    let from = THUMBNAIL + (row * SIDE + x) * PLANES + plane;
    for (let column = 0; column < width; column++) {
      const value: u32 = load<u8>(from);
      store<u8>(to, <u8>value);
      sum += value;
      squares += value * value;
      from += PLANES;
      to += 1;
    }
  }
  if (width * height < PIXELS) memory.fill(to, 0, pixels + PIXELS - to);
  store<u16>(SUMS + window * 2, <u16>sum);
  store<u32>(SPREADS + window * 4, width * height * squares - sum * sum);
}

// Of the two windows read last: mean, the two lowest cosine coefficients, the norm of what they leave, and |X|².
let mean: v128 = i32x4.splat(0);
let gx: v128 = i32x4.splat(0);
let gy: v128 = i32x4.splat(0);
let rest: v128 = i32x4.splat(0);
let normSquared: v128 = i32x4.splat(0);

// cos(π(i + ½)/6) for i = 0, 1, 2, divided by the length of all six, √3; the other three are their negatives.
const SIX_0: f64 = 0.5576775358252053;
const SIX_1: f64 = 0.4082482904638631;
const SIX_2: f64 = 0.14942924536134225;
// Likewise of four.
const FOUR_0: f64 = 0.6532814824381882;
const FOUR_1: f64 = 0.2705980500730985;

/** Of two windows that follow each other, given the sums of their pixels, weighed by the cosines of both directions. */
@inline
function finishReading(window: i32, width: i32, height: i32, alongX: v128, alongY: v128): void {
  const count: f64 = width * height;
  mean = f64x2.div(f64x2.convert_low_i32x4_u(v128.load16x4_u(SUMS + window * 2)), f64x2.splat(count));
  gx = f64x2.mul(alongX, f64x2.splat(1 / Math.sqrt(height)));
  gy = f64x2.mul(alongY, f64x2.splat(1 / Math.sqrt(width)));
  const spread = f64x2.mul(f64x2.convert_low_i32x4_u(v128.load64_zero(SPREADS + window * 4)), f64x2.splat(1 / count));
  const slopes = f64x2.add(f64x2.mul(gx, gx), f64x2.mul(gy, gy));
  const left = f64x2.max(f64x2.splat(0), f64x2.sub(spread, slopes));
  rest = f64x2.sqrt(left);
  normSquared = f64x2.add(f64x2.add(slopes, left), f64x2.splat(halfOf(count)));
}

@inline
function rowOfSix(window: i32, row: i32): v128 {
  return v128.load8x8_u(WINDOW_PIXELS + window * PIXELS + row * 6);
}

/** Left pixels less right ones: columns 0 and 5, 1 and 4, 2 and 3, in the lowest lanes. */
@inline
function acrossOf(window: i32): v128 {
  const outer = i16x8.add(rowOfSix(window, 0), rowOfSix(window, 5));
  const middle = i16x8.add(rowOfSix(window, 1), rowOfSix(window, 4));
  const columns = i16x8.add(i16x8.add(outer, middle), i16x8.add(rowOfSix(window, 2), rowOfSix(window, 3)));
  return i32x4.extend_low_i16x8_s(i16x8.sub(columns, v128.shuffle<i16>(columns, columns, 5, 4, 3, 2, 1, 0, 6, 7)));
}

/** A row's pixels less another one's, of both windows. */
@inline
function downOf(window: i32, upper: i32, lower: i32): v128 {
  const six = i16x8(1, 1, 1, 1, 1, 1, 0, 0);
  const first = i16x8.sub(rowOfSix(window, upper), rowOfSix(window, lower));
  const second = i16x8.sub(rowOfSix(window + 1, upper), rowOfSix(window + 1, lower));
  return f64x2.convert_low_i32x4_s(addPairs(i32x4.dot_i16x8_s(first, six), i32x4.dot_i16x8_s(second, six)));
}

@inline
function weighed(outer: v128, middle: v128, inner: v128): v128 {
  const sum = f64x2.add(f64x2.mul(outer, f64x2.splat(SIX_0)), f64x2.mul(middle, f64x2.splat(SIX_1)));
  return f64x2.add(sum, f64x2.mul(inner, f64x2.splat(SIX_2)));
}

function readFull(window: i32): void {
  const first = acrossOf(window);
  const second = acrossOf(window + 1);
  const alongX = weighed(
    f64x2.convert_low_i32x4_s(v128.shuffle<i32>(first, second, 0, 4, 0, 4)),
    f64x2.convert_low_i32x4_s(v128.shuffle<i32>(first, second, 1, 5, 1, 5)),
    f64x2.convert_low_i32x4_s(v128.shuffle<i32>(first, second, 2, 6, 2, 6)),
  );
  const alongY = weighed(downOf(window, 0, 5), downOf(window, 1, 4), downOf(window, 2, 3));
  finishReading(window, 6, 6, alongX, alongY);
}

/** Of the sums of one window's columns, or rows. */
let alongX: f64 = 0;
let alongY: f64 = 0;

function weighEdge(window: i32, width: i32, height: i32): void {
  let at = WINDOW_PIXELS + window * PIXELS;
  alongX = 0;
  alongY = 0;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const value: f64 = load<u8>(at);
      alongX += value * cosineOf(width, column);
      alongY += value * cosineOf(height, row);
      at += 1;
    }
  }
}

@inline
function cosineOf(length: i32, i: i32): f64 {
  return length == 6 ? cosineOfSix(i) : cosineOfFour(i);
}
@inline
function cosineOfSix(i: i32): f64 {
  const value = i == 0 || i == 5 ? SIX_0 : i == 1 || i == 4 ? SIX_1 : SIX_2;
  return i < 3 ? value : -value;
}
@inline
function cosineOfFour(i: i32): f64 {
  const value = i == 0 || i == 3 ? FOUR_0 : FOUR_1;
  return i < 2 ? value : -value;
}

function readEdges(window: i32, width: i32, height: i32): void {
  weighEdge(window, width, height);
  const x = f64x2.splat(alongX);
  const y = f64x2.splat(alongY);
  weighEdge(window + 1, width, height);
  finishReading(window, width, height, f64x2.replace_lane(x, 1, alongX), f64x2.replace_lane(y, 1, alongY));
}

/** Reads two windows that follow each other. */
function readTwo(plane: i32, window: i32): void {
  const at = plane * WINDOWS + window;
  if (window < FULL) readFull(at);
  else if (window < FULL + 42) readEdges(at, 4, 6);
  else readEdges(at, 6, 4);
}

/** c/2 of a window of so many pixels, and its root, the least norm. */
@inline
function halfOf(count: f64): f64 {
  return C2 * (count - 1) / 2;
}
@inline
function normStep(low: f64): f64 {
  return (MOST_NORM - low) / (255 * 255);
}

/** Returns the slack. */
export function sketch(grey: bool): f64 {
  memory.fill(SKETCH, 0, PLANES * SKETCH_PLANE_BYTES);
  const planes = grey ? 1 : PLANES;
  let slack: f64 = 0;
  for (let plane = 0; plane < planes; plane++) {
    const to = SKETCH + plane * SKETCH_PLANE_BYTES;
    slack += codeWindows(plane, 0, FULL, to, 36);
    slack += codeWindows(plane, FULL, FULL_AND_EDGE, to + FULL_GROUPS * GROUP_BYTES, 24);
  }
  return grey ? slack * PLANES : slack;
}

function codeWindows(plane: i32, first: i32, end: i32, to: i32, count: f64): f64 {
  const half = halfOf(count);
  const low = Math.sqrt(half);
  const step = normStep(low);
  let slack = f64x2.splat(0);
  for (let window = first; window < end; window += 2) {
    const place = window - first;
    readTwo(plane, window);
    slack = f64x2.add(slack, code(to + (place >> 4) * GROUP_BYTES + (place & 15), half, low, step));
  }
  return f64x2.extract_lane(slack, 0) + f64x2.extract_lane(slack, 1);
}

@inline
function storeBytes(at: i32, codes: v128): void {
  const words = i16x8.narrow_i32x4_s(codes, codes);
  v128.store16_lane(at, i8x16.narrow_i16x8_u(words, words), 0);
}
@inline
function storeSignedBytes(at: i32, codes: v128): void {
  const words = i16x8.narrow_i32x4_s(codes, codes);
  v128.store16_lane(at, i8x16.narrow_i16x8_s(words, words), 0);
}
@inline
function nearest(values: v128): v128 {
  return i32x4.trunc_sat_f64x2_s_zero(f64x2.floor(f64x2.add(values, f64x2.splat(0.5))));
}

/** Codes the windows read last. Returns the most by which each code changes a score. */
@inline
function code(at: i32, half: f64, low: f64, step: f64): v128 {
  const norm = f64x2.sqrt(normSquared);
  const meanCode = nearest(f64x2.sqrt(f64x2.mul(mean, f64x2.splat(255))));
  const above = f64x2.max(f64x2.splat(0), f64x2.sub(norm, f64x2.splat(low)));
  const normCode = i32x4.min_s(nearest(f64x2.sqrt(f64x2.mul(above, f64x2.splat(1 / step)))), i32x4.splat(255));
  const one = f64x2.div(f64x2.splat(1), norm);
  const xCode = nearest(f64x2.mul(f64x2.mul(gx, f64x2.splat(STEPS)), one));
  const yCode = nearest(f64x2.mul(f64x2.mul(gy, f64x2.splat(STEPS)), one));
  storeBytes(at, meanCode);
  storeBytes(at + 16, normCode);
  storeSignedBytes(at + 32, xCode);
  storeSignedBytes(at + 48, yCode);

  // The norm and the rest exactly as `four` computes them: the rest is a difference of near equals, and far from exact.
  const steps = f32x4.convert_i32x4_s(i32x4.mul(normCode, normCode));
  const n = f32x4.add(f32x4.splat(<f32>low), f32x4.mul(f32x4.splat(<f32>step), steps));
  const n2 = f32x4.mul(n, n);
  const slopes = f32x4.convert_i32x4_s(i32x4.add(i32x4.mul(xCode, xCode), i32x4.mul(yCode, yCode)));
  const unit = f32x4.splat(<f32>(1 / (STEPS * STEPS)));
  const part = f32x4.add(f32x4.mul(n2, f32x4.mul(unit, slopes)), f32x4.splat(<f32>half));
  const whole = f32x4.max(n2, part);
  const codedRest = f64x2.promote_low_f32x4(f32x4.sqrt(f32x4.sub(whole, part)));
  const length = f64x2.mul(f64x2.promote_low_f32x4(n), f64x2.splat(1 / STEPS));
  const codedX = f64x2.mul(length, f64x2.convert_low_i32x4_s(xCode));
  const codedY = f64x2.mul(length, f64x2.convert_low_i32x4_s(yCode));
  const codedSquares = f64x2.add(squaresOf(codedX, codedY), squaresOf(codedRest, f64x2.splat(low)));
  const codedNorm = f64x2.sqrt(codedSquares);
  const other = f64x2.div(f64x2.splat(1), codedNorm);
  const least = f64x2.splat(low);
  const structure = f64x2.sqrt(
    f64x2.add(
      squaresOf(change(gx, one, codedX, other), change(gy, one, codedY, other)),
      squaresOf(change(rest, one, codedRest, other), change(least, one, least, other)),
    ),
  );

  const codedMean = f64x2.mul(f64x2.convert_low_i32x4_s(i32x4.mul(meanCode, meanCode)), f64x2.splat(1.0 / 255));
  const dark = f64x2.splat(Math.sqrt(C1 / 2));
  const light = f64x2.sqrt(squaresOf(mean, dark));
  const codedLight = f64x2.sqrt(squaresOf(codedMean, dark));
  const bright = f64x2.div(f64x2.splat(1), light);
  const codedBright = f64x2.div(f64x2.splat(1), codedLight);
  const luminance = f64x2.sqrt(
    squaresOf(change(mean, bright, codedMean, codedBright), change(dark, bright, dark, codedBright)),
  );
  const ratios = f64x2.add(
    f64x2.abs(change(norm, other, codedNorm, one)),
    f64x2.abs(change(light, codedBright, codedLight, bright)),
  );
  return f64x2.add(f64x2.add(structure, luminance), f64x2.mul(f64x2.splat(0.25), ratios));
}

@inline
function squaresOf(a: v128, b: v128): v128 {
  return f64x2.add(f64x2.mul(a, a), f64x2.mul(b, b));
}

/** A value by its measure, less another by its own. */
@inline
function change(a: v128, measure: v128, b: v128, other: v128): v128 {
  return f64x2.sub(f64x2.mul(a, measure), f64x2.mul(b, other));
}

/** Prepares the comparison of sketches with the image in memory. */
export function sketchQuery(grey: bool): void {
  for (let plane = 0; plane < PLANES; plane++) {
    const target = QUERY_SKETCH + plane * QUERY_PLANE_BYTES;
    memory.fill(target, 0, QUERY_PLANE_BYTES);
    for (let place = FULL; place < FULL_GROUPS * 16; place++) padQuery(target, place, 36);
    for (let place = GROUPS * 16 - (PADDING - (FULL_GROUPS * 16 - FULL)); place < GROUPS * 16; place++) padQuery(target, place, 24);
    for (let window = 0; window < FULL_AND_EDGE; window += 2) {
      readTwo(grey ? 0 : plane, window);
      const place = window < FULL ? window : window + (FULL_GROUPS * 16 - FULL);
      const at = target + (place >> 2) * QUERY_STEP + (place & 3) * 4;
      storeFloats(at, f64x2.mul(f64x2.splat(255), mean));
      storeFloats(at + 16, f64x2.mul(gx, f64x2.splat(2 / STEPS)));
      storeFloats(at + 32, f64x2.mul(gy, f64x2.splat(2 / STEPS)));
      storeFloats(at + 48, f64x2.add(rest, rest));
      storeFloats(at + 64, normSquared);
    }
  }
}

@inline
function storeFloats(at: i32, values: v128): void {
  v128.store64_lane(at, f32x4.demote_f64x2_zero(values), 0);
}

function padQuery(target: i32, place: i32, count: f64): void {
  store<f32>(target + (place >> 2) * QUERY_STEP + (place & 3) * 4 + 64, <f32>halfOf(count));
}

/** Upper bound of the score of the sketch in memory. If it is below `threshold`, any number below `threshold`. */
export function boundSketch(grey: bool, slack: f64, threshold: f64): f64 {
  const enough = threshold * (PLANES * WINDOWS);
  let left: f64 = PLANES * GROUPS * 16;
  let total = slack + MARGIN * (PLANES * WINDOWS) + PLANES - PLANES * PADDING;
  for (let plane = 0; plane < PLANES; plane++) {
    const image = SKETCH + (grey ? 0 : plane * SKETCH_PLANE_BYTES);
    const query = QUERY_SKETCH + plane * QUERY_PLANE_BYTES;
    for (let from = 0; from < FULL_GROUPS; from += GROUP_STRIDE) {
      const to = min(from + GROUP_STRIDE, FULL_GROUPS);
      total += boundGroups(image, query, from, to, 36);
      left -= 16 * (to - from);
      if (total + left < enough) return -2;
    }
    total += boundGroups(image, query, FULL_GROUPS, GROUPS, 24);
    left -= 16 * (GROUPS - FULL_GROUPS);
    if (total + left < enough) return -2;
  }
  return total / (PLANES * WINDOWS);
}

function boundGroups(image: i32, query: i32, from: i32, to: i32, count: f64): f64 {
  const half = halfOf(count);
  const low = Math.sqrt(half);
  const least = f32x4.splat(<f32>low);
  const step = f32x4.splat(<f32>normStep(low));
  const c = f32x4.splat(<f32>(2 * half));
  const halves = f32x4.splat(<f32>half);
  let total = f32x4.splat(0);
  for (let group = from; group < to; group++) {
    total = f32x4.add(total, sixteen(image + group * GROUP_BYTES, query + group * 4 * QUERY_STEP, least, step, halves, c));
  }
  return addLanes(total);
}

@inline
function sixteen(at: i32, query: i32, least: v128, step: v128, half: v128, c: v128): v128 {
  const means = v128.load(at);
  const norms = v128.load(at, 16);
  const xs = v128.load(at, 32);
  const ys = v128.load(at, 48);
  let m = i16x8.extend_low_i8x16_u(means);
  let n = i16x8.extend_low_i8x16_u(norms);
  let x = i16x8.extend_low_i8x16_s(xs);
  let y = i16x8.extend_low_i8x16_s(ys);
  let total = f32x4.add(
    four(lowUnsigned(m), lowUnsigned(n), lowSigned(x), lowSigned(y), query, least, step, half, c),
    four(highUnsigned(m), highUnsigned(n), highSigned(x), highSigned(y), query + QUERY_STEP, least, step, half, c),
  );
  m = i16x8.extend_high_i8x16_u(means);
  n = i16x8.extend_high_i8x16_u(norms);
  x = i16x8.extend_high_i8x16_s(xs);
  y = i16x8.extend_high_i8x16_s(ys);
  total = f32x4.add(total, four(lowUnsigned(m), lowUnsigned(n), lowSigned(x), lowSigned(y), query + 2 * QUERY_STEP, least, step, half, c));
  return f32x4.add(total, four(highUnsigned(m), highUnsigned(n), highSigned(x), highSigned(y), query + 3 * QUERY_STEP, least, step, half, c));
}
@inline
function lowUnsigned(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(lanes));
}
@inline
function highUnsigned(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(lanes));
}
@inline
function lowSigned(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(lanes));
}
@inline
function highSigned(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(lanes));
}

@inline
function four(m: v128, normCode: v128, x: v128, y: v128, query: i32, least: v128, step: v128, half: v128, c: v128): v128 {
  const c1 = f32x4.splat(<f32>(C1 * 255 * 255));
  const unit = f32x4.splat(<f32>(1 / (STEPS * STEPS)));
  const b = v128.load(query);
  const a = f32x4.mul(m, m);
  const ab = f32x4.mul(a, b);
  const luminance = f32x4.add(f32x4.add(ab, ab), c1);
  const means = f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), c1);
  const n = f32x4.add(least, f32x4.mul(step, f32x4.mul(normCode, normCode)));
  const n2 = f32x4.mul(n, n);
  const part = f32x4.add(f32x4.mul(n2, f32x4.mul(unit, f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)))), half);
  const whole = f32x4.max(n2, part);
  const r = f32x4.sqrt(f32x4.sub(whole, part));
  const slopes = f32x4.mul(n, f32x4.add(f32x4.mul(x, v128.load(query, 16)), f32x4.mul(y, v128.load(query, 32))));
  const structure = f32x4.add(f32x4.add(slopes, f32x4.mul(r, v128.load(query, 48))), c);
  const norms = f32x4.add(whole, v128.load(query, 64));
  return f32x4.div(f32x4.mul(luminance, structure), f32x4.mul(means, norms));
}

/** Makes the image in memory the query. */
export function useAsQuery(grey: bool): void {
  for (let plane = 0; plane < PLANES; plane++) {
    const source = grey ? 0 : plane * WINDOWS;
    memory.copy(QUERY_SPREADS + plane * WINDOWS * 4, SPREADS + source * 4, WINDOWS * 4);
    memory.copy(QUERY_SUMS + plane * WINDOWS * 2, SUMS + source * 2, WINDOWS * 2);
    for (let window = 0; window < WINDOWS; window++) {
      const from = WINDOW_PIXELS + (source + window) * PIXELS;
      const to = QUERY_PIXELS + (plane * WINDOWS + window) * WIDE_PIXELS * 2;
      for (let pixel = 0; pixel < PIXELS; pixel += 4) {
        v128.store64_lane(to + pixel * 2, i16x8.extend_low_i8x16_u(v128.load32_zero(from + pixel)), 0);
      }
      store<u64>(to + PIXELS * 2, 0);
    }
  }
}

/** Whether the score can be above `threshold`, as far as sums and spreads tell. Pixels are not looked at. */
export function mayReach(grey: bool, threshold: f64): bool {
  bound = MARGIN * PLANES * WINDOWS;
  for (let plane = 0; plane < PLANES; plane++) {
    const source = grey ? 0 : plane * WINDOWS;
    bound += boundGroup(plane * WINDOWS, source, 0, FULL, 36);
    bound += boundGroup(plane * WINDOWS, source, FULL, FULL_AND_EDGE, 24);
    store<f32>(BOUNDS + (plane * WINDOWS + FULL_AND_EDGE) * 4, 1);
    bound += 1;
  }
  return bound >= threshold * PLANES * WINDOWS;
}

function boundGroup(query: i32, image: i32, start: i32, end: i32, count: f64): f64 {
  const two = f32x4.splat(2);
  const c1 = f32x4.splat(<f32>(C1 * count * count));
  const c2 = f32x4.splat(<f32>(C2 * count * (count - 1)));
  let total = f32x4.splat(0);
  let exact: f64 = 0;
  for (let window = start; window < end; window += 4) {
    const a = f32x4.convert_i32x4_u(v128.load16x4_u(QUERY_SUMS + (query + window) * 2));
    const b = f32x4.convert_i32x4_u(v128.load16x4_u(SUMS + (image + window) * 2));
    const d = f32x4.convert_i32x4_u(v128.load(QUERY_SPREADS + (query + window) * 4));
    const e = f32x4.convert_i32x4_u(v128.load(SPREADS + (image + window) * 4));
    const luminance = f32x4.add(f32x4.mul(two, f32x4.mul(a, b)), c1);
    const structure = f32x4.add(f32x4.mul(two, f32x4.sqrt(f32x4.mul(d, e))), c2);
    const sums = f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), c1);
    const spreads = f32x4.add(f32x4.add(d, e), c2);
    const bound = f32x4.div(f32x4.mul(luminance, structure), f32x4.mul(sums, spreads));
    v128.store(BOUNDS + (query + window) * 4, bound);
    total = f32x4.add(total, bound);
    if ((window & 63) == 60) {
      exact += addLanes(total);
      total = f32x4.splat(0);
    }
  }
  return exact + addLanes(total);
}

/** The mean score of all windows; -2 once it cannot be above `threshold`. Call mayReach first. */
export function score(grey: bool, threshold: f64): f64 {
  const enough = threshold * PLANES * WINDOWS;
  let total: f64 = 0;
  for (let plane = 0; plane < PLANES; plane++) {
    const query = plane * WINDOWS;
    const image = grey ? 0 : query;
    for (let start = 0; start < WINDOWS; start += STRIDE) {
      if (bound < enough) return -2;
      const end = min(start + STRIDE, WINDOWS);
      let sum: f64 = 0;
      let bounds: f64 = 0;
      for (let window = start; window < end; window++) {
        const count: f64 = window < FULL ? 36 : window < FULL_AND_EDGE ? 24 : 16;
        sum += scoreWindow(query + window, image + window, count);
        bounds += load<f32>(BOUNDS + (query + window) * 4);
      }
      total += sum;
      bound += sum - bounds;
    }
  }
  return total / (PLANES * WINDOWS);
}

@inline
function scoreWindow(query: i32, image: i32, count: f64): f64 {
  const wide = QUERY_PIXELS + query * WIDE_PIXELS * 2;
  const narrow = WINDOW_PIXELS + image * PIXELS;
  // The last step reads 4 pixels of the next window, against the query's zeros.
  let products = i32x4.dot_i16x8_s(v128.load(wide), v128.load8x8_u(narrow));
  products = i32x4.add(products, i32x4.dot_i16x8_s(v128.load(wide, 16), v128.load8x8_u(narrow, 8)));
  products = i32x4.add(products, i32x4.dot_i16x8_s(v128.load(wide, 32), v128.load8x8_u(narrow, 16)));
  products = i32x4.add(products, i32x4.dot_i16x8_s(v128.load(wide, 48), v128.load8x8_u(narrow, 24)));
  products = i32x4.add(products, i32x4.dot_i16x8_s(v128.load(wide, 64), v128.load8x8_u(narrow, 32)));
  products = i32x4.add(products, i32x4.shuffle(products, products, 2, 3, 0, 1));
  const product = i32x4.extract_lane(products, 0) + i32x4.extract_lane(products, 1);
  const a: f64 = load<u16>(QUERY_SUMS + query * 2);
  const b: f64 = load<u16>(SUMS + image * 2);
  const d = <f64>load<u32>(QUERY_SPREADS + query * 4) + <f64>load<u32>(SPREADS + image * 4);
  const c1 = C1 * count * count;
  const c2 = C2 * count * (count - 1);
  const e = count * product - a * b;
  return ((2 * a * b + c1) * (2 * e + c2)) / ((a * a + b * b + c1) * (d + c2));
}

function addLanes(lanes: v128): f64 {
  return (
    <f64>f32x4.extract_lane(lanes, 0) +
    <f64>f32x4.extract_lane(lanes, 1) +
    <f64>f32x4.extract_lane(lanes, 2) +
    <f64>f32x4.extract_lane(lanes, 3)
  );
}
