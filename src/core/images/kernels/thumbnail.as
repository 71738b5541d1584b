/*
 * Scales R, G and B to 256x256, in AssemblyScript, as libvips 8.18 scales 8-bit samples with its cubic kernel: longer sides are
 * reduced, rows first; then a picture with a shorter side is resampled by `affine`, in both directions. Weights are integers in
 * 1/4096, for 64 places between two pixels. The bits are those of libvips but where its rounding finds the place beside.
 * Sides are below 1024: libvips halves longer ones first.
 */

const SIDE: i32 = 256;
const CHANNELS: i32 = 3;
const LINE_BYTES: i32 = SIDE * CHANNELS;
/** Steps of 16 bytes run over the end of rows. */
const ROOM: i32 = 16;

const SHIFT: i32 = 12;
/** Of a weight. */
const ONE: f64 = 4096;
const PLACES: i32 = 64;
/** 16-bit weights of each place, of up to the 17 taps of four pixels made one; the rest is zeros. */
const MOST_TAPS: i32 = 20;
const CUBIC_TAPS: i32 = 4;

const WEIGHTS: i32 = 0;
/** For each of the 256 pixels: the first pixel that it is made of, and the place of its weights. */
const PIXELS: i32 = WEIGHTS + (PLACES + 1) * MOST_TAPS * 2;
const FIRST_PIXEL: i32 = PIXELS;
const WEIGHTS_OF_PIXEL: i32 = PIXELS + SIDE * 4;
/** The rows that one is made of. */
const ROWS: i32 = PIXELS + SIDE * 8;
const THUMBNAIL: i32 = 8192;
const WIDE: i32 = THUMBNAIL + SIDE * LINE_BYTES + ROOM; // a 16-bit value for each byte of a row
const LINE: i32 = WIDE + LINE_BYTES * 2 + ROOM; // a row with its ends repeated
const SOURCE: i32 = LINE + (1024 + 2 * MOST_TAPS) * CHANNELS + ROOM;

let width: i32 = 0;
let height: i32 = 0;
let taps: i32 = 0;
/** Each pixel lies in the middle between one and the next one: so libvips has it, if it only enlarges the other direction. */
let isBetween: bool = false;

/** Returns where the caller puts the pixels. */
export function begin(columns: i32, rows: i32): i32 {
  width = columns;
  height = rows;
  const reduced = min(rows, SIDE);
  const end = SOURCE + columns * CHANNELS * (rows + reduced) + SIDE * CHANNELS * 3 * reduced + 4 * ROOM;
  const missing = end - (memory.size() << 16);
  if (missing > 0) memory.grow((missing + 65535) >> 16);
  return SOURCE;
}

/** Returns the place of the thumbnail. */
export function scale(): i32 {
  let from = SOURCE;
  let to = SOURCE + width * CHANNELS * height + ROOM;
  if (height > SIDE) {
    weigh(height, 1 / scaleOf(height), false);
    reduceRows(from, to);
    height = SIDE;
    from = to;
    to += width * CHANNELS * height + ROOM;
  }
  if (width > SIDE) {
    weigh(width, 1 / scaleOf(width), true);
    for (let row = 0; row < height; row++) {
      resampleLine(from + row * width * CHANNELS, WIDE);
      for (let at = 0; at < LINE_BYTES; at += 16) {
        const wide = WIDE + at * 2;
        v128.store(to + row * LINE_BYTES + at, i8x16.narrow_i16x8_u(v128.load(wide), v128.load(wide, 16)));
      }
    }
    width = SIDE;
    from = to;
    to += LINE_BYTES * height + ROOM;
  }
  if (width == SIDE && height == SIDE) return from;
  const across = scaleOf(width);
  const down = scaleOf(height);
  const inverse = 1 / (across * down);
  weigh(width, inverse * down, true);
  for (let row = 0; row < height; row++) resampleLine(from + row * width * CHANNELS, to + row * LINE_BYTES * 2);
  weigh(height, inverse * across, false);
  for (let row = 0; row < SIDE; row++) enlargeRow(row, to, THUMBNAIL + row * LINE_BYTES);
  return THUMBNAIL;
}

/** As it is rounded on its way through the decoder. */
@inline
function scaleOf(length: i32): f64 {
  return 1 / (<f64>length / SIDE);
}

