import { expect, it } from "vitest";
import * as compiled from "../../src/core/images/kernels/compiled.ts";
import { KERNEL_NAMES, readSources } from "./kernels/sources.ts";

const kernels = new Map(Object.entries(compiled));

it.each(KERNEL_NAMES)(
  "the compiled kernel %s is of its present sources: else run `npm run build:kernels`",
  async (name) => {
    expect(kernels.get(`${name}Kernel`)?.sourceSha256).toBe((await readSources(name)).sha256);
  },
);
