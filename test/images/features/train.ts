/*
 * Learns which directions of a feature's 128 values tell features apart, and writes src/recognition/table.ts:
 * tsx test/images/features/train.ts, about two minutes. The pictures are drawn by test/support/photographs.ts from seeds that
 * no test uses, so that the table has no licence but this repository's.
 *
 * Linear discriminant analysis: of the features of a picture and of photographs of it, whose homography is known, those that
 * show the same place are pairs. The directions are those in which features differ much, but those of a pair little.
 */
import { writeFile } from "node:fs/promises";
import type { GreyPicture } from "../../../src/core/images/decode.ts";
import { FeatureFinder, type Features } from "../../../src/recognition/extract.ts";
import { BITS, DIRECTIONS, readProjections, VALUES } from "../../../src/recognition/projections.ts";
import { type Homography, project } from "../../support/camera.ts";
import { drawLeaves, photograph } from "../../support/photographs.ts";
import { generator } from "../../support/scenes.ts";

const [PICTURES, PHOTOGRAPHS, FIRST_SEED] = [60, 4, 10_000];
const SEARCH = { side: 640, most: 900, contrast: 80, finest: 0.7 };

const finder = new FeatureFinder({ weights: new Int8Array(BITS * VALUES), biases: new Int32Array(BITS) });

interface Described extends Features {
  readonly values: readonly Uint8Array[];
}

async function describe(picture: GreyPicture): Promise<Described> {
  const features = await finder.find(picture, SEARCH);
  const { kernel } = finder;
  const { memory } = kernel;
  const valuesAt = (place: number) =>
    new Uint8Array(memory.buffer, kernel.RAW.value + place * VALUES, VALUES).slice();
  // Dark ones are first, as in `features`. Of each six fields in memory, the fifth is 1 for these.
  const fields = new Int32Array(memory.buffer, kernel.FEATURES.value, features.count * 6);
  const places = Array.from({ length: features.count }, (_, place) => place);
  const isDark = (place: number) => fields[place * 6 + 4] === 1;
  const sorted = [...places.filter(isDark), ...places.filter((place) => !isDark(place))];
  return { ...features, values: sorted.map(valuesAt) };
}

function frameOf({ frames }: Features, index: number) {
  const [x = 0, y = 0, size = 0, turn = 0] = frames.subarray(index * 4);
  return { x: x / 32, y: y / 32, size: size / 128, angle: (turn / 32768) * Math.PI };
}

/** The features of a photograph that show what those of the picture show. */
function pairsOf(picture: Described, photo: Described, h: Homography): [Uint8Array, Uint8Array][] {
  return picture.values.flatMap((values, index): [Uint8Array, Uint8Array][] => {
    const { x, y, size, angle } = frameOf(picture, index);
    const [px, py] = project(h, x, y);
    const [sx, sy] = project(h, x + Math.cos(angle) * size, y + Math.sin(angle) * size);
    const [ax, ay] = project(h, x + 1, y);
    const [bx, by] = project(h, x, y + 1);
    const grown = size * Math.sqrt(Math.abs((ax - px) * (by - py) - (ay - py) * (bx - px)));
    const turned = Math.atan2(sy - py, sx - px);
    const match = photo.values.findIndex((_, other) => {
      if (index < picture.dark !== other < photo.dark) return false;
      const frame = frameOf(photo, other);
      const ratio = frame.size / grown;
      const turn = Math.cos(frame.angle - turned);
      return (
        Math.hypot(frame.x - px, frame.y - py) < 0.6 * frame.size + 0.5 &&
        ratio < 1.35 &&
        ratio > 0.74 &&
        turn > 0.9
      );
    });
    const other = photo.values[match];
    return other === undefined ? [] : [[values, other]];
  });
}

type Matrix = number[][];
const zeros = (size = VALUES): Matrix =>
  Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
const get = (matrix: Matrix, row: number, column: number) => matrix[row]?.[column] ?? 0;