/** Prepares what the pixels along a side of so many are made of. libvips adds up the places along a row. */
function weigh(length: i32, shrink: f64, isAddedUp: bool): void {
  const isReduced = length > SIDE;
  const unit: f64 = isReduced ? shrink : 1;
  const points = isReduced ? 2 * <i32>nearest(2 * shrink) + 1 : CUBIC_TAPS;
  const before = (points + 1) / 2 - 1;
  taps = (points + 1) & ~1;
  for (let place = 0; place <= PLACES; place++) {
    const at = WEIGHTS + place * MOST_TAPS * 2;
    memory.fill(at, 0, MOST_TAPS * 2);
    const middle = <f64>place / PLACES + <f64>points / 2 - 1;
    let sum: f64 = 0;
    for (let tap = 0; tap < points; tap++) sum += cubic((<f64>tap - middle) / unit);
    for (let tap = 0; tap < points; tap++)
      store<i16>(at + tap * 2, <i16>((cubic((<f64>tap - middle) / unit) / sum) * ONE));
  }
  const offset: f64 = (1 + (SIDE * shrink - length)) / 2 - 1;
  // As libvips has it: half a pixel beside the place when it enlarges. It counts from the pixel before the first.
  const start: f64 = isReduced ? 0.5 * shrink - 0.5 - offset : 0.5;
  let added = start;
  isBetween = !isReduced;
  for (let pixel = 0; pixel < SIDE; pixel++) {
    const direct = isReduced ? (<f64>pixel + 0.5) * shrink - 0.5 - offset : <f64>pixel * shrink - 0.5 + 1;
    const position = isAddedUp ? added : direct;
    added += shrink;
    const first = <i32>position;
    const place = ((<i32>(position * (2 * PLACES)) & (2 * PLACES - 1)) + 1) >> 1;
    store<i32>(FIRST_PIXEL + pixel * 4, first - before - (isReduced ? 0 : 1));
    store<i32>(WEIGHTS_OF_PIXEL + pixel * 4, WEIGHTS + place * MOST_TAPS * 2);
    if (place != PLACES / 2 || first != pixel) isBetween = false;
  }
}

/** Catmull-Rom. */
@inline
function cubic(x: f64): f64 {
  const d = Math.abs(x);
  if (d <= 1) return (1.5 * d - 2.5) * d * d + 1;
  if (d <= 2) return ((-0.5 * d + 2.5) * d - 4) * d + 2;
  return 0;
}

@inline
function clamped(index: i32, length: i32): i32 {
  return min(max(index, 0), length - 1);
}

@inline
function rounded(sums: v128): v128 {
  return i32x4.shr_s(sums, SHIFT);
}

/** Makes 256 rows of more. */
function reduceRows(from: i32, to: i32): void {
  const bytes = width * CHANNELS;
  const half = i32x4.splat(1 << (SHIFT - 1));
  for (let row = 0; row < SIDE; row++) {
    const first = load<i32>(FIRST_PIXEL + row * 4);
    const weights = load<i32>(WEIGHTS_OF_PIXEL + row * 4);
    for (let tap = 0; tap < taps; tap++) store<i32>(ROWS + tap * 4, from + clamped(first + tap, height) * bytes);
    for (let at = 0; at < bytes; at += 16) {
      let a = half;
      let b = half;
      let c = half;
      let d = half;
      for (let tap = 0; tap < taps; tap += 2) {
        const weight = v128.load32_splat(weights + tap * 2);
        const upper = v128.load(load<i32>(ROWS + tap * 4) + at);
        const lower = v128.load(load<i32>(ROWS + tap * 4, 4) + at);
        const low = v128.shuffle<u8>(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const high = v128.shuffle<u8>(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), weight));
        b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), weight));
        c = i32x4.add(c, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), weight));
        d = i32x4.add(d, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), weight));
      }
      const low = i16x8.narrow_i32x4_s(rounded(a), rounded(b));
      v128.store(to + row * bytes + at, i8x16.narrow_i16x8_u(low, i16x8.narrow_i32x4_s(rounded(c), rounded(d))));
    }
  }
}

