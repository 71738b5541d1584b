/*
 * Structural similarity of prepared images, in AssemblyScript: the inner loop of a query.
 *
 * A prepared image has WINDOWS windows per plane, in the order full, right or bottom edge, corner. Of each window it
 * has the pixels, the sum S of the pixels, and D = n·ΣP² - S² with n the number of pixels: all of them integers, so
 * that nothing is lost. With E = n·ΣPQ - S·S', the score of image-ssim for a window of two images is
 *
 *     (2SS' + C1·n²) (2E + C2·n(n-1))  /  (S² + S'² + C1·n²) (D + D' + C2·n(n-1))
 *
 * and, because E is at most √(DD'), it cannot be above the same with √(DD') in the place of E.
 */

const WINDOWS: i32 = 1849; // 43 x 43 windows of 6 x 6 pixels in 256 x 256
const FULL: i32 = 1764; // 42 x 42 of 36 pixels
const FULL_AND_EDGE: i32 = 1848; // then 2 x 42 of 24, and one of 16
const PLANES: i32 = 3;
const PIXELS: i32 = 36;
const WIDE_PIXELS: i32 = 40; // a window of the query: 16 bits a pixel, padded with zeros

const C1: f64 = (0.01 * 255) * (0.01 * 255);
const C2: f64 = (0.03 * 255) * (0.03 * 255);

/** What a bound, computed in 32-bit floats, may be off by. */
const MARGIN: f64 = 1e-5;
/** Windows between two looks at whether the rest can still reach the threshold. */
const STRIDE: i32 = 128;

// Memory: an image as it is prepared, then the query's, then the bounds.
const SPREADS: i32 = 0;
const SUMS: i32 = SPREADS + PLANES * WINDOWS * 4;
const WINDOW_PIXELS: i32 = SUMS + PLANES * WINDOWS * 2;
const QUERY_SPREADS: i32 = 262144;
const QUERY_SUMS: i32 = QUERY_SPREADS + PLANES * WINDOWS * 4;
const QUERY_PIXELS: i32 = 327680;
const BOUNDS: i32 = 786432;

/** The most that the score, times the number of windows, can still be. */
let bound: f64 = 0;

/** Where the caller is to put the parts of an image. */
export function spreadsAt(): i32 {
  return SPREADS;
}
export function sumsAt(): i32 {
  return SUMS;
}
export function pixelsAt(): i32 {
  return WINDOW_PIXELS;
}

/** Makes the image in memory the query; a grey one has one plane for all three. */
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

/**
 * The score of the image in memory against the query, the mean over all windows; -2 when it turns out on the way that
 * it cannot be above `threshold`. To be called after mayReach.
 */
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
