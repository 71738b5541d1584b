/*
 * Decodes regular baseline JPEG files to R, G and B, in AssemblyScript, with the bits of libjpeg-turbo: its accurate inverse DCT in
 * integers, its smooth enlargement of colours and its conversion. A file that is not entirely regular is refused, and left to libvips,
 * which knows what to do with the others: only what is surely the same is decoded here.
 */

const LUT_BITS: u64 = 10;
const MOST_BITS: i32 = 16;
/** Of each Huffman table: codes of up to 10 bits, length and symbol; of longer ones the end and the first symbol; symbols. */
const LIMITS: i32 = 2 << <i32>LUT_BITS;
const OFFSETS: i32 = LIMITS + 4 * (MOST_BITS + 2);
const SYMBOLS: i32 = OFFSETS + 4 * (MOST_BITS + 2);
/** Of AC tables: a coefficient that 10 bits say whole, 16 bits, the zeros before it and its length, 8 bits each; 0 if they do not. */
const COEFFICIENTS: i32 = 4096;
const TABLE_BYTES: i32 = COEFFICIENTS + (4 << <i32>LUT_BITS);

const TABLES: i32 = 0; // two of DC, two of AC
const IS_TABLE: i32 = TABLES + 4 * TABLE_BYTES;
/** By place in the file: 16 bits each. */
const QUANTS: i32 = IS_TABLE + 16;
const IS_QUANT: i32 = QUANTS + 4 * 128;
/** Where each coefficient of a file's block lies, times two. */
const ZIGZAG: i32 = IS_QUANT + 16;
const BLOCK: i32 = ZIGZAG + 64;
const COMPONENTS: i32 = BLOCK + 128;
const COMPONENT_BYTES: i32 = 48;
const FILE: i32 = COMPONENTS + 3 * COMPONENT_BYTES;
/** Steps of 16 bytes run over the end of rows. */
const ROOM: i32 = 64;

/** Larger coefficients are a damaged file's. */
const MOST_COEFFICIENT: i32 = 2047;
const MOST_DC_BITS: i32 = 11;
/** libjpeg enlarges the colours of the smallest pictures otherwise. */
const LEAST_SIDE: i32 = 8;

@unmanaged
class Component {
  plane: i32;
  stride: i32;
  quant: i32;
  dc: i32;
  ac: i32;
  last: i32; // DC
  across: i32; // blocks of an MCU
  down: i32;
  /** 0 if it has none: of half the length, made of a quarter of each block's coefficients. */
  halfPlane: i32;
  halfStride: i32;
}

let length: i32 = 0;
let width: i32 = 0;
let height: i32 = 0;
let mcuRow: i32 = 0;
let mcuRows: i32 = 0;
/** Rows of MCUs that planes have room for: later ones replace the first. */
let keptRows: i32 = 0;
let mcuColumns: i32 = 0;
let isWide: bool = false; // an MCU has two blocks of brightness beside each other
let isTall: bool = false;
/** Of the scan, without stuffed bytes, as 32-bit numbers of the reading order: the next one, and the end in bits. */
let scanAt: i32 = 0;
let bitsLeft: i64 = 0; // of those that were not read into the window
let window: u64 = 0;
let windowBits: i32 = 0;
let sums: i32 = 0;
let colours: i32 = 0;
let pixels: i32 = 0;
let halfPixels: i32 = 0;
let isWhole: bool = false;
let isHalf: bool = false;

/** Returns where the caller puts a file of so many bytes. */
export function begin(bytes: i32): i32 {
  length = bytes;
  grow(FILE + 2 * bytes + 4 * ROOM);
  return FILE;
}

function grow(end: i32): void {
  const missing = end - (memory.size() << 16);
  if (missing > 0) memory.grow((missing + 65535) >> 16);
}

@inline
function component(index: i32): Component {
  return changetype<Component>(COMPONENTS + index * COMPONENT_BYTES);
}

@inline
function u16At(at: i32): i32 {
  return (<i32>load<u8>(at) << 8) | load<u8>(at, 1);
}

/**
 * Whether the file's header is one that this decodes, of a picture of this size. Pixels are made of the whole picture, of its half as
 * libjpeg decodes it at half the length, or of both; of neither, only the brightness is kept.
 * @param strip the most rows that are converted at a time: fewer than all if these are asked for in order
 */
