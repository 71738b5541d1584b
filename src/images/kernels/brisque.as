/*
 * The sums behind BRISQUE's features, in AssemblyScript, row by row: every row is pushed, and once the three below it
 * are pushed too, it is added. The arithmetic is that of OpenCV's quality module, in 32-bit floats and in its order,
 * because flat areas make it matter: there the variance is a rounding error, its sign decides whether a pixel counts.
 *
 * y: grey values 0..1; mu: y blurred; sigma: √(y² blurred - mu²); z = (y - mu) / (sigma + 1/255).
 */

const SLOTS: i32 = 8; // rows kept: 7 for the blur, in a ring
const SCALE: f32 = <f32>(1.0 / 255.0);
/** A row has 3 values more at both ends, and room for steps of 4 to run over. */
const EDGE: i32 = 3;
const ROOM: i32 = 16;

// 7x7 Gaussian, sigma 7/6: the weights of distance 0 to 3.
const K0: f32 = 0.3426315188407898;
const K1: f32 = 0.23729607462882996;
const K2: f32 = 0.07882796227931976;
const K3: f32 = 0.01256020087748766;

/** Sums kept of each map of values: positive, negative ones counted; squares of positive, of all; magnitudes. */
const FIELDS: i32 = 5;
const MAPS: i32 = 5; // z, and its products with itself shifted by (0,1), (1,0), (1,1), (-1,1)
const SUMS: i32 = 0;
const ROWS: i32 = SUMS + MAPS * FIELDS * 8 + 56;

let width: i32 = 0;
let height: i32 = 0;
let sourceWidth: i32 = 0;
let sourceHeight: i32 = 0;
let rowBytes: i32 = 0;
let squares: i32 = 0; // one row
let blurred: i32 = 0; // SLOTS rows
let blurredSquares: i32 = 0; // SLOTS rows
let current: i32 = 0; // one row of z
let previous: i32 = 0; // one row of z
let source: i32 = 0; // up to 4 rows of bytes

/** Starts on an image of this size, or on half of it; returns where the caller is to put rows of the image. */
export function begin(imageWidth: i32, imageHeight: i32, half: bool): i32 {
  sourceWidth = imageWidth;
  sourceHeight = imageHeight;
  width = half ? imageWidth >> 1 : imageWidth;
  height = half ? imageHeight >> 1 : imageHeight;
  rowBytes = (width + 2 * EDGE + ROOM) * 4;
  squares = ROWS + SLOTS * rowBytes;
  blurred = squares + rowBytes;
  blurredSquares = blurred + SLOTS * rowBytes;
  current = blurredSquares + SLOTS * rowBytes;
  previous = current + rowBytes;
  source = previous + rowBytes;
  const end = source + 4 * sourceWidth + ROOM;
  const missing = end - (memory.size() << 16);
  if (missing > 0) memory.grow((missing + 65535) >> 16);
  memory.fill(SUMS, 0, MAPS * FIELDS * 8);
  memory.fill(current, 0, 2 * rowBytes);
  return source;
}

/** Pushes a row of the whole image, from the caller's row of bytes. */
export function pushRow(row: i32): void {
  const line = rowAt(ROWS, row);
  for (let x = 0; x < width; x++) {
    store<f32>(line + ((x + EDGE) << 2), <f32>load<u8>(source + x) * SCALE);
  }
  blurAlong(line, row);
}

/** Which row of the image is the second of the four that a row of the half image is made of; any may be outside. */
export function halfRowSource(row: i32): i32 {
  return <i32>Math.floor(positionOf(row, sourceHeight, height));
}

