/*
 * Looks at the pixels of small grey pictures, in AssemblyScript: whether a photograph shows what a target does at its place, and
 * whether two targets show the same. Each window of the target's picture is looked for around its own place.
 */
const WINDOW: i32 = 12; // pixels of a window's side
const STEP: i32 = 6; // from one window to the next
const REACH: i32 = 2; // how far from its place a window may be found
const MARGIN: i32 = WINDOW + REACH; // around what a photograph shows: the places beside a window are looked at, too
const PIXELS: i32 = WINDOW * WINDOW;
const TEXTURE: i32 = 6 * PIXELS; // least standard deviation of a window's grey levels, times the pixels
const PLAIN: i32 = 3 * PIXELS; // the same, below which a window of a photograph shows nothing
const REPEATED: f64 = 0.7; // correlation of a window with what is beside it, of which it cannot be told apart
const COVERED: f64 = 0.4; // correlation below which a window shows something else that lies there
const ALIKE: f64 = 0.9; // least correlation of windows that show the same
const MOST_WIDE: i32 = 240; // of a narrow picture: others are 96 pixels long
const MOST_HIGH: i32 = 40;
const MOST_WINDOWS: i32 = 256;
const MOST_PICTURE: i32 = 1280 * 1280;
const MOST_AROUND: i32 = (MOST_WIDE + 2 * MARGIN) * (MOST_HIGH + 2 * MARGIN);
const BESIDE_X: StaticArray<i32> = [WINDOW, -WINDOW, 0, 0]; // of the four places beside a window, from its own
const BESIDE_Y: StaticArray<i32> = [0, 0, WINDOW, -WINDOW];
const ROOM: i32 = 16; // vectors that begin at a picture's last pixels reach beyond them

/** A target's picture as it was searched, or a photograph's. */
export const picture = new StaticArray<u8>(MOST_PICTURE + ROOM);
export const small = new StaticArray<u8>(MOST_WIDE * MOST_HIGH + ROOM);
/** Compared with the small picture: another target's, or a photograph's part at the target's place, with a margin. */
export const other = new StaticArray<u8>(MOST_AROUND + ROOM);
const hidden = new StaticArray<u8>(MOST_AROUND);
/** The corners of a target in a photograph, x and y of each, clockwise from its top left. */
export const corners = new StaticArray<f64>(8);

/** Scales the picture to the small one, by area means. */
export function reduce(width: i32, height: i32, smallWidth: i32, smallHeight: i32): void {
  const across = <f64>width / <f64>smallWidth, down = <f64>height / <f64>smallHeight;
  for (let j = 0; j < smallHeight; j++) {
    const top = <f64>j * down, bottom = Math.min(top + down, height);
    for (let i = 0; i < smallWidth; i++) {
      const left = <f64>i * across, right = Math.min(left + across, width);
      let sum: f64 = 0;
      for (let y = <i32>top; <f64>y < bottom; y++) {
        const tall = Math.min(bottom, y + 1) - Math.max(top, y);
        for (let x = <i32>left; <f64>x < right; x++) {
          sum += tall * (Math.min(right, x + 1) - Math.max(left, x)) * <f64>picture[y * width + x];
        }
      }
      small[j * smallWidth + i] = <u8>(sum / (across * down) + 0.5);
    }
  }
}

/** Replaces the picture by one of half its size. Writes 7 pixels behind a row at most: less than 6 wide, where no features are, rows spoil others. */
export function halve(width: i32, height: i32): void {
  const halfWidth = width >> 1, two = i16x8.splat(2);
  for (let y = 0; y < height >> 1; y++) {
    const from = changetype<usize>(picture) + 2 * y * width, to = changetype<usize>(picture) + y * halfWidth;
    for (let x = 0; x < halfWidth; x += 8) {
      const upper = i16x8.extadd_pairwise_i8x16_u(v128.load(from + 2 * x));
      const lower = i16x8.extadd_pairwise_i8x16_u(v128.load(from + 2 * x + width));
      const means = i16x8.shr_u(i16x8.add(i16x8.add(upper, lower), two), 2);
      v128.store64_lane(to + x, i8x16.narrow_i16x8_u(means, means), 0);
    }
  }
}

