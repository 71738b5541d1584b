import { expect, it } from "vitest";
import * as compiled from "../../src/images/kernels/compiled.ts";
import { KERNEL_NAMES, readSources } from "./kernels/sources.ts";

it.each(KERNEL_NAMES)(
  "the compiled kernel %s is of its present sources: else run `npm run build:kernels`",
  async (name) => {
    expect(compiled[`${name}Kernel`].sourceSha256).toBe((await readSources(name)).sha256);
  },
);
