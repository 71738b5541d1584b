import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "../support/collect-garbage.ts";

const COLLECTIONS = 6;
const MILLISECONDS_BETWEEN = 30;

/** Memory of objects and outside the heap, in MB, after what nothing uses is gone: also kernels, which are collected later. */
export async function usedMegabytes(): Promise<number> {
  for (let collections = 0; collections < COLLECTIONS; collections++) {
    collectGarbage();
    await setTimeout(MILLISECONDS_BETWEEN);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