export function open(columns: i32, rows: i32, makesWhole: bool, makesHalf: bool, strip: i32): bool {
  isWhole = makesWhole;
  isHalf = makesHalf;
  memory.fill(IS_TABLE, 0, 16);
  memory.fill(IS_QUANT, 0, 16);
  width = columns;
  height = rows;
  mcuRows = 0;
  const end = FILE + length;
  let at = FILE + 2;
  while (at + 4 <= end) {
    const marker = load<u8>(at, 1);
    const next = at + 2 + u16At(at + 2);
    if (load<u8>(at) != 0xff || next > end || next < at + 4) return false;
    at += 4;
    if (marker == 0xda) return mcuRows > 0 && readScan(at, next) && unstuff(next, end) && layOut(strip);
    if (marker == 0xc0) {
      if (mcuRows > 0 || !readFrame(at, next)) return false;
    } else if (marker == 0xdb) {
      if (!readQuants(at, next)) return false;
    } else if (marker == 0xc4) {
      if (!readTables(at, next)) return false;
    } else if (marker != 0xfe && (marker < 0xe0 || marker > 0xef || marker == 0xee)) return false;
    at = next;
  }
  return false;
}

/** YCbCr, in full resolution or with one value of colour for two or four pixels. */
function readFrame(at: i32, end: i32): bool {
  if (end - at != 15 || load<u8>(at) != 8 || load<u8>(at, 5) != 3) return false;
  if (height != u16At(at + 1) || width != u16At(at + 3) || min(width, height) < LEAST_SIDE) return false;
  for (let index = 0; index < 3; index++) {
    const from = at + 6 + 3 * index;
    const sampling = <i32>load<u8>(from, 1);
    const quant = <i32>load<u8>(from, 2);
    if (load<u8>(from) != index + 1 || quant > 3) return false;
    if (sampling != 0x11 && (index > 0 || (sampling != 0x21 && sampling != 0x22))) return false;
    const own = component(index);
    own.across = sampling >> 4;
    own.down = sampling & 15;
    own.quant = QUANTS + quant * 128;
  }
  isWide = component(0).across == 2;
  isTall = component(0).down == 2;
  if (isHalf && isWide != isTall) return false;
  mcuColumns = isWide ? (width + 15) >> 4 : (width + 7) >> 3;
  mcuRows = isTall ? (height + 15) >> 4 : (height + 7) >> 3;
  return true;
}

function readQuants(start: i32, end: i32): bool {
  let at = start;
  while (at < end) {
    const id = <i32>load<u8>(at);
    if (id > 3 || at + 65 > end) return false;
    for (let k = 0; k < 64; k++) store<u16>(QUANTS + id * 128 + 2 * k, load<u8>(at + k, 1));
    store<u8>(IS_QUANT + id, 1);
    at += 65;
  }
  return at == end;
}

function readTables(start: i32, end: i32): bool {
  let at = start;
  while (at + 17 <= end) {
    const kind = <i32>load<u8>(at);
    if ((kind & 0xee) != 0) return false;
    const index = ((kind >> 4) << 1) | (kind & 1);
    const table = TABLES + index * TABLE_BYTES;
    let count = 0;
    for (let bits = 1; bits <= MOST_BITS; bits++) count += load<u8>(at + bits);
    if (count > 256 || at + 17 + count > end) return false;
    memory.copy(table + SYMBOLS, at + 17, count);
    if (!fillTable(table, at, kind < 16)) return false;
    store<u8>(IS_TABLE + index, 1);
    at += 17 + count;
  }
  return at == end;
}

function fillTable(table: i32, counts: i32, isDc: bool): bool {
  memory.fill(table, 0, 2 << <i32>LUT_BITS);
  let code = 0;
  let symbol = 0;
  for (let bits = 1; bits <= MOST_BITS; bits++) {
    store<i32>(table + OFFSETS + 4 * bits, symbol - code);
    for (let count = <i32>load<u8>(counts + bits); count > 0; count--) {
      if (code >= 1 << bits) return false;
      const value = <i32>load<u8>(table + SYMBOLS + symbol);
      if (isDc && value > MOST_DC_BITS) return false;
      if (bits <= <i32>LUT_BITS) {
        const first = code << (<i32>LUT_BITS - bits);
        const entries = 1 << (<i32>LUT_BITS - bits);
        for (let entry = 0; entry < entries; entry++) store<u16>(table + 2 * (first + entry), (bits << 8) | value);
      }
      code++;
      symbol++;
    }
    store<i32>(table + LIMITS + 4 * bits, code);
    code <<= 1;
  }
  if (!isDc) fillCoefficients(table);
  return true;
}

