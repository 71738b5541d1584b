import { brisqueFeatures, type GreyImage } from "./features.ts";
import { brisqueModel } from "./model.ts";

/** The worst score, and the score of what none can be computed for. */
const WORST = 100;

/**
 * The BRISQUE score of an image, as OpenCV's quality module computes it: from 0 (best) to 100. One-colour images, and
 * those that are too small, score 100.
 */
export async function brisqueScore(image: GreyImage): Promise<number> {
  if (isOneColour(image)) return WORST;
  const score = regress(await brisqueFeatures(image));
  return Number.isFinite(score) ? Math.max(0, Math.min(WORST, score)) : WORST;
}

function isOneColour({ data }: GreyImage): boolean {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.subarray(1).equals(bytes.subarray(0, -1));
}

/** Support vector regression with radial basis functions. */
function regress(features: readonly number[]): number {
  const { vectors, coefficients, minima, maxima, gamma, rho } = brisqueModel();
  const scaled = features.map((feature, index) => {
    const [low, high] = [minima[index] ?? 0, maxima[index] ?? 1];
    return (2 * (feature - low)) / (high - low) - 1;
  });
  let sum = -rho;
  coefficients.forEach((coefficient, vector) => {
    let distance = 0;
    scaled.forEach((value, index) => {
      distance += (value - (vectors[vector * scaled.length + index] ?? 0)) ** 2;
    });
    sum += coefficient * Math.exp(-gamma * distance);
  });
  return sum;
}
