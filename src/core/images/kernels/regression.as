/*
 * The distances of a picture's features from the support vectors of BRISQUE's model, in AssemblyScript: in 64-bit floats, added in
 * the order of the features.
 */

const FEATURES: i32 = 36;
const VECTORS: i32 = 774;
/** The model's values, in 32-bit floats: those of the vectors come first. */
export const MODEL: i32 = 0;
const MODEL_BYTES: i32 = (VECTORS * (FEATURES + 1) + 2 * FEATURES) * 4;
/** 64-bit floats. */
/** Place of the features, scaled. */
export const POINT: i32 = (MODEL_BYTES + 15) & ~15;
const DISTANCES: i32 = POINT + FEATURES * 8;

/** Returns the place of the squares of the distances. */
export function measure(): i32 {
  for (let vector = 0; vector < VECTORS; vector += 2) {
    const first = MODEL + vector * FEATURES * 4;
    let sums = f64x2.splat(0);
    for (let feature = 0; feature < FEATURES; feature += 4) {
      const one = v128.load(first + feature * 4);
      const two = v128.load(first + FEATURES * 4 + feature * 4);
      const lower = v128.shuffle<i32>(one, two, 0, 4, 1, 5);
      const upper = v128.shuffle<i32>(one, two, 2, 6, 3, 7);
      const point = POINT + feature * 8;
      sums = f64x2.add(sums, squareOf(point, lower));
      sums = f64x2.add(sums, squareOf(point + 8, v128.shuffle<i64>(lower, lower, 1, 0)));
      sums = f64x2.add(sums, squareOf(point + 16, upper));
      sums = f64x2.add(sums, squareOf(point + 24, v128.shuffle<i64>(upper, upper, 1, 0)));
    }
    v128.store(DISTANCES + vector * 8, sums);
  }
  return DISTANCES;
}

@inline
function squareOf(feature: i32, values: v128): v128 {
  const distance = f64x2.sub(v128.load64_splat(feature), f64x2.promote_low_f32x4(values));
  return f64x2.mul(distance, distance);
}
