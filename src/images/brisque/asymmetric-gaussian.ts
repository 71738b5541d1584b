import { gamma } from "./gamma.ts";

/** Sums over the values that a distribution is fitted to. */
export interface ValueSums {
  /** How many values there are, zeros and those that are not numbers included. */
  readonly count: number;
  readonly positives: number;
  readonly negatives: number;
  readonly positiveSquares: number;
  readonly allSquares: number;
  readonly magnitudes: number;
}

/** An asymmetric generalised Gaussian distribution. */
export interface AsymmetricGaussian {
  /** Its shape: 2 is the normal distribution. */
  readonly alpha: number;
  readonly mean: number;
  /** Mean squares of the negative and of the positive values. */
  readonly leftVariance: number;
  readonly rightVariance: number;
}

const FIRST_ALPHA = 0.2;
const LAST_ALPHA = 10;
const ALPHA_STEP = 0.001;

let ratios: Float64Array | undefined;

/** Fits by moments; alpha is the nearest of a fixed grid. Parts that cannot be told are not finite. */
export function fitAsymmetricGaussian(sums: ValueSums): AsymmetricGaussian {
  const leftVariance = (sums.allSquares - sums.positiveSquares) / sums.negatives;
  const rightVariance = sums.positiveSquares / sums.positives;
  const [left, right] = [Math.sqrt(leftVariance), Math.sqrt(rightVariance)];
  const skew = left / right;
  const ratio = (sums.magnitudes / sums.count) ** 2 / (sums.allSquares / sums.count);
  const alpha = alphaOfRatio((ratio * (skew ** 3 + 1) * (skew + 1)) / (skew ** 2 + 1) ** 2);
  const spread = Math.sqrt(gamma(1 / alpha) / gamma(3 / alpha));
  const mean = (((right - left) * gamma(2 / alpha)) / gamma(1 / alpha)) * spread;
  return { alpha, mean, leftVariance, rightVariance };
}

function alphaOfRatio(wanted: number): number {
  ratios ??= Float64Array.from(
    { length: Math.round((LAST_ALPHA - FIRST_ALPHA) / ALPHA_STEP) },
    (_, index) => {
      const alpha = FIRST_ALPHA + index * ALPHA_STEP;
      return gamma(2 / alpha) ** 2 / (gamma(1 / alpha) * gamma(3 / alpha));
    },
  );
  let nearest = 0;
  let distance = Number.POSITIVE_INFINITY;
  ratios.forEach((ratio, index) => {
    if (Math.abs(ratio - wanted) >= distance) return;
    distance = Math.abs(ratio - wanted);
    nearest = index;
  });
  return FIRST_ALPHA + nearest * ALPHA_STEP;
}
