/*
 * Draws the pictures for tests, in AssemblyScript: layers of noise, the number over them, and grain over both. A picture keeps its
 * pixels for ever: sums are of 64-bit floats, in this order, rounded to 32 bits after each layer and after the numeral.
 */

const CHANNELS: i32 = 3;
const MIDDLE: f64 = 127.5;
const LONGEST_ROW: i32 = 1280;
const PAGE: i32 = 65_536;

// Layers of noise, in cells between whose corners colours change evenly. The first four scale with the picture, so that pictures of
// different numbers look different. The others are grain, as in photographs: without it, BRISQUE rates the picture as blurred.
const SCENE_LAYERS: i32 = 4;
const LAYERS: i32 = 7;
/** Cells in a row of the scene, then pixels in a side of the grain's cells. */
const CELLS: usize = memory.data<f64>([4, 8, 16, 24, 8, 2, 1]);
/** 1: the whole range of colours. */
const STRENGTHS: usize = memory.data<f64>([0.5, 0.4, 0.4, 0.4, 0.1, 0.06, 0.05]);
/** Where the colours of each layer's corners begin in the stream of random bytes. */
const COLOURS: usize = memory.data(LAYERS * 4);

/** A colour of the row's sums and corners, as 64-bit floats, though sums and corners are rounded to 32 bits: red, green, blue, nothing. */
const COLOUR: i32 = 32;
const SUM: usize = memory.data(LONGEST_ROW * COLOUR, 16);
/** Colours of a layer in a row: at each corner, and at one more. */
const CORNERS: usize = memory.data((LONGEST_ROW + 2) * COLOUR, 16);
/** Of each layer and column: the corner to its left, and how far it is from there to the next one. */
const LEFT: usize = memory.data(LAYERS * LONGEST_ROW * 4, 16);
const SHARE: usize = memory.data(LAYERS * LONGEST_ROW * 8, 16);
/** Place of what precedes the counter in SHA-256's input. */
export const TEXT: usize = memory.data(64);
/** Four blocks of SHA-256's input. */
const BLOCKS: usize = memory.data(4 * 64, 16);
const SCHEDULE: usize = memory.data(64 * 16, 16);

let width: i32 = 0;
let height: i32 = 0;
let row: i32 = 0;
let digitsAt: usize = 0;
let digits: i32 = 0;
let prefix: i32 = 0;
let counter: i32 = 0;

/**
 * Begins a picture, given the length of the text, and where in it the number's decimal digits are. Returns how often to digest: four
 * blocks each time.
 */
export function begin(newWidth: i32, newHeight: i32, length: i32, firstDigit: i32, digitCount: i32): i32 {
  width = newWidth;
  height = newHeight;
  prefix = length;
  digitsAt = TEXT + firstDigit;
  digits = digitCount;
  row = 0;
  counter = 0;
  let bytes = 0;
  for (let layer = 0; layer < LAYERS; layer++) {
    store<i32>(COLOURS + layer * 4, bytes);
    bytes += cornersOf(width, cellSide(layer, width)) * cornersOf(height, cellSide(layer, height)) * CHANNELS;
    placeColumns(layer);
  }
  const groups = (bytes + 127) / 128;
  // The last colour is read with the byte after it.
  const pages = (<i32>__heap_base + groups * 128 + 1 + PAGE - 1) / PAGE;
  if (pages > memory.size()) memory.grow(pages - memory.size());
  memory.fill(BLOCKS, 0, 4 * 64);
  for (let block = 0; block < 4; block++) memory.copy(BLOCKS + block * 64, TEXT, prefix);
  return groups;
}

function placeColumns(layer: i32): void {
  const cell = cellSide(layer, width);
  for (let x = 0, at = layer * LONGEST_ROW; x < width; x++, at++) {
    const place = <f64>x / cell;
    const whole = Math.floor(place);
    store<i32>(LEFT + at * 4, <i32>CORNERS + <i32>whole * COLOUR);
    store<f64>(SHARE + at * 8, place - whole);
  }
}

function cellSide(layer: i32, side: i32): f64 {
  const cells = load<f64>(CELLS + layer * 8);
  return layer < SCENE_LAYERS ? <f64>side / cells : cells;
}