function fillCoefficients(table: i32): void {
  for (let index = 0; index < 1 << <i32>LUT_BITS; index++) {
    const code = <i32>load<u16>(table + 2 * index);
    const used = code >> 8;
    const size = code & 15;
    const isWhole = size > 0 && used + size <= <i32>LUT_BITS;
    const value = isWhole ? numberOf((<u64>index << (64 - LUT_BITS)) << <u64>used, size) : 0;
    store<i32>(
      table + COEFFICIENTS + 4 * index,
      isWhole ? (value << 16) | (((code >> 4) & 15) << 8) | (used + size) : 0,
    );
  }
}

/** The only scan, of all components. */
function readScan(at: i32, end: i32): bool {
  if (end - at != 10 || load<u8>(at) != 3 || load<u8>(at, 7) != 0 || load<u8>(at, 8) != 63 || load<u8>(at, 9) != 0)
    return false;
  for (let index = 0; index < 3; index++) {
    const own = component(index);
    const tables = <i32>load<u8>(at + 2 + 2 * index);
    const dc = tables >> 4;
    const ac = 2 + (tables & 15);
    if (load<u8>(at + 1 + 2 * index) != index + 1 || dc > 1 || ac > 3) return false;
    if (!load<u8>(IS_TABLE + dc) || !load<u8>(IS_TABLE + ac) || !load<u8>(IS_QUANT + ((own.quant - QUANTS) >> 7)))
      return false;
    own.dc = TABLES + dc * TABLE_BYTES;
    own.ac = TABLES + ac * TABLE_BYTES;
    own.last = 0;
  }
  return true;
}

/** Copies the scan behind the file. It must end with the end of the image. */
function unstuff(start: i32, end: i32): bool {
  const first = (end + ROOM) & ~15;
  const marks = i8x16.splat(-1);
  let to = first;
  let at = start;
  while (at < end - 1) {
    while (at + 16 <= end) {
      const bytes = v128.load(at);
      if (v128.any_true(i8x16.eq(bytes, marks))) break;
      v128.store(to, bytes);
      at += 16;
      to += 16;
    }
    const until = min(at + 16, end - 1);
    while (at < until) {
      const byte = load<u8>(at);
      if (byte == 0xff) {
        const next = load<u8>(at, 1);
        if (next == 0xd9) {
          finish(first, to);
          return true;
        }
        if (next != 0) return false;
        at++;
      }
      store<u8>(to, byte);
      at++;
      to++;
    }
  }
  return false;
}

