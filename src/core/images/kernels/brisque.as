/*
 * The sums behind BRISQUE's features, in AssemblyScript, of an image and of its half in one pass: every row is pushed, and once
 * the three below it are pushed too, it is added. The arithmetic is that of OpenCV's quality module, in 32-bit floats and in its
 * order, because flat areas make it matter: there the variance is a rounding error, its sign decides whether a pixel counts.
 *
 * y: grey values 0..1; mu: y blurred; sigma: √(y² blurred - mu²); z = (y - mu) / (sigma + 1/255).
 */

const SLOTS: i32 = 8; // rows kept: 7 for the blur, in a ring
const SCALE: f32 = <f32>(1.0 / 255.0);
/** A row has values at both ends, of which the blur uses 3, and room for steps of 64 to run over. */
const EDGE: i32 = 4;
const ROOM: i32 = 80;

// 7x7 Gaussian, sigma 7/6: the weights of distance 0 to 3.
const K0: f32 = 0.3426315188407898;
const K1: f32 = 0.23729607462882996;
const K2: f32 = 0.07882796227931976;
const K3: f32 = 0.01256020087748766;

/** Sums kept of each map of values: positive, negative ones counted; squares of positive, of all; magnitudes. */
const FIELDS: i32 = 5;
const MAPS: i32 = 5; // z, and its products with itself shifted by (0,1), (1,0), (1,1), (-1,1)
/** Each sum has two parts, which {@link push} adds at the end. */
const SUMS_BYTES: i32 = MAPS * FIELDS * 16;

@unmanaged
class Level {
  width: i32;
  height: i32;
  pushed: i32; // rows
  rowBytes: i32;
  sums: i32;
  grey: i32; // SLOTS rows
  blurred: i32; // SLOTS rows of 4 blurred values, 4 blurred squares, and so on
  current: i32; // one row of z
  previous: i32; // one row of z
  /** Behind a row of z: a row of bits that say where it is positive, and one where it is negative. */
  bitBytes: i32;
}
const LEVEL_BYTES: i32 = 40;
/** Columns of which one of the half is made; one of them weighs nothing. */
const TAPS: i32 = 5;

const SUMS: i32 = 0;
const LEVELS: i32 = SUMS + 2 * SUMS_BYTES;
const ROWS: i32 = LEVELS + 2 * LEVEL_BYTES + 16;

const whole = changetype<Level>(LEVELS);
const half = changetype<Level>(LEVELS + LEVEL_BYTES);

/** 64-bit floats: of the four rows that a row of the half is made of, the columns 0, 2, 4…; then -1, 1, 3… */
let evens: i32 = 0;
let odds: i32 = 0;
/** 64-bit floats: for two columns of the half, those of each tap. */
let columnWeights: i32 = 0;
let source: i32 = 0;

/** Returns where the caller puts parts of the image of at most `room` bytes. */
export function begin(width: i32, height: i32, room: i32): i32 {
  let end = layOut(whole, SUMS, width, height, ROWS);
  end = layOut(half, SUMS + SUMS_BYTES, width >> 1, height >> 1, end);
  evens = end;
  const columnBytes = ((width >> 1) + EDGE) << 3;
  odds = evens + columnBytes + 8;
  columnWeights = odds + columnBytes;
  source = columnWeights + TAPS * columnBytes;
  const missing = source + room + 16 - (memory.size() << 16);
  if (missing > 0) memory.grow((missing + 65535) >> 16);
  memory.fill(SUMS, 0, 2 * SUMS_BYTES);
  memory.fill(whole.current, 0, half.grey - whole.current);
  memory.fill(half.current, 0, end - half.current);
  weighColumns();
  return source;
}

function layOut(level: Level, sums: i32, width: i32, height: i32, start: i32): i32 {
  level.width = width;
  level.height = height;
  level.pushed = 0;
  level.rowBytes = ((width + 2 * EDGE + ROOM) & ~3) << 2;
  level.sums = sums;
  level.grey = start;
  level.blurred = level.grey + SLOTS * level.rowBytes;
  level.current = level.blurred + 2 * SLOTS * level.rowBytes;
  level.bitBytes = ((width >> 6) + 2) << 3;
  level.previous = level.current + level.rowBytes + 2 * level.bitBytes;
  return level.previous + level.rowBytes + 2 * level.bitBytes;
}

