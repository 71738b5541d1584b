import { createRandom } from "../core/emulator/random.ts";
import { yieldToEventLoop } from "../core/general/scheduling.ts";
import { TABLE } from "./table.ts";

/** Values of a feature before projection, and bits of its code. */
export const [VALUES, BITS] = [128, 256];
/** Directions that tell features apart best: the table has as many rows. */
export const DIRECTIONS = 32;
const ROW_BYTES = 4 + VALUES;

/** The signs of these projections are a feature's code. */
export interface Projections {
  readonly weights: Int8Array;
  readonly biases: Int32Array;
}

/** All of them take some 50 ms. */
const BITS_PER_STEP = 4;

/**
 * The projections whose signs are a feature's code: of the table's directions, in frames that are turned at random, but the
 * same on every machine. Only operations whose results are exact are used.
 */
export async function readProjections(table: Buffer = Buffer.from(TABLE, "base64")): Promise<Projections> {
  const directions = Array.from({ length: DIRECTIONS }, (_, row) => {
    const scale = table.readFloatLE(row * ROW_BYTES);
    return Float64Array.from(
      { length: VALUES },
      (_, value) => scale * table.readInt8(row * ROW_BYTES + 4 + value),
    );
  });
  const weights = new Int8Array(BITS * VALUES);
  let bit = 0;
  for (const turned of randomFrames()) {
    const row = new Float64Array(VALUES);
    for (const [index, direction] of directions.entries()) {
      const share = turned[index] ?? 0;
      for (let value = 0; value < VALUES; value++)
        row[value] = (row[value] ?? 0) + share * (direction[value] ?? 0);
    }
    const most = row.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 0);
    weights.set(
      row.map((weight) => Math.round((127 * weight) / most)),
      bit * VALUES,
    );
    bit += 1;
    if (bit % BITS_PER_STEP === 0) await yieldToEventLoop();
  }
  const biases = Int32Array.from({ length: BITS }, (_, bit) =>
    table.length > DIRECTIONS * ROW_BYTES ? table.readInt32LE(DIRECTIONS * ROW_BYTES + bit * 4) : 0,
  );
  return { weights, biases };
}

/** Numbers that are added up to nearly a normal one, and the bytes of each: the first two make it. */
const [SUMMED, NUMBER_BYTES] = [12, 6];

/** One unit vector a bit, in sets of as many that are at right angles to each other. */
function* randomFrames(): Generator<readonly number[]> {
  const random = createRandom("features");
  const normals = () => {
    const bytes = random.bytes(DIRECTIONS * SUMMED * NUMBER_BYTES);
    return Array.from({ length: DIRECTIONS }, (_, index) => {
      let sum = -SUMMED / 2;
      for (let number = index * SUMMED; number < (index + 1) * SUMMED; number++)
        sum += bytes.readUInt16BE(number * NUMBER_BYTES) / 65536;
      return sum;
    });
  };
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  let others: (readonly number[])[] = [];
  for (let bit = 0; bit < BITS; bit++) {
    if (bit % DIRECTIONS === 0) others = [];
    let vector = normals();
    for (const other of others) {
      const along = dot(vector, other);
      vector = vector.map((value, index) => value - along * (other[index] ?? 0));
    }
    const length = Math.sqrt(dot(vector, vector));
    const frame = vector.map((value) => value / length);
    others.push(frame);
    yield frame;
  }
}