function finish(first: i32, end: i32): void {
  memory.fill(end, 0, ROOM);
  for (let at = first; at < end + 16; at += 16) {
    const bytes = v128.load(at);
    v128.store(at, v128.shuffle<u8>(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
  }
  scanAt = first;
  bitsLeft = <i64>(end - first) << 3;
  sums = end + ROOM;
}

function layOut(strip: i32): bool {
  window = 0;
  windowBits = 0;
  mcuRow = 0;
  // Beside those that are converted, one that was begun and one for the colours beside the last row.
  keptRows = min(mcuRows, (strip >> 3) + 3);
  let end = (sums + 15) & ~15;
  sums = end + 16;
  end = sums + 2 * width + ROOM;
  colours = end;
  end += 2 * (width + ROOM);
  for (let index = 0; index < 3; index++) {
    const own = component(index);
    own.plane = own.halfPlane = 0;
    if (index > 0 && !isWhole && !isHalf) continue;
    own.plane = end;
    own.stride = mcuColumns * own.across * 8;
    end += own.stride * keptRows * own.down * 8 + ROOM;
    // Where colours have half the length already, they are not reduced.
    if (!isHalf || (isWide && index > 0)) continue;
    own.halfPlane = end;
    own.halfStride = own.stride >> 1;
    end += own.halfStride * keptRows * own.down * 4 + ROOM;
  }
  pixels = end;
  if (isWhole) end += 3 * width * strip + ROOM;
  halfPixels = end;
  if (isHalf) end += 3 * ((width + 1) >> 1) * ((height + 1) >> 1) + ROOM;
  grow(end);
  let x = 0;
  let y = 0;
  for (let k = 0; k < 64; k++) {
    store<u8>(ZIGZAG + k, (y * 8 + x) << 1);
    const isUp = ((x + y) & 1) == 0;
    if (isUp) {
      if (x == 7) y++;
      else {
        x++;
        if (y > 0) y--;
      }
    } else if (y == 7) x++;
    else {
      y++;
      if (x > 0) x--;
    }
  }
  return true;
}

/** Reads the next rows of blocks, at most so many: 0 if the file is irregular, 1 if there are more, 2 at the end. */
export function read(rows: i32): i32 {
  const end = min(mcuRow + rows, mcuRows);
  for (; mcuRow < end; mcuRow++) {
    for (let column = 0; column < mcuColumns; column++) {
      for (let index = 0; index < 3; index++) {
        const own = component(index);
        for (let y = 0; y < own.down; y++)
          for (let x = 0; x < own.across; x++) {
            if (!readBlock(own, (mcuRow % keptRows) * own.down + y, column * own.across + x)) return 0;
          }
      }
    }
  }
  if (mcuRow < mcuRows) return 1;
  // Less than a byte is left.
  const left = bitsLeft + windowBits;
  return left >= 0 && left < 8 ? 2 : 0;
}

/** The symbol of a code of more than 10 bits, and its length; 0 if there is none. */
function longCode(table: i32, bits: u64): i32 {
  for (let length = <i32>LUT_BITS + 1; length <= MOST_BITS; length++) {
    const code = <i32>(bits >> (64 - <u64>length));
    if (code < load<i32>(table + LIMITS + 4 * length))
      return (length << 8) | load<u8>(table + SYMBOLS + code + load<i32>(table + OFFSETS + 4 * length));
  }
  return 0;
}

@inline
function codeOf(table: i32, bits: u64): i32 {
  const found = <i32>load<u16>(table + <i32>((bits >> (64 - LUT_BITS)) << 1));
  return found ? found : longCode(table, bits);
}

/** The number that so many bits say. */
@inline
function numberOf(bits: u64, size: i32): i32 {
  const value = <i32>(bits >> (64 - <u64>size));
  return value < 1 << (size - 1) ? value + 1 - (1 << size) : value;
}

function readBlock(own: Component, row: i32, column: i32): bool {
  let bits = window;
  let count = windowBits;
  let at = scanAt;
  for (let place = BLOCK; place < BLOCK + 128; place += 16) v128.store(place, i32x4.splat(0));
  if (count < 32) {
    bits |= (<u64>load<u32>(at)) << (32 - <u64>count);
    count += 32;
    at += 4;
  }
  let code = codeOf(own.dc, bits);
  if (code == 0) return false;
  let used = code >> 8;
  bits <<= <u64>used;
  count -= used;
  let size = code & 15;
  if (size > 0) {
    own.last += numberOf(bits, size);
    bits <<= <u64>size;
    count -= size;
  }
  const dc = own.last * load<u16>(own.quant);
  let largest = dc ^ (dc >> 31);
  store<i16>(BLOCK, dc);
  const table = own.ac;
  const quant = own.quant;
  let k = 1;
  while (k < 64) {
    if (count < 32) {
      bits |= (<u64>load<u32>(at)) << (32 - <u64>count);
      count += 32;
      at += 4;
    }
    let value = load<i32>(table + COEFFICIENTS + <i32>((bits >> (64 - LUT_BITS)) << 2));
    if (value) {
      used = value & 255;
      k += (value >> 8) & 255;
      value >>= 16;
    } else {
      code = codeOf(table, bits);
      if (code == 0) return false;
      used = code >> 8;
      size = code & 15;
      const zeros = (code >> 4) & 15;
      if (size == 0) {
        bits <<= <u64>used;
        count -= used;
        if (zeros != 15) break;
        k += 16;
        continue;
      }
      k += zeros;
      value = numberOf(bits << <u64>used, size);
      used += size;
    }
    bits <<= <u64>used;
    count -= used;
    if (k > 63) return false;
    value *= <i32>load<u16>(quant + 2 * k);
    largest |= value ^ (value >> 31);
    store<i16>(BLOCK + <i32>load<u8>(ZIGZAG + k), value);
    k++;
  }
  bitsLeft -= <i64>(at - scanAt) << 3;
  window = bits;
  windowBits = count;
  scanAt = at;
  if (largest > MOST_COEFFICIENT || bitsLeft < -64) return false;
  if (!own.plane) return true;
  const value = i8x16.splat(<i8>min(255, max(0, ((dc + 4) >> 3) + 128)));
  if (own.halfPlane) {
    const to = own.halfPlane + row * 4 * own.halfStride + column * 4;
    const stride = own.halfStride;
    if (k > 1) transformHalf(to, stride);
    else for (let line = 0; line < 4; line++) v128.store32_lane(to + line * stride, value, 0);
    if (!isWhole) return true;
  }
  const to = own.plane + row * 8 * own.stride + column * 8;
  const stride = own.stride;
  if (k > 1) transform(to, stride);
  else for (let line = 0; line < 8; line++) v128.store64_lane(to + line * stride, value, 0);
  return true;
}

/** libjpeg's inverse DCT to a block of 4x4. */
function transformHalf(to: i32, stride: i32): void {
  const of0 = pairOf(16384, 0);
  const of26 = pairOf(15137, -6270);
  const of13 = pairOf(8697, -17799);
  const of57 = pairOf(11893, -1730);
  const outer13 = pairOf(20995, 7373);
  const outer57 = pairOf(-4926, -4176);
  const half = i32x4.splat(1 << 11);
  const c0 = v128.load(BLOCK);
  const c1 = v128.load(BLOCK, 16);
  const c2 = v128.load(BLOCK, 32);
  const c3 = v128.load(BLOCK, 48);
  const c5 = v128.load(BLOCK, 80);
  const c6 = v128.load(BLOCK, 96);
  const c7 = v128.load(BLOCK, 112);
  let first = i32x4.add(i32x4.dot_i16x8_s(lowOf(c0, c0), of0), half);
  let turned = i32x4.dot_i16x8_s(lowOf(c2, c6), of26);
  let inner = oddSum(lowOf(c1, c3), lowOf(c5, c7), of13, of57);
  let outer = oddSum(lowOf(c1, c3), lowOf(c5, c7), outer13, outer57);
  let upper = i32x4.add(first, turned);
  let lower = i32x4.sub(first, turned);
  const low0 = i32x4.shr_s(i32x4.add(upper, outer), 12);
  const low3 = i32x4.shr_s(i32x4.sub(upper, outer), 12);
  const low1 = i32x4.shr_s(i32x4.add(lower, inner), 12);
  const low2 = i32x4.shr_s(i32x4.sub(lower, inner), 12);
  first = i32x4.add(i32x4.dot_i16x8_s(highOf(c0, c0), of0), half);
  turned = i32x4.dot_i16x8_s(highOf(c2, c6), of26);
  inner = oddSum(highOf(c1, c3), highOf(c5, c7), of13, of57);
  outer = oddSum(highOf(c1, c3), highOf(c5, c7), outer13, outer57);
  upper = i32x4.add(first, turned);
  lower = i32x4.sub(first, turned);
  const v0 = i16x8.narrow_i32x4_s(low0, i32x4.shr_s(i32x4.add(upper, outer), 12));
  const v3 = i16x8.narrow_i32x4_s(low3, i32x4.shr_s(i32x4.sub(upper, outer), 12));
  const v1 = i16x8.narrow_i32x4_s(low1, i32x4.shr_s(i32x4.add(lower, inner), 12));
  const v2 = i16x8.narrow_i32x4_s(low2, i32x4.shr_s(i32x4.sub(lower, inner), 12));

  // Two columns each
  const c01 = lowOf(lowOf(v0, v2), lowOf(v1, v3));
  const c23 = highOf(lowOf(v0, v2), lowOf(v1, v3));
  const c45 = lowOf(highOf(v0, v2), highOf(v1, v3));
  const c67 = highOf(highOf(v0, v2), highOf(v1, v3));
  first = i32x4.add(i32x4.dot_i16x8_s(lowOf(c01, c45), of0), i32x4.splat(1 << 18));
  turned = i32x4.dot_i16x8_s(lowOf(c23, c67), of26);
  inner = oddSum(highOf(c01, c23), highOf(c45, c67), of13, of57);
  outer = oddSum(highOf(c01, c23), highOf(c45, c67), outer13, outer57);
  upper = i32x4.add(first, turned);
  lower = i32x4.sub(first, turned);
  const middle = i16x8.splat(128);
  const left = i16x8.narrow_i32x4_s(i32x4.shr_s(i32x4.add(upper, outer), 19), i32x4.shr_s(i32x4.add(lower, inner), 19));
  const right = i16x8.narrow_i32x4_s(i32x4.shr_s(i32x4.sub(lower, inner), 19), i32x4.shr_s(i32x4.sub(upper, outer), 19));
  const bytes = i8x16.narrow_i16x8_u(i16x8.add_sat_s(left, middle), i16x8.add_sat_s(right, middle));
  const lines = v128.shuffle<u8>(bytes, bytes, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  v128.store32_lane(to, lines, 0);
  v128.store32_lane(to + stride, lines, 1);
  v128.store32_lane(to + 2 * stride, lines, 2);
  v128.store32_lane(to + 3 * stride, lines, 3);
}

function transform(to: i32, stride: i32): void {
  transformColumns(11);
  transformColumns(18);
  const middle = i16x8.splat(128);
  for (let row = 0; row < 8; row++) {
    const values = i16x8.add_sat_s(v128.load(BLOCK + row * 16), middle);
    v128.store64_lane(to + row * stride, i8x16.narrow_i16x8_u(values, values), 0);
  }
}

@inline
function pairOf(first: i32, second: i32): v128 {
  return i32x4.splat((second << 16) | (first & 0xffff));
}

@inline
function lowOf(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
function highOf(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Of four columns, what even coefficients add to the first rows; what odd ones add to these and take from the last ones. */
@inline
function evenSum(ac: v128, bd: v128, ofAc: v128, ofBd: v128, half: v128): v128 {
  return i32x4.add(i32x4.add(i32x4.dot_i16x8_s(ac, ofAc), i32x4.dot_i16x8_s(bd, ofBd)), half);
}

@inline
function oddSum(ab: v128, cd: v128, ofAb: v128, ofCd: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(ab, ofAb), i32x4.dot_i16x8_s(cd, ofCd));
}

/** The accurate inverse DCT of libjpeg of each column, in 1/8192, reduced by so many bits; then the block is transposed. */
function transformColumns(shift: i32): void {
  const half = i32x4.splat(1 << (shift - 1));
  const c0 = v128.load(BLOCK);
  const c1 = v128.load(BLOCK, 16);
  const c2 = v128.load(BLOCK, 32);
  const c3 = v128.load(BLOCK, 48);
  const c4 = v128.load(BLOCK, 64);
  const c5 = v128.load(BLOCK, 80);
  const c6 = v128.load(BLOCK, 96);
  const c7 = v128.load(BLOCK, 112);
  const sum = pairOf(8192, 8192);
  const difference = pairOf(8192, -8192);
  const turn2 = pairOf(4433, -10704);
  const turn3 = pairOf(10703, 4433);
  const ab0 = pairOf(11363, 9633);
  const cd0 = pairOf(6437, 2260);
  const ab1 = pairOf(9633, -2259);
  const cd1 = pairOf(-11362, -6436);
  const ab2 = pairOf(6437, -11362);
  const cd2 = pairOf(2261, 9633);
  const ab3 = pairOf(2260, -6436);
  const cd3 = pairOf(9633, -11363);

  let c04 = lowOf(c0, c4);
  let c26 = lowOf(c2, c6);
  let c13 = lowOf(c1, c3);
  let c57 = lowOf(c5, c7);
  let even0 = evenSum(c04, c26, sum, turn3, half);
  let even1 = evenSum(c04, c26, difference, turn2, half);
  let even2 = i32x4.sub(i32x4.add(i32x4.dot_i16x8_s(c04, difference), half), i32x4.dot_i16x8_s(c26, turn2));
  let even3 = i32x4.sub(i32x4.add(i32x4.dot_i16x8_s(c04, sum), half), i32x4.dot_i16x8_s(c26, turn3));
  let odd0 = oddSum(c13, c57, ab0, cd0);
  let odd1 = oddSum(c13, c57, ab1, cd1);
  let odd2 = oddSum(c13, c57, ab2, cd2);
  let odd3 = oddSum(c13, c57, ab3, cd3);
  const low0 = i32x4.shr_s(i32x4.add(even0, odd0), shift);
  const low7 = i32x4.shr_s(i32x4.sub(even0, odd0), shift);
  const low1 = i32x4.shr_s(i32x4.add(even1, odd1), shift);
  const low6 = i32x4.shr_s(i32x4.sub(even1, odd1), shift);
  const low2 = i32x4.shr_s(i32x4.add(even2, odd2), shift);
  const low5 = i32x4.shr_s(i32x4.sub(even2, odd2), shift);
  const low3 = i32x4.shr_s(i32x4.add(even3, odd3), shift);
  const low4 = i32x4.shr_s(i32x4.sub(even3, odd3), shift);

  c04 = highOf(c0, c4);
  c26 = highOf(c2, c6);
  c13 = highOf(c1, c3);
  c57 = highOf(c5, c7);
  even0 = evenSum(c04, c26, sum, turn3, half);
  even1 = evenSum(c04, c26, difference, turn2, half);
  even2 = i32x4.sub(i32x4.add(i32x4.dot_i16x8_s(c04, difference), half), i32x4.dot_i16x8_s(c26, turn2));
  even3 = i32x4.sub(i32x4.add(i32x4.dot_i16x8_s(c04, sum), half), i32x4.dot_i16x8_s(c26, turn3));
  odd0 = oddSum(c13, c57, ab0, cd0);
  odd1 = oddSum(c13, c57, ab1, cd1);
  odd2 = oddSum(c13, c57, ab2, cd2);
  odd3 = oddSum(c13, c57, ab3, cd3);
  const v0 = i16x8.narrow_i32x4_s(low0, i32x4.shr_s(i32x4.add(even0, odd0), shift));
  const v7 = i16x8.narrow_i32x4_s(low7, i32x4.shr_s(i32x4.sub(even0, odd0), shift));
  const v1 = i16x8.narrow_i32x4_s(low1, i32x4.shr_s(i32x4.add(even1, odd1), shift));
  const v6 = i16x8.narrow_i32x4_s(low6, i32x4.shr_s(i32x4.sub(even1, odd1), shift));
  const v2 = i16x8.narrow_i32x4_s(low2, i32x4.shr_s(i32x4.add(even2, odd2), shift));
  const v5 = i16x8.narrow_i32x4_s(low5, i32x4.shr_s(i32x4.sub(even2, odd2), shift));
  const v3 = i16x8.narrow_i32x4_s(low3, i32x4.shr_s(i32x4.add(even3, odd3), shift));
  const v4 = i16x8.narrow_i32x4_s(low4, i32x4.shr_s(i32x4.sub(even3, odd3), shift));

  const a0 = lowOf(v0, v4);
  const a1 = highOf(v0, v4);
  const a2 = lowOf(v1, v5);
  const a3 = highOf(v1, v5);
  const a4 = lowOf(v2, v6);
  const a5 = highOf(v2, v6);
  const a6 = lowOf(v3, v7);
  const a7 = highOf(v3, v7);
  const b0 = lowOf(a0, a4);
  const b1 = highOf(a0, a4);
  const b2 = lowOf(a1, a5);
  const b3 = highOf(a1, a5);
  const b4 = lowOf(a2, a6);
  const b5 = highOf(a2, a6);
  const b6 = lowOf(a3, a7);
  const b7 = highOf(a3, a7);
  v128.store(BLOCK, lowOf(b0, b4));
  v128.store(BLOCK, highOf(b0, b4), 16);
  v128.store(BLOCK, lowOf(b1, b5), 32);
  v128.store(BLOCK, highOf(b1, b5), 48);
  v128.store(BLOCK, lowOf(b2, b6), 64);
  v128.store(BLOCK, highOf(b2, b6), 80);
  v128.store(BLOCK, lowOf(b3, b7), 96);
  v128.store(BLOCK, highOf(b3, b7), 112);
}

/** Puts the rows of brightness behind each other, and returns where these begin. */
export function brightness(): i32 {
  const own = component(0);
  for (let row = 1; row < height; row++) memory.copy(own.plane + row * width, own.plane + row * own.stride, width);
  return own.plane;
}

/** Converts rows to R, G and B, and returns where these begin. Reads them before, if they were not read: 0 if the file is irregular. */
export function convert(first: i32, count: i32): i32 {
  const end = first + count;
  // The last row needs the colours of the next one.
  while (mcuRow < mcuRows && mcuRow * (isTall ? 16 : 8) <= end) if (!read(1)) return 0;
  for (let row = first; row < end; row++) {
    const blueness = colourRow(component(1), row, colours);
    const redness = colourRow(component(2), row, colours + width + ROOM);
    convertRow(rowOf(component(0), row), blueness, redness, pixels + (row - first) * 3 * width, width);
  }
  return pixels;
}

@inline
function rowOf(own: Component, row: i32): i32 {
  return own.plane + (row % (keptRows * own.down * 8)) * own.stride;
}

/** Converts the half. */
export function convertHalf(): i32 {
  const columns = (width + 1) >> 1;
  for (let row = 0; row < (height + 1) >> 1; row++) {
    const to = halfPixels + row * 3 * columns;
    convertRow(halfRow(component(0), row), halfRow(component(1), row), halfRow(component(2), row), to, columns);
  }
  return halfPixels;
}

@inline
function halfRow(own: Component, row: i32): i32 {
  return own.halfPlane ? own.halfPlane + row * own.halfStride : own.plane + row * own.stride;
}

/** A row of colour in full length. */
function colourRow(own: Component, row: i32, to: i32): i32 {
  if (!isWide) return rowOf(own, row);
  const columns = (width + 1) >> 1;
  const near = isTall ? row >> 1 : row;
  const beside = isTall ? min(max(0, row & 1 ? near + 1 : near - 1), ((height + 1) >> 1) - 1) : near;
  const a = rowOf(own, near);
  const b = rowOf(own, beside);
  const three = i16x8.splat(3);
  for (let x = 0; x < columns; x += 8) {
    const values = i16x8.mul(v128.load_ext<u8>(a + x), three);
    v128.store(sums + 2 * x, i16x8.add(values, v128.load_ext<u8>(b + x)));
  }
  // Both ends are repeated.
  store<u16>(sums - 2, load<u16>(sums));
  store<u16>(sums + 2 * columns, load<u16>(sums + 2 * columns - 2));
  const left = i16x8.splat(isTall ? 8 : 4);
  const right = i16x8.splat(isTall ? 7 : 8);
  for (let x = 0; x < columns; x += 8) {
    const at = sums + 2 * x;
    const values = i16x8.mul(v128.load(at), three);
    const even = i16x8.shr_u(i16x8.add(i16x8.add(values, v128.load(at - 2)), left), 4);
    const odd = i16x8.shr_u(i16x8.add(i16x8.add(values, v128.load(at + 2)), right), 4);
    v128.store(to + 2 * x, v128.or(even, i16x8.shl(odd, 8)));
  }
  return to;
}

/** The sums of eight pairs of numbers with these weights, in 1/65536, rounded. */
@inline
function weighed(low: v128, high: v128, weights: v128, half: v128): v128 {
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low, weights), half), 16),
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high, weights), half), 16),
  );
}