/** Reads the next rows from where {@link begin} said. */
export function push(rows: i32): void {
  for (let row = 0; row < rows; row++) {
    pushRow(source + row * whole.width);
    while (half.pushed < half.height && min(halfRowStart(half.pushed) + 3, whole.height) <= whole.pushed) pushHalfRow();
  }
  if (whole.pushed < whole.height) return;
  for (let at = SUMS; at < SUMS + 2 * SUMS_BYTES; at += 16) store<f64>(at >> 1, load<f64>(at) + load<f64>(at, 8));
}

function pushRow(bytes: i32): void {
  const scale = f32x4.splat(SCALE);
  const line = rowAt(whole, whole.grey, whole.pushed) + EDGE * 4;
  for (let x = 0; x < whole.width; x += 16) {
    const values = v128.load(bytes + x);
    const low = i16x8.extend_low_i8x16_u(values);
    const high = i16x8.extend_high_i8x16_u(values);
    const to = line + (x << 2);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(low)), scale));
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(low)), scale), 16);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(high)), scale), 32);
    v128.store(to, f32x4.mul(f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(high)), scale), 48);
  }
  rowPushed(whole);
}

/** The second of the four rows that a row of the half is made of; each may lie outside of the image. */
@inline
function halfRowStart(row: i32): i32 {
  return <i32>Math.floor(positionOf(row, whole.height, half.height));
}

/** OpenCV's cubic interpolation, in 64-bit floats. */
function pushHalfRow(): void {
  const y = positionOf(half.pushed, whole.height, half.height);
  const v = y - Math.floor(y);
  const v0 = f64x2.splat(outerWeight(1 + v));
  const v1 = f64x2.splat(innerWeight(v));
  const v2 = f64x2.splat(innerWeight(1 - v));
  const v3 = f64x2.splat(1 - outerWeight(1 + v) - innerWeight(v) - innerWeight(1 - v));
  const start = <i32>Math.floor(y);
  const a = whole.grey + clampedSlot(whole, start - 1);
  const b = whole.grey + clampedSlot(whole, start);
  const c = whole.grey + clampedSlot(whole, start + 1);
  const d = whole.grey + clampedSlot(whole, start + 2);
  const width = whole.width;
  for (let x = 0; x < width; x += 4) {
    const at = x << 2;
    const fa = v128.load(a + at, EDGE * 4);
    const fb = v128.load(b + at, EDGE * 4);
    const fc = v128.load(c + at, EDGE * 4);
    const fd = v128.load(d + at, EDGE * 4);
    let low = f64x2.mul(v0, f64x2.promote_low_f32x4(fa));
    low = f64x2.add(low, f64x2.mul(v1, f64x2.promote_low_f32x4(fb)));
    low = f64x2.add(low, f64x2.mul(v2, f64x2.promote_low_f32x4(fc)));
    low = f64x2.add(low, f64x2.mul(v3, f64x2.promote_low_f32x4(fd)));
    let high = f64x2.mul(v0, promoteHigh(fa));
    high = f64x2.add(high, f64x2.mul(v1, promoteHigh(fb)));
    high = f64x2.add(high, f64x2.mul(v2, promoteHigh(fc)));
    high = f64x2.add(high, f64x2.mul(v3, promoteHigh(fd)));
    v128.store(evens + at, v128.shuffle<i64>(low, high, 0, 2));
    v128.store(odds + at, v128.shuffle<i64>(low, high, 1, 3), 8);
  }
  store<f64>(odds, load<f64>(evens));
  // The last column is repeated, too. Values behind it are read and weigh nothing: they must not be NaN.
  const columns = (width >> 1) << 3;
  const last = width & 1 ? load<f64>(evens + columns) : load<f64>(odds + columns);
  store<f64>(evens + columns, last);
  store<f64>(odds + columns, last, 8);
  const line = rowAt(half, half.grey, half.pushed) + EDGE * 4;
  const halfWidth = half.width;
  let weights = columnWeights;
  for (let x = 0; x < halfWidth; x += 2) {
    const even = evens + (x << 3);
    const odd = odds + (x << 3);
    let sum = f64x2.mul(v128.load(weights), v128.load(odd));
    sum = f64x2.add(sum, f64x2.mul(v128.load(weights, 16), v128.load(even)));
    sum = f64x2.add(sum, f64x2.mul(v128.load(weights, 32), v128.load(odd, 8)));
    sum = f64x2.add(sum, f64x2.mul(v128.load(weights, 48), v128.load(even, 8)));
    sum = f64x2.add(sum, f64x2.mul(v128.load(weights, 64), v128.load(odd, 16)));
    v128.store64_lane(line + (x << 2), f32x4.demote_f64x2_zero(sum), 0);
    weights += TAPS * 16;
  }
  rowPushed(half);
}

