import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { keptWhileUsed } from "../../src/core/images/kernels/instantiate.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { KERNEL_NAMES, KERNELS, readSources } from "./kernels/sources.ts";

it.each(KERNEL_NAMES)(
  "the compiled kernel %s is of its present sources: else run `npm run build:kernels`",
  async (name) => {
    const compiled = await readFile(new URL("compiled.ts", KERNELS[name].folder), "utf8");
    expect(compiled).toContain(`: ${(await readSources(name)).sha256} */\nexport const ${name}Kernel =`);
  },
);

it("a kernel is kept while it is used between collections of garbage, and made again after a while without a use", async () => {
  let made = 0;
  const use = keptWhileUsed(() => ({ number: ++made }));
  for (let collections = 0; collections < 5; collections++) {
    expect(use().number).toBe(1);
    collectGarbage();
    await setImmediate();
  }
  const first = new WeakRef(use());
  const isGone = () => {
    collectGarbage();
    return first.deref() === undefined;
  };
  await expect.poll(isGone).toBe(true);
  expect(use().number).toBe(2);
});