function convertRow(brightness: i32, blueness: i32, redness: i32, start: i32, columns: i32): void {
  const middle = i16x8.splat(128);
  const half = i32x4.splat(32768);
  let to = start;
  for (let x = 0; x < columns; x += 8) {
    const y = v128.load_ext<u8>(brightness + x);
    const cb = i16x8.sub(v128.load_ext<u8>(blueness + x), middle);
    const cr = i16x8.sub(v128.load_ext<u8>(redness + x), middle);
    const low = lowOf(cb, cr);
    const high = highOf(cb, cr);
    // 1.402, 0.34414 and 0.71414, and 1.772, less a whole number.
    const red = i16x8.add(i16x8.add(y, cr), weighed(low, high, pairOf(0, 26345), half));
    const green = i16x8.add(i16x8.sub(y, cr), weighed(low, high, pairOf(-22554, 18734), half));
    const blue = i16x8.add(i16x8.add(i16x8.add(y, cb), cb), weighed(low, high, pairOf(-14942, 0), half));
    const redGreen = i8x16.narrow_i16x8_u(red, green);
    const blues = i8x16.narrow_i16x8_u(blue, blue);
    v128.store(to, v128.shuffle<u8>(redGreen, blues, 0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5));
    v128.store64_lane(to, v128.shuffle<u8>(redGreen, blues, 13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0), 0, 16);
    to += 24;
  }
}