let width: i32 = 0;
let height: i32 = 0;
let count: i32 = 0;
export let lookedAt: i32 = 0;
export let covered: i32 = 0;
const xs = new StaticArray<i32>(MOST_WINDOWS);
const ys = new StaticArray<i32>(MOST_WINDOWS);
const sums = new StaticArray<i32>(MOST_WINDOWS);
/** Variance times the square of the number of pixels. */
const spreads = new StaticArray<i32>(MOST_WINDOWS);
/** How much the photograph looks like it at its place. */
const own = new StaticArray<f64>(MOST_WINDOWS);
const UNSEEN: f64 = -2; // less than any correlation

let sum: i32 = 0;
let squares: i32 = 0;
let products: i32 = 0;

@inline
function total(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) + i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3)
  );
}

function addUp(at: usize, stride: i32, from: usize, fromStride: i32): void {
  let s = i32x4.splat(0), q = i32x4.splat(0), p = i32x4.splat(0);
  const ones = i16x8.splat(1), mask = i32x4(-1, -1, -1, 0);
  for (let row = 0; row < WINDOW; row++, at += stride, from += fromStride) {
    const values = v128.and(v128.load(at), mask), others = v128.load(from);
    const low = i16x8.extend_low_i8x16_u(values), high = i16x8.extend_high_i8x16_u(values);
    s = i32x4.add(s, i32x4.add(i32x4.dot_i16x8_s(low, ones), i32x4.dot_i16x8_s(high, ones)));
    q = i32x4.add(q, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
    p = i32x4.add(
      p,
      i32x4.add(
        i32x4.dot_i16x8_s(low, i16x8.extend_low_i8x16_u(others)),
        i32x4.dot_i16x8_s(high, i16x8.extend_high_i8x16_u(others)),
      ),
    );
  }
  sum = total(s);
  squares = total(q);
  products = total(p);
}

/** Returns how many windows of the small picture have texture. */
export function begin(w: i32, h: i32): i32 {
  width = w;
  height = h;
  count = 0;
  for (let y = 0; y + WINDOW <= h; y += STEP) {
    for (let x = 0; x + WINDOW <= w; x += STEP) {
      const at = changetype<usize>(small) + y * w + x;
      addUp(at, w, at, w);
      const spread = squares * PIXELS - sum * sum;
      if (spread < TEXTURE * TEXTURE) continue;
      xs[count] = x;
      ys[count] = y;
      sums[count] = sum;
      spreads[count++] = spread;
    }
  }
  return count;
}

/** Normalised correlation of a window with one of another picture; 0 when that is plain. */
function correlation(window: i32, at: usize, stride: i32): f64 {
  addUp(at, stride, changetype<usize>(small) + ys[window] * width + xs[window], width);
  const spread = squares * PIXELS - sum * sum;
  return spread == 0 ? 0 : <f64>(products * PIXELS - sum * sums[window]) / Math.sqrt(<f64>spread * <f64>spreads[window]);
}

/** Whether all windows but `others` look the same in another small picture of the same size. */
export function isSame(others: i32): bool {
  for (let window = 0; window < count; window++) {
    if (correlation(window, changetype<usize>(other) + ys[window] * width + xs[window], width) < ALIKE && --others < 0) return false;
  }
  return true;
}

/** The pixels at four places, and those to the right of them. */
@inline
function pairsAt(at: v128): v128 {
  let pairs = v128.load_lane<u16>(changetype<usize>(picture) + i32x4.extract_lane(at, 0), i32x4.splat(0), 0);
  pairs = v128.load_lane<u16>(changetype<usize>(picture) + i32x4.extract_lane(at, 1), pairs, 2);
  pairs = v128.load_lane<u16>(changetype<usize>(picture) + i32x4.extract_lane(at, 2), pairs, 4);
  return v128.load_lane<u16>(changetype<usize>(picture) + i32x4.extract_lane(at, 3), pairs, 6);
}

/** Between the two pixels of each pair. */
@inline
function between(pairs: v128, part: v128): v128 {
  const left = f32x4.convert_i32x4_u(v128.and(pairs, i32x4.splat(255)));
  const right = f32x4.convert_i32x4_u(i32x4.shr_u(pairs, 8));
  return f32x4.add(left, f32x4.mul(f32x4.sub(right, left), part));
}

/**
 * Draws the target's place in the photograph, as large as the small picture, with a margin. Each pixel is the mean of four places,
 * since a tilted target is finer in one direction than in the other.
 * @param scale - pixels of the searched photograph per pixel here
 */
export function warp(pictureWidth: i32, pictureHeight: i32, scale: f64, targetWidth: i32, targetHeight: i32): void {
  const x0 = corners[0], y0 = corners[1], x1 = corners[2], y1 = corners[3];
  const x2 = corners[4], y2 = corners[5], x3 = corners[6], y3 = corners[7];
  // The projection of the unit square (Heckbert 1989)
  const sx = x0 - x1 + x2 - x3, sy = y0 - y1 + y2 - y3;
  const dx1 = x1 - x2, dx2 = x3 - x2, dy1 = y1 - y2, dy2 = y3 - y2;
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / area, h = (dx1 * sy - sx * dy1) / area;
  const a = x1 - x0 + g * x1, b = x3 - x0 + h * x3, d = y1 - y0 + g * y1, e = y3 - y0 + h * y3;
  const stride = width + 2 * MARGIN, rows = height + 2 * MARGIN;
  const zero = f32x4.splat(0), one = f32x4.splat(1), half = f32x4.splat(0.5);
  const right = f32x4.splat(<f32>(pictureWidth - 1)), bottom = f32x4.splat(<f32>(pictureHeight - 1));
  const shrink = f32x4.splat(<f32>(1 / scale));
  let at = 0;
  for (let j = 0; j < rows; j++) {
    const top = <f64>(j - MARGIN) / <f64>height - 0.5 / <f64>targetHeight;
    const v = f32x4.add(f32x4.splat(<f32>top), f32x4.mul(f32x4(0.25, 0.25, 0.75, 0.75), f32x4.splat(<f32>(1 / <f64>height))));
    for (let i = 0; i < stride; i++, at++) {
      const left = <f64>(i - MARGIN) / <f64>width - 0.5 / <f64>targetWidth;
      const u = f32x4.add(f32x4.splat(<f32>left), f32x4.mul(f32x4(0.25, 0.75, 0.25, 0.75), f32x4.splat(<f32>(1 / <f64>width))));
      const w = f32x4.add(linear(u, v, g, h), one);
      const x = f32x4.sub(f32x4.mul(f32x4.add(f32x4.div(f32x4.add(linear(u, v, a, b), f32x4.splat(<f32>x0)), w), half), shrink), half);
      const y = f32x4.sub(f32x4.mul(f32x4.add(f32x4.div(f32x4.add(linear(u, v, d, e), f32x4.splat(<f32>y0)), w), half), shrink), half);
      const isInside = v128.and(
        v128.and(f32x4.gt(w, zero), v128.and(f32x4.ge(x, zero), f32x4.ge(y, zero))),
        v128.and(f32x4.le(x, right), f32x4.le(y, bottom)),
      );
      hidden[at] = i32x4.all_true(isInside) ? 0 : 1;
      other[at] = 0;
      if (hidden[at]) continue;
      const column = f32x4.floor(f32x4.min(x, f32x4.sub(right, one))), row = f32x4.floor(f32x4.min(y, f32x4.sub(bottom, one)));
      const first = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.mul(row, f32x4.splat(<f32>pictureWidth)), column));
      const across = f32x4.sub(x, column), down = f32x4.sub(y, row);
      const upper = between(pairsAt(first), across);
      const lower = between(pairsAt(i32x4.add(first, i32x4.splat(pictureWidth))), across);
      const four = f32x4.add(upper, f32x4.mul(f32x4.sub(lower, upper), down));
      const two = f32x4.add(four, v128.shuffle<f32>(four, four, 2, 3, 0, 1));
      other[at] = <u8>((f32x4.extract_lane(two, 0) + f32x4.extract_lane(two, 1)) / 4 + 0.5);
    }
  }
}

