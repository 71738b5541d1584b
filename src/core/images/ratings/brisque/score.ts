import { yieldToEventLoop } from "../../../general/scheduling.ts";
import type { GreyPicture } from "../../decode.ts";
import { brisqueFeatures } from "./features.ts";

/** The worst score; also that of images for which none can be computed. */
const WORST = 100;
/** At half its size, a smaller image has no neighbours to compare, and so no finite score. */
const LEAST_SIDE = 4;

/**
 * The BRISQUE score of an image, as OpenCV's quality module computes it: from 0 (best) to 100. One-colour images, and
 * those that are too small, score 100.
 */
export async function brisqueScore(image: GreyPicture): Promise<number> {
  if (isOneColour(image) || Math.min(image.width, image.height) < LEAST_SIDE) return WORST;
  const model = await brisqueModel();
  const features = await brisqueFeatures(image);
  await yieldToEventLoop();
  const score = regress(features, model);
  return Number.isFinite(score) ? Math.max(0, Math.min(WORST, score)) : WORST;
}

function isOneColour({ data }: GreyPicture): boolean {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.subarray(1).equals(bytes.subarray(0, -1));
}

/** Support vector regression with radial basis functions. */
function regress(
  features: readonly number[],
  { vectors, coefficients, minima, maxima, gamma, rho }: BrisqueModel,
): number {
  const scaled = features.map((feature, index) => {
    const [low, high] = [minima[index] ?? 0, maxima[index] ?? 1];
    return (2 * (feature - low)) / (high - low) - 1;
  });
  let sum = -rho;
  for (let vector = 0; vector < coefficients.length; vector++) {
    let distance = 0;
    for (let index = 0; index < FEATURES; index++) {
      distance += ((scaled[index] ?? 0) - (vectors[vector * FEATURES + index] ?? 0)) ** 2;
    }
    sum += (coefficients[vector] ?? 0) * Math.exp(-gamma * distance);
  }
  return sum;
}

interface BrisqueModel {
  /** 36 values for each support vector. */
  readonly vectors: Float32Array;
  readonly coefficients: Float32Array;
  /** Ranges of the features, which are scaled to -1..1. */
  readonly minima: Float32Array;
  readonly maxima: Float32Array;
  readonly gamma: number;
  readonly rho: number;
}

const FEATURES = 36;

let decoded: Promise<BrisqueModel> | undefined;

/** OpenCV's trained model, a fifth of the package's code: loaded when an image is rated for the first time. */
function brisqueModel(): Promise<BrisqueModel> {
  decoded ??= decode();
  return decoded;
}

async function decode(): Promise<BrisqueModel> {
  const data = await import("./model-data.ts");
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

/** Twenty bits a value. */
function steps(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  const values = new Float32Array((bytes.length / 5) * 2);
  const scaled = (digits: number) => (digits / 0xfffff) * 2 - 1;
  for (let at = 0, index = 0; at < bytes.length; at += 5) {
    values[index++] = scaled(bytes.readUIntBE(at, 3) >> 4);
    values[index++] = scaled(bytes.readUIntBE(at + 2, 3) & 0xfffff);
  }
  return values;
}

function floats(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
