/*
 * Looks at the pixels of targets' small grey pictures, in AssemblyScript: whether two of them show the same, window by window.
 */
const WINDOW: i32 = 12; // pixels of a window's side
const STEP: i32 = 6; // from one window to the next
const PIXELS: i32 = WINDOW * WINDOW;
const TEXTURE: i32 = 6 * PIXELS; // least standard deviation of a window's grey levels, times the pixels
const SAME: f64 = 0.9; // the same, of windows of pictures that are equal but for their files
const MOST_SIDE: i32 = 96;
const MOST_WINDOWS: i32 = 256;
const MOST_PICTURE: i32 = 1024 * 1024;
const ROOM: i32 = 16; // vectors that begin at a picture's last pixels reach beyond them

const picture = new StaticArray<u8>(MOST_PICTURE + ROOM);
const small = new StaticArray<u8>(MOST_SIDE * MOST_SIDE + ROOM);
const other = new StaticArray<u8>(MOST_SIDE * MOST_SIDE + ROOM);

/** A target's picture as it was searched. */
export function pictureAt(): usize { return changetype<usize>(picture); }
/** A target's small picture. */
export function smallAt(): usize { return changetype<usize>(small); }
/** Another target's, of the same size. */
export function otherAt(): usize { return changetype<usize>(other); }

/** Reduces the picture to the small one, by the mean of what each pixel covers. */
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

let width: i32 = 0;
let count: i32 = 0;
const xs = new StaticArray<i32>(MOST_WINDOWS);
const ys = new StaticArray<i32>(MOST_WINDOWS);
const sums = new StaticArray<i32>(MOST_WINDOWS);
/** Variance times the square of the number of pixels. */
const spreads = new StaticArray<i32>(MOST_WINDOWS);

let sum: i32 = 0;
let squares: i32 = 0;
let products: i32 = 0;

// @ts-ignore: decorator
@inline
function total(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) + i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3)
  );
}

/** Adds up the pixels of a window, their squares, and their products with those of another one. */
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

/** Finds the windows of the small picture that have texture, and returns how many there are. */
export function begin(w: i32, h: i32): i32 {
  width = w;
  count = 0;
  for (let y = 0; y + WINDOW <= h; y += STEP) {
    for (let x = 0; x + WINDOW <= w; x += STEP) {
      const at = smallAt() + y * w + x;
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
  addUp(at, stride, smallAt() + ys[window] * width + xs[window], width);
  const spread = squares * PIXELS - sum * sum;
  return spread == 0 ? 0 : <f64>(products * PIXELS - sum * sums[window]) / Math.sqrt(<f64>spread * <f64>spreads[window]);
}

/** Whether all windows but so many show the same as another target's small picture of the same size. */
export function isSame(others: i32): bool {
  for (let window = 0; window < count; window++) {
    if (correlation(window, otherAt() + ys[window] * width + xs[window], width) < SAME && --others < 0) return false;
  }
  return true;
}