function cornersOf(side: i32, cell: f64): i32 {
  return <i32>Math.ceil(<f64>side / cell) + 1;
}

const ROUND_CONSTANTS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

/** Adds to the stream of random bytes: SHA-256 of the text and a counter, of four counters at a time. */
export function digest(times: i32): void {
  for (let time = 0; time < times; time++) {
    for (let lane = 0; lane < 4; lane++) writeCounter(BLOCKS + lane * 64, counter + lane);
    hashBlocks(__heap_base + counter * 32);
    counter += 4;
  }
}

/** The counter grows: what is after it in the block was never written. */
function writeCounter(block: usize, value: i32): void {
  let length = prefix + 1;
  for (let left = value; left >= 10; left /= 10) length++;
  let at = block + length;
  store<u8>(at, 0x80);
  let left = value;
  do {
    store<u8>(--at, 48 + (left % 10));
    left /= 10;
  } while (left > 0);
  store<u16>(block, bswap<u16>(<u16>(length * 8)), 62);
}

@inline
function rotate(word: v128, bits: i32): v128 {
  return v128.or(i32x4.shr_u(word, bits), i32x4.shl(word, 32 - bits));
}

@inline
function reverseBytes(words: v128): v128 {
  return v128.shuffle<u8>(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

function hashBlocks(target: usize): void {
  for (let at = 0; at < 16; at++) {
    const from = BLOCKS + at * 4;
    let words = v128.load32_zero(from);
    words = v128.load_lane<u32>(from, words, 1, 64);
    words = v128.load_lane<u32>(from, words, 2, 128);
    words = v128.load_lane<u32>(from, words, 3, 192);
    v128.store(SCHEDULE + at * 16, reverseBytes(words));
  }
  for (let to = SCHEDULE + 16 * 16; to < SCHEDULE + 64 * 16; to += 16) {
    const w15 = v128.load(to - 15 * 16);
    const w2 = v128.load(to - 2 * 16);
    const s0 = v128.xor(v128.xor(rotate(w15, 7), rotate(w15, 18)), i32x4.shr_u(w15, 3));
    const s1 = v128.xor(v128.xor(rotate(w2, 17), rotate(w2, 19)), i32x4.shr_u(w2, 10));
    v128.store(
      to,
      i32x4.add(i32x4.add(v128.load(to - 16 * 16), s0), i32x4.add(v128.load(to - 7 * 16), s1)),
    );
  }
  let a = i32x4.splat(0x6a09e667);
  let b = i32x4.splat(0xbb67ae85);
  let c = i32x4.splat(0x3c6ef372);
  let d = i32x4.splat(0xa54ff53a);
  let e = i32x4.splat(0x510e527f);
  let f = i32x4.splat(0x9b05688c);
  let g = i32x4.splat(0x1f83d9ab);
  let h = i32x4.splat(0x5be0cd19);
  for (let round = 0; round < 64; round++) {
    const s1 = v128.xor(v128.xor(rotate(e, 6), rotate(e, 11)), rotate(e, 25));
    const choice = v128.bitselect(f, g, e);
    const added = i32x4.add(v128.load(SCHEDULE + round * 16), v128.load32_splat(ROUND_CONSTANTS + round * 4));
    const t1 = i32x4.add(i32x4.add(h, s1), i32x4.add(choice, added));
    const s0 = v128.xor(v128.xor(rotate(a, 2), rotate(a, 13)), rotate(a, 22));
    const majority = v128.bitselect(v128.or(b, c), v128.and(b, c), a);
    h = g;
    g = f;
    f = e;
    e = i32x4.add(d, t1);
    d = c;
    c = b;
    b = a;
    a = i32x4.add(t1, i32x4.add(s0, majority));
  }
  storeWords(target, i32x4.add(a, i32x4.splat(0x6a09e667)));
  storeWords(target + 4, i32x4.add(b, i32x4.splat(0xbb67ae85)));
  storeWords(target + 8, i32x4.add(c, i32x4.splat(0x3c6ef372)));
  storeWords(target + 12, i32x4.add(d, i32x4.splat(0xa54ff53a)));
  storeWords(target + 16, i32x4.add(e, i32x4.splat(0x510e527f)));
  storeWords(target + 20, i32x4.add(f, i32x4.splat(0x9b05688c)));
  storeWords(target + 24, i32x4.add(g, i32x4.splat(0x1f83d9ab)));
  storeWords(target + 28, i32x4.add(h, i32x4.splat(0x5be0cd19)));
}

@inline
function storeWords(target: usize, words: v128): void {
  const bytes = reverseBytes(words);
  v128.store_lane<u32>(target, bytes, 0);
  v128.store_lane<u32>(target, bytes, 1, 32);
  v128.store_lane<u32>(target, bytes, 2, 64);
  v128.store_lane<u32>(target, bytes, 3, 96);
}

/** Draws the next row. Returns its place: three bytes a pixel. */
export function drawRow(): usize {
  const end = SUM + width * COLOUR;
  for (let at = SUM; at < end; at += 16) v128.store(at, f64x2.splat(MIDDLE));
  for (let layer = 0; layer < SCENE_LAYERS; layer++) addLayer(layer);
  drawNumeral();
  for (let layer = SCENE_LAYERS; layer < LAYERS; layer++) addLayer(layer);
  row++;
  // Over the sums, of which each is read before its place is written.
  for (let at = SUM, to = SUM; at < end; at += COLOUR, to += CHANNELS) {
    const low = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(v128.load(at)));
    const high = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(v128.load(at, 16)));
    const words = i16x8.narrow_i32x4_s(low, high);
    const bytes = i8x16.narrow_i16x8_u(words, words);
    store<u8>(to, i8x16.extract_lane_u(bytes, 0));
    store<u8>(to, i8x16.extract_lane_u(bytes, 1), 1);
    store<u8>(to, i8x16.extract_lane_u(bytes, 4), 2);
  }
  return SUM;
}