@inline
function promoteHigh(lanes: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(lanes, lanes, 1, 1));
}

/** The weights of the columns 2x - 1 to 2x + 3 in column x of the half: of four of them, from the first or from the second on. */
function weighColumns(): void {
  memory.fill(columnWeights, 0, source - columnWeights);
  for (let x = 0; x < half.width; x++) {
    const position = positionOf(x, whole.width, half.width);
    const u = position - Math.floor(position);
    const first = <i32>Math.floor(position) - 2 * x;
    const at = columnWeights + ((x >> 1) * TAPS + first) * 16 + (x & 1) * 8;
    const u0 = outerWeight(1 + u);
    const u1 = innerWeight(u);
    const u2 = innerWeight(1 - u);
    store<f64>(at, u0);
    store<f64>(at, u1, 16);
    store<f64>(at, u2, 32);
    store<f64>(at, 1 - u0 - u1 - u2, 48);
  }
}

/** Adds the row whose last neighbour was pushed; after the last row, all that are left. */
function rowPushed(level: Level): void {
  blurAlong(level, level.pushed);
  level.pushed++;
  const row = level.pushed - 4;
  if (row >= 0) addRow(level, row);
  if (level.pushed < level.height) return;
  for (let last = max(0, row + 1); last < level.height; last++) addRow(level, last);
}

function addRow(level: Level, row: i32): void {
  const current = level.previous;
  const previous = level.current;
  level.previous = previous;
  level.current = current;
  normalise(level, row);
  noteSigns(level);
  countSigns(level);
  for (let x = 0; x < level.width; ) {
    // 32-bit sums of at most 64 steps lose nothing that shows.
    const end = min(x + 256, level.width);
    addMap(level, 0, x, end, current, -1);
    addMap(level, 1, x, end, current, current + 4);
    addMap(level, 2, x, end, previous, current);
    addMap(level, 3, x, end, previous, current + 4);
    addMap(level, 4, x, end, current, previous + 4);
    x = end;
  }
}

function noteSigns(level: Level): void {
  const zero = f32x4.splat(0);
  const z = level.current;
  const positives = z + level.rowBytes;
  const negatives = positives + level.bitBytes;
  const end = (level.width + 63) & ~63;
  for (let x = 0; x < end; x += 16) {
    const from = z + (x << 2);
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    store<u16>(positives + (x >> 3), bitsOf(f32x4.gt(a, zero), f32x4.gt(b, zero), f32x4.gt(c, zero), f32x4.gt(d, zero)));
    store<u16>(negatives + (x >> 3), bitsOf(f32x4.lt(a, zero), f32x4.lt(b, zero), f32x4.lt(c, zero), f32x4.lt(d, zero)));
  }
}

