/*
 * npm run bench [-- name ...]: runs the benchmarks in this folder, or those named, prints their ratios as a table and
 * writes them to bench-results.json. Goals are ratios, because these hardly differ between machines.
 * npm run bench -- file --against COMMIT: compares what a test file pays with what it paid then.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Comparison } from "./measure.ts";

const SUFFIX = ".bench.ts";
const { values, positionals: wanted } = parseArgs({
  options: { against: { type: "string" } },
  allowPositionals: true,
});
const files = (await readdir(new URL(".", import.meta.url))).filter((file) => file.endsWith(SUFFIX)).sort();
const names = files.map((file) => file.slice(0, -SUFFIX.length));
for (const name of wanted.filter((name) => !names.includes(name))) {
  throw new Error(`expected a benchmark of ${names.join(", ")}; got "${name}"`);
}

if (values.against !== undefined && wanted.join() !== "file")
  throw new Error(
    "--against compares the benchmark `file` only: run `npm run bench -- file --against COMMIT`",
  );

const results = [];
for (const name of names.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  for (const comparison of await measured(name)) {
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

/** Runs a benchmark in a process of its own, so that it measures nothing that earlier ones left. */
async function measured(name: string): Promise<readonly Comparison[]> {
  const file = fileURLToPath(new URL(`${name}${SUFFIX}`, import.meta.url));
  const args = [file, ...(values.against === undefined ? [] : [values.against])];
  const child = fork(fileURLToPath(new URL("run-one.ts", import.meta.url)), args);
  const ended = Promise.all([once(child, "exit"), once(child, "disconnect")]);
  let comparisons: readonly Comparison[] | undefined;
  child.on("message", (sent: readonly Comparison[]) => {
    comparisons = sent;
  });
  const [[code]] = await ended;
  if (comparisons === undefined) throw new Error(`the benchmark ${name} ended with ${code}`);
  return comparisons;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
