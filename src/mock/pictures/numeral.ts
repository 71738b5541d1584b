import { yieldToEventLoop } from "../../core/general/scheduling.ts";

const CHANNELS = 3;
const ROWS = 7;
const COLUMNS = 5;
/** Cells from one digit to the next. */
const ADVANCE = COLUMNS + 1;

/** The digits 0 to 9, as cells that are on: a row in 5 bits, from the top. */
const DIGITS = [
  [14, 17, 17, 17, 17, 17, 14],
  [4, 12, 20, 4, 4, 4, 31],
  [14, 17, 1, 6, 8, 16, 31],
  [14, 17, 1, 6, 1, 17, 14],
  [2, 6, 10, 18, 31, 2, 2],
  [31, 16, 30, 1, 1, 17, 14],
  [14, 16, 16, 30, 17, 17, 14],
  [31, 1, 2, 4, 4, 8, 8],
  [14, 17, 17, 14, 17, 17, 14],
  [14, 17, 17, 15, 1, 1, 14],
] as const;

/** The part of the picture's sides that the numeral may take. */
const PART = 0.72;
const LIGHT = 228;
const DARK = 28;
/** How much of the scene the numeral and its edge cover. */
const COVER = 0.8;
const ROWS_PER_SLICE = 60;

/** Draws a number over a picture, as large as it fits: light, with a dark edge, so that it is read over any scene. */
export async function drawNumeral(
  sum: Float32Array,
  width: number,
  height: number,
  number: number,
): Promise<void> {
  const digits = [...String(number)].map((digit) => DIGITS[Number(digit)] ?? []);
  const columns = digits.length * ADVANCE - 1;
  const cell = Math.min((width * PART) / columns, (height * PART) / ROWS);
  const [left, top] = [(width - columns * cell) / 2, (height - ROWS * cell) / 2];
  /** 1: the cell is on. */
  const cellAt = (column: number, row: number): number => {
    if (column < 0) return 0;
    const bits = digits[Math.floor(column / ADVANCE)]?.[row] ?? 0;
    const place = column % ADVANCE;
    return place < COLUMNS ? (bits >> (COLUMNS - 1 - place)) & 1 : 0;
  };
  /** Changes evenly between the centres of cells, which makes the digits round. */
  const inkAt = (x: number, y: number): number => {
    const [u, v] = [(x - left) / cell - 0.5, (y - top) / cell - 0.5];
    const [column, row] = [Math.floor(u), Math.floor(v)];
    const [across, down] = [u - column, v - row];
    const above = cellAt(column, row) * (1 - across) + cellAt(column + 1, row) * across;
    const below = cellAt(column, row + 1) * (1 - across) + cellAt(column + 1, row + 1) * across;
    return above * (1 - down) + below * down;
  };
  for (let y = 0; y < height; y++) {
    if (y % ROWS_PER_SLICE === 0) await yieldToEventLoop();
    for (let x = 0; x < width; x++) {
      const ink = inkAt(x, y);
      if (ink === 0) continue;
      const edge = COVER * between(ink, 0.05, 0.2);
      const inside = COVER * between(ink, 0.4, 0.5);
      for (let at = (y * width + x) * CHANNELS, end = at + CHANNELS; at < end; at++) {
        const dark = (sum[at] ?? 0) * (1 - edge) + DARK * edge;
        sum[at] = dark * (1 - inside) + LIGHT * inside;
      }
    }
  }
}

/** From 0 at `low` to 1 at `high`. */
const between = (value: number, low: number, high: number): number =>
  Math.max(0, Math.min(1, (value - low) / (high - low)));
