import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { releaseName } from "../../src/emulator/version.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = codeBlocks(readme);

/** Blocks that are not TypeScript, and what runs them. */
const COMMANDS = new Map<string | undefined, string>([
  ["npm install --save-dev mock-cloud-reco", "test/package installs the packed package"],
  ["npm install && npm run demo", "test/docs/main-job.test.ts runs the demo"],
  ["npm install && npm test", "this very run"],
  ["npx mock-cloud-reco serve", "test/cli/processes.test.ts"],
  [blocks.find(({ language }) => language === "text")?.text, "test/package/explained.test.ts"],
]);

/** Languages whose blocks are run as they are; `js` by Jest and `mjs` by node:test, in test/package. */
const RUN = ["ts", "js", "mjs"];

describe("the README", () => {
  it("has only blocks that a test runs", () => {
    const unknown = blocks.filter(({ language, text }) => !RUN.includes(language) && !COMMANDS.has(text));
    expect(unknown).toEqual([]);
    expect(blocks.filter(({ language }) => language === "ts").length).toBeGreaterThan(4);
  });

  it("names releases as the command does", () => {
    const [, name, version] = /`([\d.]+)`, which is `([\d.]+)` on npm/.exec(readme) ?? [];
    expect(name).toMatch(/^2\d{3}\.\d\d\.\d\d$/);
    expect(releaseName(version ?? "")).toBe(name);
  });

  it("fits into 250 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  });
});

// Each block registers its own tests.
for (const [index, { language, line }] of blocks.entries()) {
  if (language !== "ts") continue;
  describe(`the block at README.md:${line}`, async () => {
    await import(/* @vite-ignore */ blockPath("README.md", index));
  });
}
