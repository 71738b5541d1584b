/* Runs the benchmark in the given file, and sends what it measured to the process that started this one. */
import { pathToFileURL } from "node:url";
import type { Bench } from "./measure.ts";

const [, , file = "", against] = process.argv;
const { bench }: { bench: Bench } = await import(pathToFileURL(file).href);
process.send?.(await bench.run(against), () => process.exit());
