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
    vectors: steps(data.vectors),
    coefficients: floats(data.coefficients),
    minima: bounds.subarray(0, FEATURES),
    maxima: bounds.subarray(FEATURES),
    gamma: data.gamma,
    rho: data.rho,
  };
}

/** Five hexadecimal digits a value. */
function steps(base64: string): Float32Array {
  const hex = Buffer.from(base64, "base64").toString("hex");
  return Float32Array.from({ length: hex.length / 5 }, (_, index) => {
    return (Number.parseInt(hex.slice(index * 5, index * 5 + 5), 16) / 0xfffff) * 2 - 1;
  });
}

function floats(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
