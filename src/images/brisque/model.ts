import * as data from "./model-data.ts";

/** A support vector regression from 36 features to a score. */
export interface BrisqueModel {
  /** 36 values for each support vector. */
  readonly vectors: Float32Array;
  readonly coefficients: Float32Array;
  /** What the features are scaled from, to -1..1. */
  readonly minima: Float32Array;
  readonly maxima: Float32Array;
  readonly gamma: number;
  readonly rho: number;
}

const FEATURES = 36;

let decoded: BrisqueModel | undefined;

/** OpenCV's trained model. */
export function brisqueModel(): BrisqueModel {
  decoded ??= decode();
  return decoded;
}

function decode(): BrisqueModel {
  const bounds = floats(data.bounds);
  return {
    vectors: floats(data.vectors),
    coefficients: floats(data.coefficients),
    minima: bounds.subarray(0, FEATURES),
    maxima: bounds.subarray(FEATURES),
    gamma: data.gamma,
    rho: data.rho,
  };
}

function floats(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
