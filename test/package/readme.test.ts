import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { inConsumer, inModules, runNode } from "./run.ts";

it("every TypeScript block of the README runs with the installed package alone", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const blocks = codeBlocks(readme).filter(({ language }) => language === "ts");
  expect(blocks.length).toBeGreaterThan(4);
  await mkdir(inConsumer("readme"));
  for (const [index, { text }] of blocks.entries())
    await writeFile(inConsumer("readme", `block-${index}.test.ts`), text);
  const { code, printed } = await runNode("readme", [inModules("vitest/vitest.mjs"), "run"]);
  expect(code, printed).toBe(0);
  expect(printed).toContain(`${blocks.length} passed`);
});