@inline
function linear(u: v128, v: v128, forU: f64, forV: f64): v128 {
  return f32x4.add(f32x4.mul(u, f32x4.splat(<f32>forU)), f32x4.mul(v, f32x4.splat(<f32>forV)));
}

/** The best correlation of a window around a place in the photograph. */
function likeness(window: i32, x: i32, y: i32): f64 {
  const stride = width + 2 * MARGIN;
  let best: f64 = -1;
  for (let top = y + MARGIN - REACH; top <= y + MARGIN + REACH; top++) {
    for (let left = x + MARGIN - REACH; left <= x + MARGIN + REACH; left++) {
      best = Math.max(best, correlation(window, changetype<usize>(other) + top * stride + left, stride));
    }
  }
  return best;
}

/** Whether the photograph has all of a window, wherever it is found. Hidden parts have straight edges: the corners suffice. */
function isVisible(x: i32, y: i32): bool {
  const stride = width + 2 * MARGIN, far = WINDOW - 1 + 2 * REACH;
  const first = (y + MARGIN - REACH) * stride + x + MARGIN - REACH, last = first + far * stride;
  return !(hidden[first] | hidden[first + far] | hidden[last] | hidden[last + far]);
}

/** Whether the target looks nearly the same beside a window: lines of text and grids say nothing about where they are. */
function repeats(window: i32): bool {
  for (let side = 0; side < 4; side++) {
    const x = xs[window] + BESIDE_X[side], y = ys[window] + BESIDE_Y[side];
    for (let top = max(0, y - REACH); top <= min(height - WINDOW, y + REACH); top++) {
      for (let left = max(0, x - REACH); left <= min(width - WINDOW, x + REACH); left++) {
        if (correlation(window, changetype<usize>(small) + top * width + left, width) >= REPEATED) return true;
      }
    }
  }
  return false;
}

