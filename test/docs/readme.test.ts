import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RESULT_CODES } from "../../src/core/result-codes.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = codeBlocks(readme);

/** What stands in blocks that are no TypeScript, and what runs it. */
const COMMANDS = new Map<string | undefined, string>([
  ["npm install --save-dev mock-cloud-reco", "test/package installs the packed package"],
  ["npm install && npm run demo", "test/docs/main-job.test.ts runs the demo"],
  ["npm install && npm test", "this very run"],
  ["npx mock-cloud-reco serve", "test/cli/processes.test.ts"],
  ["examples/containers/find-a-picture.sh examples/demo/images/raccoon.jpg", "test/cli/walkthrough.test.ts"],
  [blocks.find(({ text }) => text.startsWith("PORT=5000 "))?.text, "test/cli/walkthrough.test.ts"],
  [blocks.find(({ language }) => language === "json")?.text, "test/cli/walkthrough.test.ts"],
]);

/** Languages of blocks that are run as they are; `js` by Jest, in test/package. */
const RUN = ["ts", "js"];

describe("the README", () => {
  it("lists every result code, its status and its meaning", () => {
    const table = /<!-- result-codes -->\n([\s\S]*?)<!-- \/result-codes -->/.exec(readme)?.[1];
    const rows = Object.entries(RESULT_CODES).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    );
    expect(table).toBe(["| code | status | meaning |", "| --- | --- | --- |", ...rows, ""].join("\n"));
  });

  it("has only blocks that something runs", () => {
    const unknown = blocks.filter(({ language, text }) => !RUN.includes(language) && !COMMANDS.has(text));
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
