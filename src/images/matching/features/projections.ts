import { createRandom } from "../../../emulator/random.ts";
import { TABLE } from "./table.ts";

/** Values of a feature before projection, and bits of its code. */
export const [VALUES, BITS] = [128, 256];
/** Directions that tell features apart best: the table has as many rows. */
export const DIRECTIONS = 32;
const ROW_BYTES = 4 + VALUES;

/**
 * The projections whose signs are a feature's code: of the table's directions, in frames that are turned at random, but the
 * same on every machine. Only operations whose results are exact are used.
 */
export function readProjections(table: Buffer = Buffer.from(TABLE, "base64")) {
  const directions = Array.from({ length: DIRECTIONS }, (_, row) => {
    const scale = table.readFloatLE(row * ROW_BYTES);
    return Array.from({ length: VALUES }, (_, value) => scale * table.readInt8(row * ROW_BYTES + 4 + value));
  });
  const weights = new Int8Array(BITS * VALUES);
  for (const [bit, turned] of randomFrames().entries()) {
    const row = new Float64Array(VALUES);
    for (const [index, direction] of directions.entries()) {
      const share = turned[index] ?? 0;
      for (const [value, weight] of direction.entries()) row[value] = (row[value] ?? 0) + share * weight;
    }
    const most = row.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 0);
    weights.set(
      row.map((weight) => Math.round((127 * weight) / most)),
      bit * VALUES,
    );
  }
  const biases = Int32Array.from({ length: BITS }, (_, bit) =>
    table.length > DIRECTIONS * ROW_BYTES ? table.readInt32LE(DIRECTIONS * ROW_BYTES + bit * 4) : 0,
  );
  return { weights, biases };
}

/** One unit vector a bit, in sets of as many that are at right angles to each other. */
function randomFrames(): readonly (readonly number[])[] {
  const random = createRandom("features");
  const uniform = () => random.integer(65536) / 65536;
  // Twelve uniform numbers add up to nearly a normal one.
  const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const frames: number[][] = [];
  while (frames.length < BITS) {
    const others = frames.slice(frames.length - (frames.length % DIRECTIONS));
    let vector = Array.from({ length: DIRECTIONS }, normal);
    for (const other of others) {
      const along = dot(vector, other);
      vector = vector.map((value, index) => value - along * (other[index] ?? 0));
    }
    const length = Math.sqrt(dot(vector, vector));
    frames.push(vector.map((value) => value / length));
  }
  return frames;
}