/** Pushes a row of the half image, from the caller's four rows of bytes: OpenCV's cubic interpolation. */
export function pushHalfRow(row: i32): void {
  const line = rowAt(ROWS, row);
  const y = positionOf(row, sourceHeight, height);
  const v = y - Math.floor(y);
  const v0 = outerWeight(1 + v);
  const v1 = innerWeight(v);
  const v2 = innerWeight(1 - v);
  const v3 = 1 - v0 - v1 - v2;
  for (let x = 0; x < width; x++) {
    const position = positionOf(x, sourceWidth, width);
    const start = Math.floor(position);
    const u = position - start;
    const u0 = outerWeight(1 + u);
    const u1 = innerWeight(u);
    const u2 = innerWeight(1 - u);
    const at = <i32>start;
    const sum =
      u0 * columnAt(at - 1, v0, v1, v2, v3) +
      u1 * columnAt(at, v0, v1, v2, v3) +
      u2 * columnAt(at + 1, v0, v1, v2, v3) +
      (1 - u0 - u1 - u2) * columnAt(at + 2, v0, v1, v2, v3);
    store<f32>(line + ((x + EDGE) << 2), <f32>sum);
  }
  blurAlong(line, row);
}

/** Adds a row, when it and the three below it have been pushed. */
export function addRow(row: i32): void {
  const swapped = previous;
  previous = current;
  current = swapped;
  normalise(row);
  for (let x = 0; x < width; ) {
    // 32-bit sums of at most 64 steps lose nothing that shows.
    const end = min(x + 256, width);
    addMap(0, x, end, current, -1);
    addMap(1, x, end, current, current + 4);
    addMap(2, x, end, previous, current);
    addMap(3, x, end, previous, current + 4);
    addMap(4, x, end, current, previous + 4);
    x = end;
  }
}

/** z of one row, and zeros behind it. */
function normalise(row: i32): void {
  const k0 = f32x4.splat(K0);
  const k1 = f32x4.splat(K1);
  const k2 = f32x4.splat(K2);
  const k3 = f32x4.splat(K3);
  const small = f32x4.splat(SCALE);
  const line = rowAt(ROWS, row) + EDGE * 4;
  const above1 = clampedSlot(row - 1);
  const above2 = clampedSlot(row - 2);
  const above3 = clampedSlot(row - 3);
  const below1 = clampedSlot(row + 1);
  const below2 = clampedSlot(row + 2);
  const below3 = clampedSlot(row + 3);
  const own = clampedSlot(row);
  for (let x = 0; x < width; x += 4) {
    let at = blurred + (x << 2);
    let mu = f32x4.mul(k0, v128.load(at + own));
    mu = f32x4.add(mu, f32x4.mul(k1, f32x4.add(v128.load(at + above1), v128.load(at + below1))));
    mu = f32x4.add(mu, f32x4.mul(k2, f32x4.add(v128.load(at + above2), v128.load(at + below2))));
    mu = f32x4.add(mu, f32x4.mul(k3, f32x4.add(v128.load(at + above3), v128.load(at + below3))));
    at = blurredSquares + (x << 2);
    let square = f32x4.mul(k0, v128.load(at + own));
    square = f32x4.add(square, f32x4.mul(k1, f32x4.add(v128.load(at + above1), v128.load(at + below1))));
    square = f32x4.add(square, f32x4.mul(k2, f32x4.add(v128.load(at + above2), v128.load(at + below2))));
    square = f32x4.add(square, f32x4.mul(k3, f32x4.add(v128.load(at + above3), v128.load(at + below3))));
    const sigma = f32x4.sqrt(f32x4.sub(square, f32x4.mul(mu, mu)));
    const z = f32x4.div(f32x4.sub(v128.load(line + (x << 2)), mu), f32x4.add(sigma, small));
    v128.store(current + (x << 2), z);
  }
  memory.fill(current + (width << 2), 0, ROOM * 4);
}

/** Adds the products of two rows of z, or z itself, to the sums of a map. NaN counts nowhere, as in OpenCV. */
@inline
function addMap(map: i32, start: i32, end: i32, first: i32, second: i32): void {
  const zero = f32x4.splat(0);
  let positives = i32x4.splat(0);
  let negatives = i32x4.splat(0);
  let positiveSquares = zero;
  let allSquares = zero;
  let magnitudes = zero;
  for (let x = start; x < end; x += 4) {
    let value = v128.load(first + (x << 2));
    if (second >= 0) value = f32x4.mul(value, v128.load(second + (x << 2)));
    const positive = f32x4.gt(value, zero);
    const negative = f32x4.lt(value, zero);
    positives = i32x4.sub(positives, positive);
    negatives = i32x4.sub(negatives, negative);
    value = v128.and(value, v128.or(positive, negative));
    const square = f32x4.mul(value, value);
    allSquares = f32x4.add(allSquares, square);
    positiveSquares = f32x4.add(positiveSquares, v128.and(square, positive));
    magnitudes = f32x4.add(magnitudes, f32x4.abs(value));
  }
  const sums = SUMS + map * FIELDS * 8;
  store<f64>(sums, load<f64>(sums) + addInts(positives));
  store<f64>(sums + 8, load<f64>(sums + 8) + addInts(negatives));
  store<f64>(sums + 16, load<f64>(sums + 16) + addFloats(positiveSquares));
  store<f64>(sums + 24, load<f64>(sums + 24) + addFloats(allSquares));
  store<f64>(sums + 32, load<f64>(sums + 32) + addFloats(magnitudes));
}

