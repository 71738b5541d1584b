/*
 * npm run bench [-- name ...]: runs the benchmarks in this folder, or those named, prints their ratios as a table and
 * writes them to bench-results.json. Goals are ratios, because these hardly differ between machines.
 */
import { readdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import type { Bench } from "./measure.ts";

const SUFFIX = ".bench.ts";
const wanted = process.argv.slice(2);
const files = (await readdir(new URL(".", import.meta.url))).filter((file) => file.endsWith(SUFFIX)).sort();
const names = files.map((file) => file.slice(0, -SUFFIX.length));
for (const name of wanted.filter((name) => !names.includes(name))) {
  throw new Error(`expected a benchmark of ${names.join(", ")}; got "${name}"`);
}

const results = [];
for (const name of names.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const { bench }: { bench: Bench } = await import(`./${name}${SUFFIX}`);
  for (const comparison of await bench.run()) {
    const ratio = comparison.baselineMilliseconds / comparison.milliseconds;
    const reached = comparison.atLeast === undefined || ratio >= comparison.atLeast;
    results.push({ bench: name, ...comparison, ratio, reached });
  }
}

console.table(
  results.map((result) => ({
    benchmark: `${result.bench}: ${result.name}`,
    measured: `${round(result.milliseconds)} ${result.unit ?? "ms"}`,
    baseline: result.baseline,
    "of the baseline": `${round(result.baselineMilliseconds)} ${result.unit ?? "ms"}`,
    ratio: round(result.ratio),
    goal: result.atLeast === undefined ? "" : `>= ${result.atLeast}${result.reached ? "" : " MISSED"}`,
  })),
);
const environment = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
await writeFile("bench-results.json", `${JSON.stringify({ environment, results }, null, 2)}\n`);
if (results.some((result) => !result.reached)) process.exitCode = 1;

function round(value: number): number {
  return Number(value.toPrecision(3));
}
