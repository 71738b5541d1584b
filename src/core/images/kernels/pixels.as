/*
 * Reduces colour pixels to grey ones and to sums over their channels, in AssemblyScript, a slice at a time. In JavaScript, the
 * first slice of a process blocked it for 30 ms, before the loop was optimised.
 */

/** The most pixels in a slice; squares of a channel add up to less than 2^31 in each of four lanes. */
const MOST: i32 = 100_000;
const ROOM: i32 = 64;

/** Of each channel the sum of its values, then of each the sum of its squares, as 64-bit floats. */
const SUMS: i32 = 0;
/** Place of up to MOST pixels of three bytes. */
export const SOURCE: i32 = 64;
export const GREY: i32 = SOURCE + 3 * MOST + ROOM;

// The weights of ITU-R 601 in 1/32768, as OpenCV rounds them.
const RED: i32 = 9798;
const GREEN: i32 = 19235;
const BLUE: i32 = 3735;
const HALF: i32 = 16384;
const SHIFT: i32 = 15;

let redSums: v128 = i32x4.splat(0);
let greenSums: v128 = i32x4.splat(0);
let blueSums: v128 = i32x4.splat(0);
let redSquares: v128 = i32x4.splat(0);
let greenSquares: v128 = i32x4.splat(0);
let blueSquares: v128 = i32x4.splat(0);

export function reduce(count: i32): void {
  redSums = greenSums = blueSums = redSquares = greenSquares = blueSquares = i32x4.splat(0);
  // Black pixels after the last one add nothing.
  memory.fill(SOURCE + 3 * count, 0, ROOM);
  for (let pixel = 0; pixel < count; pixel += 16) {
    const at = SOURCE + 3 * pixel;
    const first = v128.load(at);
    const second = v128.load(at, 16);
    const third = v128.load(at, 32);
    // Red and green of 8 pixels each, then blue.
    const low = v128.shuffle<u8>(first, second, 0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22);
    const high = v128.shuffle<u8>(second, third, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23, 24, 26, 27, 29, 30);
    const lowBlue = i16x8.extend_low_i8x16_u(
      v128.shuffle<u8>(first, second, 2, 5, 8, 11, 14, 17, 20, 23, 2, 2, 2, 2, 2, 2, 2, 2),
    );
    const highBlue = i16x8.extend_low_i8x16_u(
      v128.shuffle<u8>(second, third, 10, 13, 16, 19, 22, 25, 28, 31, 10, 10, 10, 10, 10, 10, 10, 10),
    );
    const grey0 = reduceFour(i16x8.extend_low_i8x16_u(low), i32x4.extend_low_i16x8_u(lowBlue));
    const grey1 = reduceFour(i16x8.extend_high_i8x16_u(low), i32x4.extend_high_i16x8_u(lowBlue));
    const grey2 = reduceFour(i16x8.extend_low_i8x16_u(high), i32x4.extend_low_i16x8_u(highBlue));
    const grey3 = reduceFour(i16x8.extend_high_i8x16_u(high), i32x4.extend_high_i16x8_u(highBlue));
    v128.store(
      GREY + pixel,
      i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_u(grey0, grey1), i16x8.narrow_i32x4_u(grey2, grey3)),
    );
  }
  store<f64>(SUMS, total(redSums));
  store<f64>(SUMS, total(greenSums), 8);
  store<f64>(SUMS, total(blueSums), 16);
  store<f64>(SUMS, total(redSquares), 24);
  store<f64>(SUMS, total(greenSquares), 32);
  store<f64>(SUMS, total(blueSquares), 40);
}

/** Adds four pixels to the sums, given red and green in turn and blue; returns their grey values. */
@inline
function reduceFour(redGreen: v128, blue: v128): v128 {
  const red = v128.and(redGreen, i32x4.splat(0xffff));
  const green = i32x4.shr_u(redGreen, 16);
  redSums = i32x4.add(redSums, red);
  greenSums = i32x4.add(greenSums, green);
  blueSums = i32x4.add(blueSums, blue);
  redSquares = i32x4.add(redSquares, i32x4.dot_i16x8_s(red, red));
  greenSquares = i32x4.add(greenSquares, i32x4.dot_i16x8_s(green, green));
  blueSquares = i32x4.add(blueSquares, i32x4.dot_i16x8_s(blue, blue));
  const weighted = i32x4.add(
    i32x4.dot_i16x8_s(redGreen, i32x4.splat((GREEN << 16) | RED)),
    i32x4.mul(blue, i32x4.splat(BLUE)),
  );
  return i32x4.shr_u(i32x4.add(weighted, i32x4.splat(HALF)), SHIFT);
}

function total(lanes: v128): f64 {
  return (
    <f64>i32x4.extract_lane(lanes, 0) +
    <f64>i32x4.extract_lane(lanes, 1) +
    <f64>i32x4.extract_lane(lanes, 2) +
    <f64>i32x4.extract_lane(lanes, 3)
  );
}
