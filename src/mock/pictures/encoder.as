/*
 * Encodes pictures for tests as baseline JPEG files, in AssemblyScript, with the bytes of libjpeg at quality 90: half as many colours in
 * each direction, its accurate DCT in integers, the standard's tables of quantisation, and Huffman codes of the picture's own.
 */

const PAGE: i32 = 65_536;
const CHANNELS: i32 = 3;
const AREA: i32 = 64;
/** The side of a unit (MCU) in pixels: four blocks of brightness, and one of each colour. */
const UNIT: i32 = 16;
const UNIT_BYTES: i32 = 6 * AREA * 2;
/** More than a unit's coefficients take as codes, if each byte is followed by another. */
const LONGEST_UNIT: i32 = 6 * 512;
const HEADER: i32 = 2048;

/** Where each coefficient of a file's block lies. */
const ZIGZAG: usize = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56,
  57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);
/** The standard's divisors (ITU-T T.81, annex K.1) for quality 90: of brightness, then of colours. */
const DIVISORS: usize = memory.data<u8>([
  3, 2, 2, 3, 5, 8, 10, 12, //
  2, 2, 3, 4, 5, 12, 12, 11, //
  3, 3, 3, 5, 8, 11, 14, 11, //
  3, 3, 4, 6, 10, 17, 16, 12, //
  4, 4, 7, 11, 14, 22, 21, 15, //
  5, 7, 11, 13, 16, 21, 23, 18, //
  10, 13, 16, 17, 21, 24, 24, 20, //
  14, 18, 19, 20, 22, 20, 21, 20, //
  3, 4, 5, 9, 20, 20, 20, 20, //
  4, 4, 5, 13, 20, 20, 20, 20, //
  5, 5, 11, 20, 20, 20, 20, 20, //
  9, 13, 20, 20, 20, 20, 20, 20, //
  20, 20, 20, 20, 20, 20, 20, 20, //
  20, 20, 20, 20, 20, 20, 20, 20, //
  20, 20, 20, 20, 20, 20, 20, 20, //
  20, 20, 20, 20, 20, 20, 20, 20,
]);
const START_OF_FRAME: usize = memory.data<u8>([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
const START_OF_SCAN: usize = memory.data<u8>([0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]);

/** Tables of Huffman codes, as the file has them: of DC and AC of brightness, then of colours. */
const TABLES: i32 = 4;
const TABLE_IDS: usize = memory.data<u8>([0x00, 0x10, 0x01, 0x11]);
/** One more than there are symbols, whose code no symbol has: no code is all ones. */
const SYMBOLS: i32 = 257;
const COUNTS: usize = memory.data(TABLES * SYMBOLS * 4, 16);
/** Of each symbol: how long its code is, times 65536, and the code. */
const CODES: usize = memory.data(TABLES * SYMBOLS * 4, 16);
const LENGTHS: usize = memory.data(SYMBOLS);
/** The symbol behind it in the list of those below one node of the tree; -1: none. */
const OTHERS: usize = memory.data(SYMBOLS * 2, 16);
const LONGEST_CODE: i32 = 32;
const OF_LENGTH: usize = memory.data(LONGEST_CODE + 1);

const WORK: usize = memory.data(AREA * 4, 16);

let width: i32 = 0;
let height: i32 = 0;
let unitColumns: i32 = 0;
let unitRows: i32 = 0;
let unitRow: i32 = 0;
let stride: i32 = 0;
let planes: usize = 0;
let colours: usize = 0;
let coefficients: usize = 0;
export let file: usize = 0;
let to: usize = 0;
let isWriting: bool = false;
/** DC of each component. */
const LAST: usize = memory.data(3 * 4, 16);
let window: u64 = 0;
let windowBits: i32 = 0;

/** Begins a picture. Returns the place of its pixels: three bytes each. */
export function begin(newWidth: i32, newHeight: i32): usize {
  width = newWidth;
  height = newHeight;
  unitColumns = (width + UNIT - 1) / UNIT;
  unitRows = (height + UNIT - 1) / UNIT;
  stride = unitColumns * UNIT;
  planes = __heap_base + ((width * height * CHANNELS + 15) & ~15);
  colours = planes + CHANNELS * UNIT * stride;
  coefficients = colours + 2 * UNIT * stride;
  file = coefficients + unitColumns * unitRows * UNIT_BYTES;
  const end = <i32>file + HEADER + unitColumns * unitRows * LONGEST_UNIT;
  const pages = (end + PAGE - 1) / PAGE;
  if (pages > memory.size()) memory.grow(pages - memory.size());
  memory.fill(COUNTS, 0, TABLES * SYMBOLS * 4);
  memory.fill(LAST, 0, 12);
  unitRow = 0;
  isWriting = false;
  return __heap_base;
}

/** Transforms rows of units, at most so many. Returns whether there are more. */
export function transform(rows: i32): bool {
  for (const end = min(unitRow + rows, unitRows); unitRow < end; unitRow++) {
    separateRows();
    for (let colour = 0; colour < 2; colour++) reduceColour(colour);
    let block = coefficients + unitRow * unitColumns * UNIT_BYTES;
    for (let column = 0; column < unitColumns; column++, block += UNIT_BYTES) {
      transformUnit(column, block);
      codeUnit(block);
    }
  }
  return unitRow < unitRows;
}

/** Brightness and colours of a row of units. What is right of the picture is like its last column. */
function separateRows(): void {
  for (let y = 0; y < UNIT; y++) {
    let from = __heap_base + min(unitRow * UNIT + y, height - 1) * width * CHANNELS;
    let at = planes + y * stride;
    const next = UNIT * stride;
    for (let x = 0; x < stride; x++, at++) {
      const red = <i32>load<u8>(from);
      const green = <i32>load<u8>(from, 1);
      const blue = <i32>load<u8>(from, 2);
      store<u8>(at, (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
      store<u8>(at + next, (-11058 * red - 21710 * green + 32768 * blue + 8421375) >> 16);
      store<u8>(at + 2 * next, (32768 * red - 27439 * green - 5329 * blue + 8421375) >> 16);
      if (x < width - 1) from += CHANNELS;
    }
  }
}

/** One value of four. What is below the picture is like the last row of values. */
function reduceColour(colour: i32): void {
  const half = stride >> 1;
  const last = ((height + 1) >> 1) - 1 - unitRow * 8;
  for (let y = 0; y < 8; y++) {
    let from = planes + ((colour + 1) * UNIT + 2 * min(y, last)) * stride;
    let at = colours + (colour * 8 + y) * half;
    for (let x = 0, rounding = 1; x < half; x++, rounding ^= 3, from += 2, at++) {
      const sum =
        <i32>load<u8>(from) + <i32>load<u8>(from, 1) + <i32>load<u8>(from + stride) + <i32>load<u8>(from + stride, 1);
      store<u8>(at, (sum + rounding) >> 2);
    }
  }
}

/** Blocks beyond the picture have one colour, which takes the fewest bits. */
function transformUnit(column: i32, block: usize): void {
  const isRight = 2 * column + 1 >= (width + 7) >> 3;
  const isBelow = 2 * unitRow + 1 >= (height + 7) >> 3;
  const at = planes + column * UNIT;
  const second = block + 2 * AREA;
  transformBlock(at, stride, DIVISORS, block);
  if (isRight) fillBlock(second, block);
  else transformBlock(at + 8, stride, DIVISORS, second);
  if (isBelow) {
    fillBlock(block + 4 * AREA, second);
    fillBlock(block + 6 * AREA, second);
  } else {
    transformBlock(at + 8 * stride, stride, DIVISORS, block + 4 * AREA);
    if (isRight) fillBlock(block + 6 * AREA, block + 4 * AREA);
    else transformBlock(at + 8 * stride + 8, stride, DIVISORS, block + 6 * AREA);
  }
  for (let colour = 0; colour < 2; colour++) {
    const from = colours + colour * 4 * stride + column * 8;
    transformBlock(from, stride >> 1, DIVISORS + AREA, block + (8 + 2 * colour) * AREA);
  }
}

function fillBlock(block: usize, like: usize): void {
  memory.fill(block, 0, 2 * AREA);
  store<i16>(block, load<i16>(like));
}

function transformBlock(from: usize, next: i32, divisors: usize, block: usize): void {
  for (let y = 0, at = from, row = WORK; y < 8; y++, at += next, row += 32) {
    for (let x = 0; x < 8; x++) store<i32>(row + x * 4, <i32>load<u8>(at + x) - 128);
    transformLine(row, 4, 11, 0);
  }
  for (let x = 0; x < 8; x++) transformLine(WORK + x * 4, 32, 15, 4);
  for (let k = 0; k < AREA; k++) {
    const place = load<u8>(ZIGZAG + k);
    // The transform's numbers are eight times as large.
    const divisor = <i32>load<u8>(divisors + place) << 3;
    const value = load<i32>(WORK + place * 4);
    const size = (abs(value) + (divisor >> 1)) / divisor;
    store<i16>(block + 2 * k, value < 0 ? -size : size);
  }
}

@inline
function scaled(value: i32, bits: i32): i32 {
  return (value + (1 << (bits - 1))) >> bits;
}

/** The DCT of eight numbers: libjpeg's, after Loeffler, Ligtenberg and Moschytz. Constants are in 1/8192. */
function transformLine(at: usize, step: i32, bits: i32, reduced: i32): void {
  const v0 = load<i32>(at);
  const v1 = load<i32>(at + step);
  const v2 = load<i32>(at + 2 * step);
  const v3 = load<i32>(at + 3 * step);
  const v4 = load<i32>(at + 4 * step);
  const v5 = load<i32>(at + 5 * step);
  const v6 = load<i32>(at + 6 * step);
  const v7 = load<i32>(at + 7 * step);
  const outer = v0 + v7 + (v3 + v4);
  const inner = v1 + v6 + (v2 + v5);
  const outerLess = v0 + v7 - (v3 + v4);
  const innerLess = v1 + v6 - (v2 + v5);
  // The first pass keeps two more bits.
  store<i32>(at, reduced ? scaled(outer + inner, 2) : (outer + inner) << 2);
  store<i32>(at + 4 * step, reduced ? scaled(outer - inner, 2) : (outer - inner) << 2);
  const turned = (innerLess + outerLess) * 4433;
  store<i32>(at + 2 * step, scaled(turned + outerLess * 6270, bits));
  store<i32>(at + 6 * step, scaled(turned - innerLess * 15137, bits));
  const t4 = v3 - v4;
  const t5 = v2 - v5;
  const t6 = v1 - v6;
  const t7 = v0 - v7;
  const z5 = (t4 + t6 + (t5 + t7)) * 9633;
  const z1 = (t4 + t7) * -7373;
  const z2 = (t5 + t6) * -20995;
  const z3 = (t4 + t6) * -16069 + z5;
  const z4 = (t5 + t7) * -3196 + z5;
  store<i32>(at + 7 * step, scaled(t4 * 2446 + z1 + z3, bits));
  store<i32>(at + 5 * step, scaled(t5 * 16819 + z2 + z4, bits));
  store<i32>(at + 3 * step, scaled(t6 * 25172 + z2 + z3, bits));
  store<i32>(at + step, scaled(t7 * 12299 + z1 + z4, bits));
}

/** Counts a unit's symbols, or writes their codes. */
function codeUnit(unit: usize): void {
  for (let block = 0; block < 6; block++) {
    const component = max(0, block - 3);
    codeBlock(unit + block * 2 * AREA, LAST + component * 4, component == 0 ? 0 : 2);
  }
}

function codeBlock(block: usize, last: usize, table: i32): void {
  const dc = <i32>load<i16>(block);
  codeNumber(table, 0, dc - load<i32>(last));
  store<i32>(last, dc);
  let zeros = 0;
  for (let k = 1; k < AREA; k++) {
    const value = <i32>load<i16>(block + 2 * k);
    if (value == 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) code(table + 1, 0xf0);
    codeNumber(table + 1, zeros, value);
    zeros = 0;
  }
  if (zeros > 0) code(table + 1, 0);
}

/** A symbol says how many zeros precede the number, and how many bits it has. */
function codeNumber(table: i32, zeros: i32, value: i32): void {
  const size = 32 - clz(abs(value));
  code(table, (zeros << 4) | size);
  if (isWriting) put((value < 0 ? value - 1 : value) & ((1 << size) - 1), size);
}

function code(table: i32, symbol: i32): void {
  const at = (table * SYMBOLS + symbol) * 4;
  if (!isWriting) return store<i32>(COUNTS + at, load<i32>(COUNTS + at) + 1);
  const found = load<i32>(CODES + at);
  put(found & 0xffff, found >> 16);
}

function put(bits: i32, count: i32): void {
  window = (window << count) | bits;
  windowBits += count;
  while (windowBits >= 8) {
    windowBits -= 8;
    const byte = <u8>(window >> windowBits);
    store<u8>(to++, byte);
    if (byte == 0xff) store<u8>(to++, 0);
  }
}

/** Writes the next rows of units, at most so many. Returns whether there are more. */
export function write(rows: i32): bool {
  if (!isWriting) writeHeader();
  for (const end = min(unitRow + rows, unitRows); unitRow < end; unitRow++) {
    let unit = coefficients + unitRow * unitColumns * UNIT_BYTES;
    for (let column = 0; column < unitColumns; column++, unit += UNIT_BYTES) codeUnit(unit);
  }
  if (unitRow < unitRows) return true;
  put(0x7f, 7);
  putMarker(0xd9);
  return false;
}

export function fileLength(): i32 {
  return to - file;
}

function putMarker(marker: i32): void {
  store<u8>(to++, 0xff);
  store<u8>(to++, marker);
}

function putTwo(value: i32): void {
  store<u8>(to++, value >> 8);
  store<u8>(to++, value);
}

function putBytes(from: usize, count: i32): void {
  memory.copy(to, from, count);
  to += count;
}

function writeHeader(): void {
  isWriting = true;
  unitRow = 0;
  window = 0;
  windowBits = 0;
  memory.fill(LAST, 0, 12);
  to = file;
  putMarker(0xd8);
  for (let table = 0; table < 2; table++) {
    putMarker(0xdb);
    putTwo(67);
    store<u8>(to++, table);
    for (let k = 0; k < AREA; k++) store<u8>(to++, load<u8>(DIVISORS + table * AREA + load<u8>(ZIGZAG + k)));
  }
  putMarker(0xc0);
  putTwo(17);
  store<u8>(to++, 8);
  putTwo(height);
  putTwo(width);
  putBytes(START_OF_FRAME, 10);
  for (let table = 0; table < TABLES; table++) writeTable(table);
  putBytes(START_OF_SCAN, 14);
}

/** The shortest codes of the picture's symbols: libjpeg's way, so that the file's bytes are the same. */
function writeTable(table: i32): void {
  measureCodes(COUNTS + table * SYMBOLS * 4);
  limitLengths();
  putMarker(0xc4);
  const start = to;
  to += 2;
  store<u8>(to++, load<u8>(TABLE_IDS + table));
  putBytes(OF_LENGTH + 1, 16);
  for (let length = 1; length <= LONGEST_CODE; length++)
    for (let symbol = 0; symbol < SYMBOLS - 1; symbol++)
      if (load<u8>(LENGTHS + symbol) == length) store<u8>(to++, symbol);
  const end = to;
  to = start;
  putTwo(end - start);
  to = end;
  let symbolAt = start + 19;
  let next = 0;
  for (let length = 1; length <= 16; length++, next <<= 1)
    for (let left = load<u8>(OF_LENGTH + length); left > 0; left--, next++)
      store<i32>(CODES + (table * SYMBOLS + load<u8>(symbolAt++)) * 4, (length << 16) | next);
}

/** Joins the two rarest again and again. */
function measureCodes(counts: usize): void {
  memory.fill(LENGTHS, 0, SYMBOLS);
  memory.fill(OTHERS, 0xff, SYMBOLS * 2);
  store<i32>(counts + (SYMBOLS - 1) * 4, 1);
  while (true) {
    const first = rarest(counts, -1);
    const second = rarest(counts, first);
    if (second < 0) return;
    store<i32>(counts + first * 4, load<i32>(counts + first * 4) + load<i32>(counts + second * 4));
    store<i32>(counts + second * 4, 0);
    const end = lengthen(first);
    store<i16>(OTHERS + end * 2, second);
    lengthen(second);
  }
}

/** Of those that are as rare the last one. */
function rarest(counts: usize, except: i32): i32 {
  let found = -1;
  let least = i32.MAX_VALUE;
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const count = load<i32>(counts + symbol * 4);
    if (count == 0 || count > least || symbol == except) continue;
    least = count;
    found = symbol;
  }
  return found;
}

/** Of this symbol and those behind it. Returns the last one. */
function lengthen(first: i32): i32 {
  let symbol = first;
  while (true) {
    store<u8>(LENGTHS + symbol, load<u8>(LENGTHS + symbol) + 1);
    const next = <i32>load<i16>(OTHERS + symbol * 2);
    if (next < 0) return symbol;
    symbol = next;
  }
}

/** Counts codes by length, and makes those longer than 16 bits shorter. */
function limitLengths(): void {
  memory.fill(OF_LENGTH, 0, LONGEST_CODE + 1);
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const length = load<u8>(LENGTHS + symbol);
    if (length > 0) addCodes(length, 1);
  }
  let length = LONGEST_CODE;
  for (; length > 16; length--) {
    while (load<u8>(OF_LENGTH + length) > 0) {
      let shorter = length - 2;
      while (load<u8>(OF_LENGTH + shorter) == 0) shorter--;
      addCodes(length, -2);
      addCodes(length - 1, 1);
      addCodes(shorter + 1, 2);
      addCodes(shorter, -1);
    }
  }
  while (load<u8>(OF_LENGTH + length) == 0) length--;
  addCodes(length, -1);
}

function addCodes(length: i32, count: i32): void {
  store<u8>(OF_LENGTH + length, load<u8>(OF_LENGTH + length) + count);
}
