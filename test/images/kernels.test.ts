import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { KERNEL_NAMES, KERNELS, readSources } from "./kernels/sources.ts";

it.each(KERNEL_NAMES)(
  "the compiled kernel %s is of its present sources: else run `npm run build:kernels`",
  async (name) => {
    const compiled = await readFile(new URL("compiled.ts", KERNELS[name].folder), "utf8");
    expect(compiled).toContain(`: ${(await readSources(name)).sha256} */\nexport const ${name}Kernel =`);
  },
);
