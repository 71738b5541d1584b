import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import {
  brisqueKernel,
  featuresKernel,
  pixelsKernel,
  recognitionKernel,
  similarityKernel,
  votesKernel,
  windowsKernel,
} from "../../src/images/kernels/compiled.ts";

it.each([
  ["brisque", brisqueKernel],
  ["pixels", pixelsKernel],
  ["similarity", similarityKernel],
  ["features", featuresKernel],
  ["recognition", recognitionKernel],
  ["votes", votesKernel],
  ["windows", windowsKernel],
])(
  "the compiled kernel %s is of its present source: else run `npm run build:kernels`",
  async (name, kernel) => {
    const source = await readFile(new URL(`../../src/images/kernels/${name}.as`, import.meta.url));
    expect(kernel.sourceSha256).toBe(createHash("sha256").update(source).digest("hex"));
  },
);
