/*
 * Homographies that pairs of features agree with: fitted to some pairs, they gather others.
 */
import { MOST_TARGET, n, qx, qy, reach, turnCos, turnSin, tx, ty, zoom } from "./pairs";

export let targetWidth: f64 = 0;
export let targetHeight: f64 = 0;
export let queryWidth: f64 = 0;
export let queryHeight: f64 = 0;

export function setSizes(targetW: i32, targetH: i32, queryW: i32, queryH: i32): void {
  targetWidth = targetW;
  targetHeight = targetH;
  queryWidth = queryW;
  queryHeight = queryH;
}

export const inside = new StaticArray<i32>(MOST_TARGET);
export let insiders: i32 = 0;

/** The pairs that agree roughly with the similarity that pair i gives alone: `slant` is what tilt may add, in parts of distances. */
export function agreeWith(i: i32, slant: f64): void {
  insiders = 0;
  const c = turnCos[i] * zoom[i], s = turnSin[i] * zoom[i];
  for (let j = 0; j < n; j++) {
    const dx = tx[j] - tx[i], dy = ty[j] - ty[i];
    const ex = qx[i] + c * dx - s * dy - qx[j], ey = qy[i] + s * dx + c * dy - qy[j];
    const allowed = 4 + slant * zoom[i] * Math.sqrt(dx * dx + dy * dy);
    if (ex * ex + ey * ey > allowed * allowed) continue;
    const grown = zoom[j] / zoom[i];
    if (grown > 2 || grown < 0.5 || turnCos[i] * turnCos[j] + turnSin[i] * turnSin[j] < 0.6) continue;
    inside[insiders++] = j;
  }
}

/** From pixels of the target to pixels of the query, row by row. */
export const model = new StaticArray<f64>(9);

/** The pairs that the model puts within `factor` times their reach. */
function agreeWithModel(factor: f64): void {
  insiders = 0;
  for (let j = 0; j < n; j++) {
    const w = model[6] * tx[j] + model[7] * ty[j] + model[8];
    if (w <= 0) continue;
    const ex = (model[0] * tx[j] + model[1] * ty[j] + model[2]) / w - qx[j];
    const ey = (model[3] * tx[j] + model[4] * ty[j] + model[5]) / w - qy[j];
    const allowed = reach[j] * factor;
    if (ex * ex + ey * ey <= allowed * allowed) inside[insiders++] = j;
  }
}

// Linear equations, with one or two right sides behind them, which the solutions replace
const system = new StaticArray<f64>(80);

/** Gaussian elimination with pivots. Returns false for a singular system. */
function solve(size: i32, columns: i32): bool {
  for (let c = 0; c < size; c++) {
    let pivot = c;
    for (let r = c + 1; r < size; r++) {
      if (Math.abs(system[r * columns + c]) > Math.abs(system[pivot * columns + c])) pivot = r;
    }
    if (Math.abs(system[pivot * columns + c]) < 1e-12) return false;
    for (let k = 0; k < columns; k++) {
      const kept = system[c * columns + k];
      system[c * columns + k] = system[pivot * columns + k];
      system[pivot * columns + k] = kept;
    }
    for (let r = 0; r < size; r++) {
      if (r == c) continue;
      const factor = system[r * columns + c] / system[c * columns + c];
      if (factor == 0) continue;
      for (let k = c; k < columns; k++) system[r * columns + k] -= factor * system[c * columns + k];
    }
  }
  for (let r = 0; r < size; r++) {
    for (let k = size; k < columns; k++) system[r * columns + k] /= system[r * columns + r];
  }
  return true;
}

function fitAffine(): bool {
  memory.fill(changetype<usize>(system), 0, 80 * 8);
  for (let i = 0; i < insiders; i++) {
    const j = inside[i];
    for (let r = 0; r < 3; r++) {
      const v: f64 = r == 0 ? tx[j] / 100 : r == 1 ? ty[j] / 100 : 1;
      system[r * 5] += (v * tx[j]) / 100;
      system[r * 5 + 1] += (v * ty[j]) / 100;
      system[r * 5 + 2] += v;
      system[r * 5 + 3] += v * qx[j];
      system[r * 5 + 4] += v * qy[j];
    }
  }
  if (!solve(3, 5)) return false;
  for (let r = 0; r < 2; r++) {
    model[r * 3] = system[3 + r] / 100;
    model[r * 3 + 1] = system[8 + r] / 100;
    model[r * 3 + 2] = system[13 + r];
  }
  model[6] = 0;
  model[7] = 0;
  model[8] = 1;
  return true;
}

const row = new StaticArray<f64>(9);

function addRow(weight: f64): void {
  for (let r = 0; r < 8; r++) {
    if (row[r] == 0) continue;
    for (let c = 0; c < 9; c++) system[r * 9 + c] += weight * row[r] * row[c];
  }
}

function fitProjective(): bool {
  // Both pictures from about -1 to 1, so that the equations are well conditioned
  const mx = targetWidth / 2, my = targetHeight / 2, unit = Math.max(mx, my);
  const ux = queryWidth / 2, uy = queryHeight / 2, size = Math.max(ux, uy);
  memory.fill(changetype<usize>(system), 0, 80 * 8);
  for (let i = 0; i < insiders; i++) {
    const j = inside[i];
    const x = (tx[j] - mx) / unit, y = (ty[j] - my) / unit;
    const X = (qx[j] - ux) / size, Y = (qy[j] - uy) / size;
    const weight = 1 / (reach[j] * reach[j]);
    for (let half = 0; half < 2; half++) {
      const value = half == 0 ? X : Y;
      memory.fill(changetype<usize>(row), 0, 72);
      row[half * 3] = x;
      row[half * 3 + 1] = y;
      row[half * 3 + 2] = 1;
      row[6] = -x * value;
      row[7] = -y * value;
      row[8] = value;
      addRow(weight);
    }
  }
  // Prefers no perspective where the pairs do not say
  system[6 * 9 + 6] += 1e-4;
  system[7 * 9 + 7] += 1e-4;
  if (!solve(8, 9)) return false;
  for (let c = 0; c < 3; c++) {
    const last: f64 = c == 2 ? 1 : system[(6 + c) * 9 + 8];
    model[c] = system[c * 9 + 8] * size + ux * last;
    model[3 + c] = system[(3 + c) * 9 + 8] * size + uy * last;
    model[6 + c] = last;
  }
  for (let r = 0; r < 3; r++) {
    model[r * 3] /= unit;
    model[r * 3 + 1] /= unit;
    model[r * 3 + 2] -= model[r * 3] * mx + model[r * 3 + 1] * my;
  }
  return true;
}

/** Fits a model to the pairs inside, in narrowing circles. */
export function refine(): bool {
  for (let round = 0; round < 8; round++) {
    const isFitted = round < 2 || insiders < 6 ? fitAffine() : fitProjective();
    if (!isFitted) return false;
    agreeWithModel(round == 0 ? 6 : round == 1 ? 4 : round == 2 ? 3 : round == 3 ? 2 : round == 4 ? 1.5 : 1);
    if (insiders < 4) return false;
  }
  return true;
}
