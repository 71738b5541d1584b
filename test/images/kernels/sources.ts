import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

export const KERNELS = new URL("../../../src/core/images/kernels/", import.meta.url);

/** Each kernel's sources: its own, and those that it imports. */
const IMPORTS = {
  brisque: [],
  pixels: [],
  similarity: [],
  features: [],
  recognition: ["homographies", "pairs"],
  votes: [],
  windows: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type KernelName = keyof typeof IMPORTS;

export const KERNEL_NAMES = Object.keys(IMPORTS) as KernelName[];

/** The sources of a kernel, by the names that its compiler looks for, and their hash. */
export async function readSources(name: KernelName) {
  const sources = new Map<string, string>();
  const hash = createHash("sha256");
  for (const part of [name, ...IMPORTS[name]]) {
    const source = await readFile(new URL(`${part}.as`, KERNELS), "utf8");
    sources.set(`${part}.ts`, source);
    hash.update(source);
  }
  return { sources, sha256: hash.digest("hex") };
}
