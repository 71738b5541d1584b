import { brisqueKernel } from "../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../kernels/instantiate.ts";
import { Slots } from "../slots.ts";
import { nextTurn } from "../turns.ts";
import { fitAsymmetricGaussian, type ValueSums } from "./asymmetric-gaussian.ts";

/** A greyscale image: one byte a pixel, row by row. */
export interface GreyImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Kernel extends KernelMemory {
  begin(width: number, height: number, half: boolean): number;
  pushRow(row: number): void;
  halfRowSource(row: number): number;
  pushHalfRow(row: number): void;
  addRow(row: number): void;
}

/** About 3 ms of work. */
const PIXELS_PER_SLICE = 250_000;
/** The kernel keeps 27 rows; images are at most 37748736 pixels, so the shorter side is below this. */
const LONGEST_ROW = 65_536;
/** Rows below the one that is blurred. */
const REACH = 3;
/** In the kernel's memory: z and its four shifted products, five sums each. */
const MAPS = 5;
const FIELDS = 5;

const slots = new Slots(4);
const idle: Kernel[] = [];

/** The 36 features of BRISQUE: 18 of the image, 18 of the image at half size. Not finite where they cannot be told. */
export function brisqueFeatures(image: GreyImage): Promise<number[]> {
  return slots.run(async () => {
    const kernel = idle.pop() ?? instantiate<Kernel>(brisqueKernel);
    const upright = image.width > LONGEST_ROW ? await transpose(image) : image;
    const whole = featuresOf(await sumRows(kernel, upright, false));
    const half = featuresOf(await sumRows(kernel, upright, true));
    idle.push(kernel);
    return [whole, half].flatMap(([z = [], right = [], down = [], ...diagonal]) => {
      // Of a transposed image, right is down.
      const straight = upright === image ? [right, down] : [down, right];
      return [z, ...straight, ...diagonal].flat();
    });
  });
}

async function sumRows(kernel: Kernel, image: GreyImage, half: boolean): Promise<ValueSums[]> {
  const { data, width, height } = image;
  const rows = half ? height >> 1 : height;
  const source = kernel.begin(width, height, half);
  const rowsPerSlice = Math.ceil(PIXELS_PER_SLICE / width);
  for (let row = 0; row < rows + REACH; row++) {
    if (row % rowsPerSlice === 0) await nextTurn();
    if (row < rows) {
      const first = half ? kernel.halfRowSource(row) - 1 : row;
      const memory = new Uint8Array(kernel.memory.buffer, source);
      for (let offset = 0; offset < (half ? 4 : 1); offset++) {
        const start = Math.max(0, Math.min(first + offset, height - 1)) * width;
        memory.set(data.subarray(start, start + width), offset * width);
      }
      if (half) kernel.pushHalfRow(row);
      else kernel.pushRow(row);
    }
    if (row >= REACH) kernel.addRow(row - REACH);
  }
  const sums = new Float64Array(kernel.memory.buffer, 0, MAPS * FIELDS);
  const count = rows * (half ? width >> 1 : width);
  return Array.from({ length: MAPS }, (_, map) => {
    const [positives = 0, negatives = 0, positiveSquares = 0, allSquares = 0, magnitudes = 0] = sums.subarray(
      map * FIELDS,
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

async function transpose({ data, width, height }: GreyImage): Promise<GreyImage> {
  const turned = new Uint8Array(data.length);
  const columnsPerSlice = Math.ceil(PIXELS_PER_SLICE / height);
  for (let x = 0; x < width; x++) {
    if (x % columnsPerSlice === 0) await nextTurn();
    for (let y = 0; y < height; y++) turned[x * height + y] = data[y * width + x] ?? 0;
  }
  return { data: turned, width: height, height: width };
}
