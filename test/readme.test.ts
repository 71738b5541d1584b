import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RESULT_CODES } from "../src/responses/result-codes.ts";
import { codeBlocks } from "./support/code-blocks.ts";
import { blockPath } from "./support/markdown-blocks-plugin.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = codeBlocks(readme);

/** Commands that a reader is told to type, and what runs them. */
const COMMANDS = new Map([
  ["npm install --save-dev mock-cloud-reco nock", "test/package installs the packed package"],
  ["npm install && npm run demo", "test/main-job.test.ts runs the demo"],
  ["npm install && npm test", "this very run"],
]);

describe("the README", () => {
  it("lists every result code, its status and its meaning", () => {
    const table = /<!-- result-codes -->\n([\s\S]*?)<!-- \/result-codes -->/.exec(readme)?.[1];
    const rows = Object.entries(RESULT_CODES).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    );
    expect(table).toBe(["| code | status | meaning |", "| --- | --- | --- |", ...rows, ""].join("\n"));
  });

  it("has only blocks that something runs", () => {
    const unknown = blocks.filter(
      ({ language, text }) => language !== "ts" && !(language === "sh" && COMMANDS.has(text)),
    );
    expect(unknown).toEqual([]);
    expect(blocks.filter(({ language }) => language === "ts").length).toBeGreaterThan(5);
  });
});

// Each block registers its own tests.
for (const [index, { language, line }] of blocks.entries()) {
  if (language !== "ts") continue;
  describe(`the block at README.md:${line}`, async () => {
    await import(/* @vite-ignore */ blockPath("README.md", index));
  });
}