@inline
function bitsOf(a: v128, b: v128, c: v128, d: v128): i32 {
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

function countSigns(level: Level): void {
  const positives = level.current + level.rowBytes;
  const above = level.previous + level.rowBytes;
  const bitBytes = level.bitBytes;
  let count0: i64 = 0;
  let count1: i64 = 0;
  let count2: i64 = 0;
  let count3: i64 = 0;
  let count4: i64 = 0;
  let negative0: i64 = 0;
  let negative1: i64 = 0;
  let negative2: i64 = 0;
  let negative3: i64 = 0;
  let negative4: i64 = 0;
  const bytes = ((level.width + 63) >> 6) << 3;
  for (let at = 0; at < bytes; at += 8) {
    const p = load<u64>(positives + at);
    const n = load<u64>(positives + at + bitBytes);
    const q = load<u64>(above + at);
    const m = load<u64>(above + at + bitBytes);
    // The neighbours to the right
    const pr = (p >> 1) | (load<u64>(positives + at, 8) << 63);
    const nr = (n >> 1) | (load<u64>(positives + at + bitBytes, 8) << 63);
    const qr = (q >> 1) | (load<u64>(above + at, 8) << 63);
    const mr = (m >> 1) | (load<u64>(above + at + bitBytes, 8) << 63);
    count0 += popcnt(p);
    negative0 += popcnt(n);
    count1 += popcnt((p & pr) | (n & nr));
    negative1 += popcnt((p & nr) | (n & pr));
    count2 += popcnt((p & q) | (n & m));
    negative2 += popcnt((p & m) | (n & q));
    count3 += popcnt((pr & q) | (nr & m));
    negative3 += popcnt((pr & m) | (nr & q));
    count4 += popcnt((p & qr) | (n & mr));
    negative4 += popcnt((p & mr) | (n & qr));
  }
  addCounts(level, 0, count0, negative0);
  addCounts(level, 1, count1, negative1);
  addCounts(level, 2, count2, negative2);
  addCounts(level, 3, count3, negative3);
  addCounts(level, 4, count4, negative4);
}

@inline
function addCounts(level: Level, map: i32, positives: i64, negatives: i64): void {
  const sums = level.sums + map * FIELDS * 16;
  store<f64>(sums, load<f64>(sums) + <f64>positives);
  store<f64>(sums, load<f64>(sums, 16) + <f64>negatives, 16);
}

/** Computes z of a row, and zeros behind it. */
function normalise(level: Level, row: i32): void {
  const k0 = f32x4.splat(K0);
  const k1 = f32x4.splat(K1);
  const k2 = f32x4.splat(K2);
  const k3 = f32x4.splat(K3);
  const small = f32x4.splat(SCALE);
  const line = rowAt(level, level.grey, row) + EDGE * 4;
  const blurred = level.blurred;
  const above1 = blurred + 2 * clampedSlot(level, row - 1);
  const above2 = blurred + 2 * clampedSlot(level, row - 2);
  const above3 = blurred + 2 * clampedSlot(level, row - 3);
  const below1 = blurred + 2 * clampedSlot(level, row + 1);
  const below2 = blurred + 2 * clampedSlot(level, row + 2);
  const below3 = blurred + 2 * clampedSlot(level, row + 3);
  const own = blurred + 2 * clampedSlot(level, row);
  const current = level.current;
  const width = level.width;
  for (let x = 0; x < width; x += 4) {
    const at = x << 3;
    let mu = f32x4.mul(k0, v128.load(own + at));
    mu = f32x4.add(mu, f32x4.mul(k1, f32x4.add(v128.load(above1 + at), v128.load(below1 + at))));
    mu = f32x4.add(mu, f32x4.mul(k2, f32x4.add(v128.load(above2 + at), v128.load(below2 + at))));
    mu = f32x4.add(mu, f32x4.mul(k3, f32x4.add(v128.load(above3 + at), v128.load(below3 + at))));
    let square = f32x4.mul(k0, v128.load(own + at, 16));
    square = f32x4.add(square, f32x4.mul(k1, f32x4.add(v128.load(above1 + at, 16), v128.load(below1 + at, 16))));
    square = f32x4.add(square, f32x4.mul(k2, f32x4.add(v128.load(above2 + at, 16), v128.load(below2 + at, 16))));
    square = f32x4.add(square, f32x4.mul(k3, f32x4.add(v128.load(above3 + at, 16), v128.load(below3 + at, 16))));
    const sigma = f32x4.sqrt(f32x4.sub(square, f32x4.mul(mu, mu)));
    const z = f32x4.div(f32x4.sub(v128.load(line + (x << 2)), mu), f32x4.add(sigma, small));
    // NaN counts nowhere, as in OpenCV, and zero neither.
    v128.store(current + (x << 2), v128.and(z, f32x4.eq(z, z)));
  }
  memory.fill(current + (width << 2), 0, ROOM * 4);
}

/** Adds the products of two rows of z to a map's sums; without a second row, z itself. */
@inline
function addMap(level: Level, map: i32, start: i32, end: i32, first: i32, second: i32): void {
  const zero = f32x4.splat(0);
  let positiveSquares = zero;
  let allSquares = zero;
  let magnitudes = zero;
  for (let x = start; x < end; x += 4) {
    let value = v128.load(first + (x << 2));
    if (second >= 0) value = f32x4.mul(value, v128.load(second + (x << 2)));
    allSquares = f32x4.add(allSquares, f32x4.mul(value, value));
    magnitudes = f32x4.add(magnitudes, f32x4.abs(value));
    const positive = f32x4.pmax(zero, value);
    positiveSquares = f32x4.add(positiveSquares, f32x4.mul(positive, positive));
  }
  const sums = level.sums + map * FIELDS * 16;
  addFloats(sums + 32, positiveSquares);
  addFloats(sums + 48, allSquares);
  addFloats(sums + 64, magnitudes);
}

/** Blurs a row, and its squares; the ends are repeated outwards. */
function blurAlong(level: Level, row: i32): void {
  const width = level.width;
  const line = rowAt(level, level.grey, row);
  v128.store(line, v128.load32_splat(line + EDGE * 4));
  const end = line + ((width + EDGE) << 2);
  v128.store(end, v128.load32_splat(end - 4));
  const k0 = f32x4.splat(K0);
  const k1 = f32x4.splat(K1);
  const k2 = f32x4.splat(K2);
  const k3 = f32x4.splat(K3);
  const to = level.blurred + 2 * (row & (SLOTS - 1)) * level.rowBytes;
  for (let x = 0; x < width; x += 4) {
    const at = line + (x << 2);
    const left3 = v128.load(at, 4);
    const left2 = v128.load(at, 8);
    const left1 = v128.load(at, 12);
    const own = v128.load(at, 16);
    const right1 = v128.load(at, 20);
    const right2 = v128.load(at, 24);
    const right3 = v128.load(at, 28);
    let sum = f32x4.mul(k0, own);
    sum = f32x4.add(sum, f32x4.mul(k1, f32x4.add(left1, right1)));
    sum = f32x4.add(sum, f32x4.mul(k2, f32x4.add(left2, right2)));
    sum = f32x4.add(sum, f32x4.mul(k3, f32x4.add(left3, right3)));
    v128.store(to + (x << 3), sum);
    sum = f32x4.mul(k0, f32x4.mul(own, own));
    sum = f32x4.add(sum, f32x4.mul(k1, f32x4.add(f32x4.mul(left1, left1), f32x4.mul(right1, right1))));
    sum = f32x4.add(sum, f32x4.mul(k2, f32x4.add(f32x4.mul(left2, left2), f32x4.mul(right2, right2))));
    sum = f32x4.add(sum, f32x4.mul(k3, f32x4.add(f32x4.mul(left3, left3), f32x4.mul(right3, right3))));
    v128.store(to + (x << 3), sum, 16);
  }
}

@inline
function rowAt(level: Level, ring: i32, row: i32): i32 {
  return ring + (row & (SLOTS - 1)) * level.rowBytes;
}

@inline
function clampedSlot(level: Level, row: i32): i32 {
  return (max(0, min(row, level.height - 1)) & (SLOTS - 1)) * level.rowBytes;
}

@inline
function positionOf(index: i32, from: i32, to: i32): f64 {
  return (index + 0.5) * (<f64>from / to) - 0.5;
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

@inline
function addFloats(sums: i32, lanes: v128): void {
  const high = f64x2.promote_low_f32x4(v128.shuffle<i64>(lanes, lanes, 1, 0));
  v128.store(sums, f64x2.add(v128.load(sums), f64x2.add(f64x2.promote_low_f32x4(lanes), high)));
}