/** Makes 256 pixels of a row, 16 bits a channel. */
function resampleLine(from: i32, to: i32): void {
  const bytes = width * CHANNELS;
  const start = LINE + taps * CHANNELS;
  memory.copy(start, from, bytes);
  for (let pixel = 1; pixel <= taps; pixel++) {
    for (let channel = 0; channel < CHANNELS; channel++) {
      store<u8>(start - pixel * CHANNELS + channel, load<u8>(from + channel));
      store<u8>(start + bytes + (pixel - 1) * CHANNELS + channel, load<u8>(from + bytes - CHANNELS + channel));
    }
  }
  if (isBetween) return resampleBetween(start + load<i32>(FIRST_PIXEL) * CHANNELS, to);
  const half = i32x4.splat(1 << (SHIFT - 1));
  for (let pixel = 0; pixel < SIDE; pixel++) {
    const weights = load<i32>(WEIGHTS_OF_PIXEL + pixel * 4);
    const at = start + load<i32>(FIRST_PIXEL + pixel * 4) * CHANNELS;
    let sums = fourTaps(at, weights, half);
    for (let tap = 4; tap < taps; tap += 4) sums = fourTaps(at + tap * CHANNELS, weights + tap * 2, sums);
    sums = rounded(sums);
    v128.store64_lane(to + pixel * CHANNELS * 2, i16x8.narrow_i32x4_s(sums, sums), 0);
  }
}

@inline
function fourTaps(at: i32, weights: i32, sums: v128): v128 {
  const bytes = v128.load(at);
  const pairs = v128.shuffle<u8>(bytes, bytes, 0, 3, 1, 4, 2, 5, 5, 5, 6, 9, 7, 10, 8, 11, 11, 11);
  const first = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pairs), v128.load32_splat(weights));
  const second = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(pairs), v128.load32_splat(weights, 4));
  return i32x4.add(sums, i32x4.add(first, second));
}

/** Makes pixels that lie in the middle between two: the weights are -256, 2304, 2304 and -256. */
function resampleBetween(from: i32, to: i32): void {
  const nine = i16x8.splat(9);
  const half = i16x8.splat(8);
  for (let at = 0; at < LINE_BYTES; at += 8) {
    const outer = i16x8.add(v128.load8x8_u(from + at), v128.load8x8_u(from + at + 3 * CHANNELS));
    const inner = i16x8.add(v128.load8x8_u(from + at + CHANNELS), v128.load8x8_u(from + at + 2 * CHANNELS));
    const sums = i16x8.add(i16x8.sub(i16x8.mul(inner, nine), outer), half);
    v128.store(to + at * 2, i16x8.shr_s(sums, 4));
  }
}

/** Makes a row of the thumbnail of four that {@link resampleLine} made. */
function enlargeRow(row: i32, from: i32, to: i32): void {
  const first = load<i32>(FIRST_PIXEL + row * 4);
  const weights = load<i32>(WEIGHTS_OF_PIXEL + row * 4);
  const upperWeights = v128.load32_splat(weights);
  const lowerWeights = v128.load32_splat(weights + 4);
  const half = i32x4.splat(1 << (SHIFT - 1));
  const a = from + clamped(first, height) * LINE_BYTES * 2;
  const b = from + clamped(first + 1, height) * LINE_BYTES * 2;
  const c = from + clamped(first + 2, height) * LINE_BYTES * 2;
  const d = from + clamped(first + 3, height) * LINE_BYTES * 2;
  for (let at = 0; at < LINE_BYTES; at += 8) {
    const one = v128.load(a + at * 2);
    const two = v128.load(b + at * 2);
    const three = v128.load(c + at * 2);
    const four = v128.load(d + at * 2);
    let low = i32x4.dot_i16x8_s(v128.shuffle<i16>(one, two, 0, 8, 1, 9, 2, 10, 3, 11), upperWeights);
    low = i32x4.add(low, i32x4.dot_i16x8_s(v128.shuffle<i16>(three, four, 0, 8, 1, 9, 2, 10, 3, 11), lowerWeights));
    let high = i32x4.dot_i16x8_s(v128.shuffle<i16>(one, two, 4, 12, 5, 13, 6, 14, 7, 15), upperWeights);
    high = i32x4.add(high, i32x4.dot_i16x8_s(v128.shuffle<i16>(three, four, 4, 12, 5, 13, 6, 14, 7, 15), lowerWeights));
    const wide = i16x8.narrow_i32x4_s(rounded(i32x4.add(low, half)), rounded(i32x4.add(high, half)));
    v128.store64_lane(to + at, i8x16.narrow_i16x8_u(wide, wide), 0);
  }
}
