import { cp } from "node:fs/promises";
import { expect, it } from "vitest";
import { copySamples, createProject, inConsumer, runNode } from "../package/run.ts";

const [major = 0] = process.versions.node.split(".").map(Number);

it.skipIf(major < 22)("Vitest 5 runs the examples, in each of its environments and pools", async () => {
  await createProject("vitest-5", { vitest: "vitest-5" });
  await cp(inConsumer("examples"), inConsumer("vitest-5/examples"), { recursive: true });
  await copySamples("realms", "vitest-5/realms");
  const vitest = [inConsumer("vitest-5/node_modules/vitest/vitest.mjs"), "run"];
  for (const [folder, args, counts] of [
    ["vitest-5/examples/vitest", ["--pool=threads"], /Tests +7 passed \(7\)/],
    ["vitest-5/examples/vitest", ["--pool=forks"], /Tests +7 passed \(7\)/],
    ["vitest-5/realms", [], /Tests +24 passed \(24\)/],
  ] as const) {
    const { code, printed } = await runNode(folder, [...vitest, ...args]);
    expect(code, printed).toBe(0);
    expect(printed).toMatch(/v5\./);
    expect(printed).toMatch(counts);
  }
});