/** The covariance of vectors. */
function covariance(vectors: readonly Float64Array[]): Matrix {
  const mean = new Float64Array(VALUES);
  for (const vector of vectors)
    for (const [i, value] of vector.entries()) mean[i] = (mean[i] ?? 0) + value / vectors.length;
  const sums = new Float64Array(VALUES * VALUES);
  for (const vector of vectors) {
    const centred = vector.map((value, i) => value - (mean[i] ?? 0));
    for (let i = 0; i < VALUES; i++) {
      const value = centred[i] ?? 0;
      for (let j = 0; j < VALUES; j++)
        sums[i * VALUES + j] = (sums[i * VALUES + j] ?? 0) + value * (centred[j] ?? 0);
    }
  }
  return zeros().map((row, i) => row.map((_, j) => (sums[i * VALUES + j] ?? 0) / vectors.length));
}

/** Lower triangle whose product with its transpose is the matrix. */
function cholesky(matrix: Matrix): Matrix {
  const lower = zeros();
  for (let i = 0; i < VALUES; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = get(matrix, i, j);
      for (let k = 0; k < j; k++) sum -= get(lower, i, k) * get(lower, j, k);
      const row = lower[i];
      if (row) row[j] = i === j ? Math.sqrt(sum) : sum / get(lower, j, j);
    }
  }
  return lower;
}

/** Solves lower · x = b, or its transpose. */
function substitute(lower: Matrix, b: readonly number[], transposed: boolean): number[] {
  const x = [...b];
  for (let step = 0; step < VALUES; step++) {
    const i = transposed ? VALUES - 1 - step : step;
    let sum = x[i] ?? 0;
    for (let k = transposed ? i + 1 : 0; k < (transposed ? VALUES : i); k++)
      sum -= (transposed ? get(lower, k, i) : get(lower, i, k)) * (x[k] ?? 0);
    x[i] = sum / get(lower, i, i);
  }
  return x;
}

const transpose = (matrix: Matrix): Matrix => matrix.map((_, i) => matrix.map((row) => row[i] ?? 0));

/** Eigenvectors of a symmetric matrix with the greatest eigenvalues (Jacobi's method). */
function greatestEigenvectors(matrix: Matrix, count: number): Matrix {
  const a = matrix.map((row) => Float64Array.from(row));
  const v = zeros().map((row, i) => Float64Array.from(row, (_, j) => (i === j ? 1 : 0)));
  const rotate = (m: Float64Array[], k: number, p: number, q: number, c: number, s: number) => {
    const row = m[k] ?? new Float64Array();
    const [x = 0, y = 0] = [row[p], row[q]];
    row[p] = c * x - s * y;
    row[q] = s * x + c * y;
  };
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let p = 0; p < VALUES; p++) {
      for (let q = p + 1; q < VALUES; q++) {
        const [rp, rq] = [a[p], a[q]];
        const off = rp?.[q] ?? 0;
        if (!rp || !rq || Math.abs(off) < 1e-12) continue;
        const theta = ((rq[q] ?? 0) - (rp[p] ?? 0)) / (2 * off);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < VALUES; k++) rotate(a, k, p, q, c, s);
        for (let k = 0; k < VALUES; k++) {
          const [x = 0, y = 0] = [rp[k], rq[k]];
          rp[k] = c * x - s * y;
          rq[k] = s * x + c * y;
        }
        for (let k = 0; k < VALUES; k++) rotate(v, k, p, q, c, s);
      }
    }
  }
  const order = a.map((row, i) => [row[i] ?? 0, i] as const).sort(([x], [y]) => y - x);
  return order.slice(0, count).map(([, column]) => v.map((row) => row[column] ?? 0));
}