/** Whether the photograph looks at least as much like the window beside its own place. */
function isElsewhere(window: i32, least: f64): bool {
  for (let side = 0; side < 4; side++) {
    const x = xs[window] + BESIDE_X[side], y = ys[window] + BESIDE_Y[side];
    if (isVisible(x, y) && likeness(window, x, y) >= least) return true;
  }
  return false;
}

/** Whether the photograph is plain at a window's place: glare and covers are no evidence against the target. */
function isPlain(window: i32): bool {
  const stride = width + 2 * MARGIN;
  const at = changetype<usize>(other) + (ys[window] + MARGIN) * stride + xs[window] + MARGIN;
  addUp(at, stride, at, stride);
  return squares * PIXELS - sum * sum < PLAIN * PLAIN;
}

/** How many windows look like the target's, at their own places only: looks no further if none does and only many would be evidence. */
export function countAlike(needsMany: bool): i32 {
  let alike = 0, best: f64 = UNSEEN;
  lookedAt = covered = 0;
  for (let window = 0; window < count; window++) {
    const x = xs[window], y = ys[window];
    own[window] = isVisible(x, y) && !isPlain(window) ? likeness(window, x, y) : UNSEEN;
    best = Math.max(best, own[window]);
  }
  if (needsMany && best <= ALIKE) return 0;
  for (let window = 0; window < count; window++) {
    if (own[window] == UNSEEN || repeats(window)) continue;
    lookedAt++;
    if (own[window] < COVERED) covered++;
    else if (own[window] > ALIKE && !isElsewhere(window, own[window])) alike++;
  }
  return alike;
}

