import { loadedOnce } from "../../../general/load-module.ts";
import { regressionKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../../kernels/instantiate.ts";
import { brisqueFeatures, type GreyRows } from "./features.ts";

/** In Jest, reading a global costs as much as a hundred operations. */
const { exp } = Math;

/** The worst score; also that of images for which none can be computed. */
const WORST = 100;
/** At half its size, a smaller image has no neighbours to compare, and so no finite score. */
const LEAST_SIDE = 4;

/**
 * The BRISQUE score of an image, as OpenCV's quality module computes it: from 0 (best) to 100. One-colour images, and
 * those that are too small, score 100.
 */
export async function brisqueScore(image: GreyRows): Promise<number> {
  if (Math.min(image.width, image.height) < LEAST_SIDE) return WORST;
  const model = await brisqueModel();
  let [isOneColour, first]: [boolean, number | undefined] = [true, undefined];
  const features = await brisqueFeatures({
    ...image,
    read: (...given) => {
      const grey = image.read(...given);
      first ??= grey[0];
      isOneColour &&= grey[0] === first && areEqual(grey);
      return grey;
    },
  });
  if (isOneColour) return WORST;
  const score = regress(features, model);
  return Number.isFinite(score) ? Math.max(0, Math.min(WORST, score)) : WORST;
}

function areEqual({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return bytes.subarray(1).equals(bytes.subarray(0, -1));
}

/** Support vector regression with radial basis functions. */
function regress(
  features: readonly number[],
  { kernel, coefficients, minima, maxima, gamma, rho }: BrisqueModel,
): number {
  const { buffer } = kernel.memory;
  const point = new Float64Array(buffer, kernel.POINT.value, FEATURES);
  for (const [index, feature] of features.entries()) {
    const [low, high] = [minima[index] ?? 0, maxima[index] ?? 1];
    point[index] = (2 * (feature - low)) / (high - low) - 1;
  }
  const distances = new Float64Array(buffer, kernel.measure(), VECTORS);
  let sum = -rho;
  for (let vector = 0; vector < VECTORS; vector++)
    sum += (coefficients[vector] ?? 0) * exp(-gamma * (distances[vector] ?? 0));
  return sum;
}

interface RegressionKernel extends KernelMemory<"MODEL" | "POINT"> {
  measure(): number;
}

interface BrisqueModel {
  /** With 36 values for each support vector. */
  readonly kernel: RegressionKernel;
  readonly coefficients: Float32Array;
  /** Ranges of the features, which are scaled to -1..1. */
  readonly minima: Float32Array;
  readonly maxima: Float32Array;
  readonly gamma: number;
  readonly rho: number;
}

const FEATURES = 36;
const VECTORS = 774;

/** OpenCV's trained model, a fifth of the package's code: loaded when an image is rated for the first time. */
const brisqueModel = loadedOnce(decode);

async function decode(): Promise<BrisqueModel> {
  const { floats, gamma, rho } = await import("./model-data.ts");
  const kernel = instantiate<RegressionKernel>(regressionKernel);
  const { buffer } = kernel.memory;
  new Uint8Array(buffer).set(Buffer.from(floats, "base64"), kernel.MODEL.value);
  const values = new Float32Array(buffer, kernel.MODEL.value);
  const coefficientsAt = VECTORS * FEATURES;
  const minimaAt = coefficientsAt + VECTORS;
  const maximaAt = minimaAt + FEATURES;
  return {
    kernel,
    coefficients: values.subarray(coefficientsAt, minimaAt),
    minima: values.subarray(minimaAt, maximaAt),
    maxima: values.subarray(maximaAt, maximaAt + FEATURES),
    gamma,
    rho,
  };
}