const pairs: [Uint8Array, Uint8Array][] = [];
const random = generator(1);
for (let index = 0; index < PICTURES; index++) {
  const seed = FIRST_SEED + index;
  const picture = drawLeaves(seed);
  const described = await describe(picture);
  for (let shot = 0; shot < PHOTOGRAPHS; shot++) {
    const view = { tilt: random() * 50, scale: 0.45 + random() * 0.85, cover: 0 };
    const photo = await photograph(picture, view, seed * 10 + shot, { width: 640, height: 480 });
    pairs.push(...pairsOf(described, await describe(photo), photo.homography));
  }
}
console.log(`${pairs.length} pairs`);
// Every fifth picture's worth is kept for measuring.
const cut = Math.floor(pairs.length * 0.8);
const learned = pairs.slice(0, cut);
const differences = learned.map(([a, b]) => Float64Array.from(a, (value, i) => value - (b[i] ?? 0)));
const within = covariance(differences);
const total = covariance(learned.flatMap(([a, b]) => [Float64Array.from(a), Float64Array.from(b)]));
const trace = within.reduce((sum, row, i) => sum + (row[i] ?? 0), 0);
const regular = within.map((row, i) =>
  row.map((value, j) => value + (i === j ? (0.05 * trace) / VALUES : 0)),
);
const lower = cholesky(regular);
const half = transpose(total.map((row) => substitute(lower, row, false)));
const whitened = transpose(half)
  .map((_, i) => i)
  .map(() => [] as number[]);
for (const [i, row] of half.entries()) whitened[i] = substitute(lower, row, false);
const vectors = greatestEigenvectors(whitened, DIRECTIONS).map((vector) => substitute(lower, vector, true));

const rows = vectors.map((vector) => {
  const scale = Math.max(...vector.map(Math.abs)) / 127;
  const row = Buffer.alloc(4 + VALUES);
  row.writeFloatLE(scale);
  for (const [i, value] of vector.entries()) row.writeInt8(Math.round(value / scale), 4 + i);
  return row;
});
const { weights } = await readProjections(Buffer.concat(rows));
const projected = (bit: number, values: Uint8Array) => {
  let sum = 0;
  for (let i = 0; i < VALUES; i++) sum += (weights[bit * VALUES + i] ?? 0) * (values[i] ?? 0);
  return sum;
};
const every = learned.filter((_, index) => index % 4 === 0).flat();
const biases = Buffer.alloc(BITS * 4);
for (let bit = 0; bit < BITS; bit++) {
  const sums = every.map((values) => projected(bit, values)).sort((a, b) => a - b);
  biases.writeInt32LE(sums[sums.length >> 1] ?? 0, bit * 4);
}
const table = Buffer.concat([...rows, biases]);

/** How often a feature's pair is the nearest of 1,500. */
function nearestShare(
  distance: (a: Uint8Array, b: Uint8Array) => number,
  of: [Uint8Array, Uint8Array][],
): number {
  const right = of.filter(([a], index) => {
    const distances = of.map(([, b]) => distance(a, b));
    return distances.every((other, place) => place === index || other > (distances[index] ?? 0));
  });
  return right.length / of.length;
}
const kept = pairs.slice(cut);
const measured = kept
  .filter((_, index) => index % Math.max(1, Math.floor(kept.length / 1500)) === 0)
  .slice(0, 1500);
const code = (values: Uint8Array) =>
  Uint8Array.from({ length: BITS }, (_, bit) =>
    projected(bit, values) > biases.readInt32LE(bit * 4) ? 1 : 0,
  );
const byValues = nearestShare(
  (a, b) => a.reduce((sum, value, i) => sum + (value - (b[i] ?? 0)) ** 2, 0),
  measured,
);
const coded = measured.map(([a, b]): [Uint8Array, Uint8Array] => [code(a), code(b)]);
const byCodes = nearestShare((a, b) => a.reduce((sum, bit, i) => sum + (bit ^ (b[i] ?? 0)), 0), coded);
console.log(
  `nearest of ${measured.length}: ${byValues.toFixed(3)} by values, ${byCodes.toFixed(3)} by codes`,
);

await writeFile(
  new URL("../../../src/recognition/table.ts", import.meta.url),
  `/**
 * Written by \`tsx test/images/features/train.ts\`: do not edit. Base64 of ${DIRECTIONS} directions (a 32-bit scale and ${VALUES} signed bytes each),
 * then ${BITS} 32-bit biases. Learned from pictures that the script draws.
 */
export const TABLE =
  "${table.toString("base64")}";
`,
);