/** To 32 bits. */
@inline
function rounded(values: v128): v128 {
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(values));
}

function addLayer(layer: i32): void {
  mixCorners(layer, cornersOf(width, cellSide(layer, width)));
  let lefts = LEFT + layer * LONGEST_ROW * 4;
  let shares = SHARE + layer * LONGEST_ROW * 8;
  const end = SUM + width * COLOUR;
  for (let at = SUM; at < end; at += COLOUR, lefts += 4, shares += 8) {
    const left = <usize>load<i32>(lefts);
    const share = load<f64>(shares);
    let low = v128.load(left);
    let high = v128.load(left, 16);
    if (share == 0) {
      low = f64x2.add(v128.load(at), low);
      high = f64x2.add(v128.load(at, 16), high);
    } else {
      const near = f64x2.splat(1 - share);
      const far = f64x2.splat(share);
      low = f64x2.add(
        f64x2.add(v128.load(at), f64x2.mul(low, near)),
        f64x2.mul(v128.load(left, COLOUR), far),
      );
      high = f64x2.add(
        f64x2.add(v128.load(at, 16), f64x2.mul(high, near)),
        f64x2.mul(v128.load(left, COLOUR + 16), far),
      );
    }
    v128.store(at, rounded(low));
    v128.store(at, rounded(high), 16);
  }
}

/** The colours between the corners above the row and those below it. */
function mixCorners(layer: i32, corners: i32): void {
  const place = <f64>row / cellSide(layer, height);
  const above = Math.floor(place);
  const share = place - above;
  const length = corners * CHANNELS;
  let from = __heap_base + load<i32>(COLOURS + layer * 4) + <i32>above * length;
  const end = CORNERS + corners * COLOUR;
  const strength = f64x2.splat(load<f64>(STRENGTHS + layer * 8));
  for (let to = CORNERS; to < end; to += COLOUR, from += CHANNELS) {
    const low = between(from, length, share);
    const high = between(from + 2, length, share);
    // Mostly light and dark: pure colours look unnatural to BRISQUE.
    const light = f64x2.splat(0.7 * f64x2.extract_lane(low, 0));
    v128.store(to, rounded(f64x2.mul(strength, f64x2.add(light, f64x2.mul(f64x2.splat(0.3), low)))));
    v128.store(to, rounded(f64x2.mul(strength, f64x2.add(light, f64x2.mul(f64x2.splat(0.3), high)))), 16);
  }
}

