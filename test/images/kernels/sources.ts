import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

const CORE = new URL("../../../src/core/images/kernels/", import.meta.url);
const PICTURES = new URL("../../../src/mock/pictures/", import.meta.url);
const RECOGNITION = new URL("../../../src/recognition/kernels/", import.meta.url);

interface Kernel {
  readonly folder: URL;
  /** Pages of 64 kB that its memory begins with. */
  readonly pages: number;
  /** Other sources that its own imports. */
  readonly imports?: readonly string[];
}

export const KERNELS = {
  jpeg: { folder: CORE, pages: 1 },
  brisque: { folder: CORE, pages: 16 },
  regression: { folder: CORE, pages: 2 },
  pixels: { folder: CORE, pages: 7 },
  similarity: { folder: CORE, pages: 19 },
  picture: { folder: PICTURES, pages: 3 },
  encoder: { folder: PICTURES, pages: 1 },
  thumbnail: { folder: CORE, pages: 8 },
  features: { folder: RECOGNITION, pages: 64 },
  recognition: { folder: RECOGNITION, pages: 8, imports: ["homographies", "pairs"] },
  votes: { folder: RECOGNITION, pages: 1 },
  windows: { folder: RECOGNITION, pages: 22 },
} as const satisfies Readonly<Record<string, Kernel>>;

export type KernelName = keyof typeof KERNELS;

export const KERNEL_NAMES = Object.keys(KERNELS) as KernelName[];

/** The sources of a kernel, by the names that its compiler looks for, and their hash. */
export async function readSources(name: KernelName) {
  const sources = new Map<string, string>();
  const hash = createHash("sha256");
  const { folder, imports = [] }: Kernel = KERNELS[name];
  for (const part of [name, ...imports]) {
    const source = await readFile(new URL(`${part}.as`, folder), "utf8");
    sources.set(`${part}.ts`, source);
    hash.update(source);
  }
  return { sources, sha256: hash.digest("hex") };
}
