import type { PixelSize } from "../../../general/image-header.ts";
import { yieldToEventLoop } from "../../../general/scheduling.ts";
import type { GreyPicture } from "../../decode.ts";
import { brisqueKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "../../kernels/instantiate.ts";

/** In Jest, reading a global costs as much as a hundred operations. */
const { abs, exp, floor, PI, sin, sqrt } = Math;

/** A grey picture, one byte a pixel, that is made while it is read, once and in order. */
export interface GreyRows extends PixelSize {
  /** Its pixels row by row, which the next call may overwrite. */
  read(firstRow: number, rows: number): Uint8Array;
}

interface Kernel extends KernelMemory {
  begin(width: number, height: number, room: number): number;
  push(rows: number): void;
}

/** About 0.8 ms of work. */
export const PIXELS_PER_SLICE = 100_000;
const ROWS_PER_SLICE = 5000;
const SLICES_PER_TURN = 2;
/** The kernel keeps 46 rows; images have at most MAX_TARGET_IMAGE_PIXELS, so the shorter side is below this. */
const LONGEST_ROW = 65_536;
/** In the kernel's memory: z and its four shifted products, five sums each. */
const MAPS = 5;
const FIELDS = 5;

/** Kernels that no image is using: as many as images are rated at a time. */
const idleKernels = keptWhileUsed((): Kernel[] => []);

/** The 36 features of BRISQUE: 18 of the image, 18 of the image at half size. Not finite where they are undefined. */
export async function brisqueFeatures(image: GreyRows): Promise<number[]> {
  const kernel = idleKernels().pop() ?? instantiate<Kernel>(brisqueKernel);
  const upright = image.width > LONGEST_ROW ? await transpose(image) : image;
  const [whole, half] = await sumRows(kernel, upright);
  idleKernels().push(kernel);
  return [whole, half].map(featuresOf).flatMap(([z = [], right = [], down = [], ...diagonal]) => {
    // In a transposed image, right and down are swapped.
    const straight = upright === image ? [right, down] : [down, right];
    return [z, ...straight, ...diagonal].flat();
  });
}

/** The sums of the image, then those of its half. */
async function sumRows(kernel: Kernel, image: GreyRows): Promise<[ValueSums[], ValueSums[]]> {
  const { width, height } = image;
  const rowsPerSlice = rowsOfSlice(width);
  const source = kernel.begin(width, height, rowsPerSlice * width);
  const memory = new Uint8Array(kernel.memory.buffer, source);
  for (let row = 0; row < height; row += rowsPerSlice) {
    if (row > 0 && row % (SLICES_PER_TURN * rowsPerSlice) === 0) await yieldToEventLoop();
    const rows = Math.min(rowsPerSlice, height - row);
    memory.set(image.read(row, rows));
    kernel.push(rows);
  }
  const [whole, half] = [width * height, (width >> 1) * (height >> 1)];
  return [sumsOf(kernel, 0, whole), sumsOf(kernel, 1, half)];
}

export const rowsOfSlice = (width: number): number =>
  Math.min(ROWS_PER_SLICE, Math.max(1, floor(PIXELS_PER_SLICE / width)));

function sumsOf(kernel: Kernel, level: number, count: number): ValueSums[] {
  const sums = new Float64Array(kernel.memory.buffer, 0, 2 * MAPS * FIELDS);
  return Array.from({ length: MAPS }, (_, map) => {
    const [positives = 0, negatives = 0, positiveSquares = 0, allSquares = 0, magnitudes = 0] = sums.subarray(
      (level * MAPS + map) * FIELDS,
    );
    return { count, positives, negatives, positiveSquares, allSquares, magnitudes };
  });
}

/** Two features of the map of z, four of each of its products. */
function featuresOf([z, ...products]: ValueSums[]): number[][] {
  if (!z) return [];
  const own = fitAsymmetricGaussian(z);
  return [
    [own.alpha, (own.leftVariance + own.rightVariance) / 2],
    ...products.map((sums) => {
      const fit = fitAsymmetricGaussian(sums);
      return [fit.alpha, fit.mean, fit.leftVariance, fit.rightVariance];
    }),
  ];
}

async function transpose(image: GreyRows): Promise<GreyRows> {
  const { width, height } = image;
  const turned = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    await yieldToEventLoop();
    const row = image.read(y, 1);
    for (let x = 0; x < width; x++) turned[x * height + y] = row[x] ?? 0;
  }
  return greyRows({ data: turned, width: height, height: width });
}

export const greyRows = ({ data, width, height }: GreyPicture): GreyRows => ({
  width,
  height,
  read: (firstRow, rows) => data.subarray(firstRow * width, (firstRow + rows) * width),
});

/** Sums over the values that a distribution is fitted to. */
interface ValueSums {
  /** How many values there are, including zeros and NaN. */
  readonly count: number;
  readonly positives: number;
  readonly negatives: number;
  readonly positiveSquares: number;
  readonly allSquares: number;
  readonly magnitudes: number;
}

/** An asymmetric generalised Gaussian distribution. */
interface AsymmetricGaussian {
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
const ALPHAS = Math.round((LAST_ALPHA - FIRST_ALPHA) / ALPHA_STEP);

/** Fits by moments; alpha is the nearest of a fixed grid. Undefined parts are not finite. */
function fitAsymmetricGaussian(sums: ValueSums): AsymmetricGaussian {
  const leftVariance = (sums.allSquares - sums.positiveSquares) / sums.negatives;
  const rightVariance = sums.positiveSquares / sums.positives;
  const [left, right] = [sqrt(leftVariance), sqrt(rightVariance)];
  const skew = left / right;
  const ratio = (sums.magnitudes / sums.count) ** 2 / (sums.allSquares / sums.count);
  const alpha = alphaOfRatio((ratio * (skew ** 3 + 1) * (skew + 1)) / (skew ** 2 + 1) ** 2);
  const spread = sqrt(gamma(1 / alpha) / gamma(3 / alpha));
  const mean = (((right - left) * gamma(2 / alpha)) / gamma(1 / alpha)) * spread;
  return { alpha, mean, leftVariance, rightVariance };
}

/** The shape whose ratio is the nearest; of two as near, the lower one. The ratio grows with the shape. */
function alphaOfRatio(wanted: number): number {
  let [low, high] = [0, ALPHAS - 1];
  while (low < high) {
    const middle = floor((low + high) / 2);
    if (ratioOfAlpha(alphaAt(middle)) < wanted) low = middle + 1;
    else high = middle;
  }
  const distance = (index: number) => abs(ratioOfAlpha(alphaAt(index)) - wanted);
  return alphaAt(low > 0 && distance(low - 1) <= distance(low) ? low - 1 : low);
}

const alphaAt = (index: number): number => FIRST_ALPHA + index * ALPHA_STEP;

const ratioOfAlpha = (alpha: number): number => gamma(2 / alpha) ** 2 / (gamma(1 / alpha) * gamma(3 / alpha));

/** Lanczos' approximation with g = 7. */
const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
const G = 7;

/** The gamma function of a positive number, to about 15 digits. */
function gamma(value: number): number {
  if (value < 0.5) return PI / (sin(PI * value) * gamma(1 - value));
  const x = value - 1;
  const sum = COEFFICIENTS.reduce(
    (total, coefficient, index) => total + coefficient / (x + index + 1),
    0.9999999999998099,
  );
  const base = x + G + 0.5;
  return sqrt(2 * PI) * base ** (x + 0.5) * exp(-base) * sum;
}