@inline
function between(above: usize, length: i32, share: f64): v128 {
  const middle = f64x2.splat(MIDDLE);
  if (share == 0) return f64x2.sub(twoBytes(above), middle);
  const near = f64x2.mul(twoBytes(above), f64x2.splat(1 - share));
  return f64x2.sub(f64x2.add(near, f64x2.mul(twoBytes(above + length), f64x2.splat(share))), middle);
}

@inline
function twoBytes(at: usize): v128 {
  const words = i16x8.extend_low_i8x16_u(i16x8.splat(<i16>load<u16>(at)));
  return f64x2.convert_low_i32x4_u(i32x4.extend_low_i16x8_u(words));
}

// The numeral: light, with a dark edge, so that it is read over any scene.
const ROWS: i32 = 7;
const COLUMNS: i32 = 5;
/** Cells from one digit to the next. */
const ADVANCE: i32 = COLUMNS + 1;
/** The part of the picture's sides that the numeral may take. */
const PART: f64 = 0.72;
const LIGHT: f64 = 228;
const DARK: f64 = 28;
/** How much of the scene the numeral and its edge cover. */
const COVER: f64 = 0.8;
/** The digits 0 to 9, as cells that are on: a row in 5 bits, from the top. */
const DIGITS: usize = memory.data<u8>([
  14, 17, 17, 17, 17, 17, 14, //
  4, 12, 20, 4, 4, 4, 31, //
  14, 17, 1, 6, 8, 16, 31, //
  14, 17, 1, 6, 1, 17, 14, //
  2, 6, 10, 18, 31, 2, 2, //
  31, 16, 30, 1, 1, 17, 14, //
  14, 16, 16, 30, 17, 17, 14, //
  31, 1, 2, 4, 4, 8, 8, //
  14, 17, 17, 14, 17, 17, 14, //
  14, 17, 17, 15, 1, 1, 14,
]);

/** Draws the numeral's part of the row, as large as it fits. It changes evenly between the centres of cells, which makes digits round. */
function drawNumeral(): void {
  const columns = digits * ADVANCE - 1;
  const cell = Math.min((<f64>width * PART) / <f64>columns, (<f64>height * PART) / <f64>ROWS);
  const left = (<f64>width - <f64>columns * cell) / 2;
  const top = (<f64>height - <f64>ROWS * cell) / 2;
  const v = (<f64>row - top) / cell - 0.5;
  const upper = Math.floor(v);
  if (upper < -1 || upper >= <f64>ROWS) return;
  const down = v - upper;
  const bitsRow = <i32>upper;
  for (let x = 0; x < width; x++) {
    const u = (<f64>x - left) / cell - 0.5;
    const whole = Math.floor(u);
    if (whole < -1) continue;
    if (whole >= <f64>columns) return;
    const column = <i32>whole;
    const across = u - whole;
    const above = cellAt(column, bitsRow) * (1 - across) + cellAt(column + 1, bitsRow) * across;
    const below = cellAt(column, bitsRow + 1) * (1 - across) + cellAt(column + 1, bitsRow + 1) * across;
    const ink = above * (1 - down) + below * down;
    if (ink == 0) continue;
    const edge = COVER * part(ink, 0.05, 0.2);
    const inside = COVER * part(ink, 0.4, 0.5);
    const pixel = SUM + x * COLOUR;
    for (let at = pixel; at < pixel + CHANNELS * 8; at += 8) {
      const dark = load<f64>(at) * (1 - edge) + DARK * edge;
      store<f64>(at, <f64>(<f32>(dark * (1 - inside) + LIGHT * inside)));
    }
  }
}

/** 1: the cell is on. */
function cellAt(column: i32, bitsRow: i32): f64 {
  if (column < 0 || column >= digits * ADVANCE || bitsRow < 0 || bitsRow >= ROWS) return 0;
  const place = column % ADVANCE;
  if (place == COLUMNS) return 0;
  const digit = <i32>load<u8>(digitsAt + column / ADVANCE) - 48;
  return <f64>((<i32>load<u8>(DIGITS + digit * ROWS + bitsRow) >> (COLUMNS - 1 - place)) & 1);
}

/** From 0 at `low` to 1 at `high`. */
@inline
function part(value: f64, low: f64, high: f64): f64 {
  return Math.max(0, Math.min(1, (value - low) / (high - low)));
}