/** Blurs a row, and its squares, from left to right; the ends are repeated outwards. */
function blurAlong(line: i32, row: i32): void {
  const first = load<f32>(line + EDGE * 4);
  const last = load<f32>(line + ((width + EDGE - 1) << 2));
  for (let x = 0; x < EDGE; x++) store<f32>(line + (x << 2), first);
  for (let x = width + EDGE; x < width + 2 * EDGE; x++) store<f32>(line + (x << 2), last);
  for (let x = 0; x < width + 2 * EDGE; x += 4) {
    const value = v128.load(line + (x << 2));
    v128.store(squares + (x << 2), f32x4.mul(value, value));
  }
  blurRow(line, rowAt(blurred, row));
  blurRow(squares, rowAt(blurredSquares, row));
}

@inline
function blurRow(from: i32, to: i32): void {
  const k0 = f32x4.splat(K0);
  const k1 = f32x4.splat(K1);
  const k2 = f32x4.splat(K2);
  const k3 = f32x4.splat(K3);
  for (let x = 0; x < width; x += 4) {
    const at = from + (x << 2);
    let sum = f32x4.mul(k0, v128.load(at, 12));
    sum = f32x4.add(sum, f32x4.mul(k1, f32x4.add(v128.load(at, 8), v128.load(at, 16))));
    sum = f32x4.add(sum, f32x4.mul(k2, f32x4.add(v128.load(at, 4), v128.load(at, 20))));
    sum = f32x4.add(sum, f32x4.mul(k3, f32x4.add(v128.load(at), v128.load(at, 24))));
    v128.store(to + (x << 2), sum);
  }
}

@inline
function rowAt(ring: i32, row: i32): i32 {
  return ring + (row & (SLOTS - 1)) * rowBytes;
}

@inline
function clampedSlot(row: i32): i32 {
  return (max(0, min(row, height - 1)) & (SLOTS - 1)) * rowBytes;
}

@inline
function positionOf(index: i32, from: i32, to: i32): f64 {
  return (index + 0.5) * (<f64>from / to) - 0.5;
}

@inline
function columnAt(x: i32, v0: f64, v1: f64, v2: f64, v3: f64): f64 {
  const at = source + max(0, min(x, sourceWidth - 1));
  const a = <f32>load<u8>(at) * SCALE;
  const b = <f32>load<u8>(at + sourceWidth) * SCALE;
  const c = <f32>load<u8>(at + 2 * sourceWidth) * SCALE;
  const d = <f32>load<u8>(at + 3 * sourceWidth) * SCALE;
  return v0 * a + v1 * b + v2 * c + v3 * d;
}

// The cubic kernel with a = -0.75, within a distance of 1 and from 1 to 2.
@inline
function innerWeight(distance: f64): f64 {
  return (1.25 * distance - 2.25) * distance * distance + 1;
}

@inline
function outerWeight(distance: f64): f64 {
  return ((-0.75 * distance + 3.75) * distance - 6) * distance + 3;
}

function addFloats(lanes: v128): f64 {
  return (
    <f64>f32x4.extract_lane(lanes, 0) +
    <f64>f32x4.extract_lane(lanes, 1) +
    <f64>f32x4.extract_lane(lanes, 2) +
    <f64>f32x4.extract_lane(lanes, 3)
  );
}

function addInts(lanes: v128): f64 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}
