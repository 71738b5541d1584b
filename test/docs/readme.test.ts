import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { releaseName } from "../../src/emulator/package.ts";
import { OPERATIONS } from "../../src/schema/protocol.ts";
import { codeBlocks, wordsOf } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = codeBlocks(readme);

/** Blocks that are not TypeScript, and what runs them. */
const COMMANDS = new Map<string | undefined, string>([
  ["npm install --save-dev mock-cloud-reco", "test/package installs the packed package"],
  [
    "npm install && npm run demo\nnpm install && npm test",
    "test/docs/main-job.test.ts runs the demo; this very run",
  ],
  ["npx mock-cloud-reco serve", "test/cli/processes.test.ts"],
  [blocks.find(({ language }) => language === "text")?.text, "test/package/explained.test.ts"],
]);

describe("the README", () => {
  it("has only blocks that a test runs", () => {
    const unknown = blocks.filter(({ language, text }) => language !== "ts" && !COMMANDS.has(text));
    expect(unknown).toEqual([]);
    expect(blocks.filter(({ language }) => language === "ts").length).toBeGreaterThan(2);
  });

  it("names releases as the command does", () => {
    const [, name, version] = /`([\d.]+)`, which is `([\d.]+)` on npm/.exec(readme) ?? [];
    expect(name).toMatch(/^2\d{3}\.\d\d\.\d\d$/);
    expect(releaseName(version ?? "")).toBe(name);
  });

  it("is short, and shows code first, then a picture, then the servers", () => {
    const lines = readme.trimEnd().split("\n");
    const lineOf = (text: string) => 1 + lines.findIndex((line) => line.startsWith(text));
    expect(lines.length).toBeLessThanOrEqual(180);
    expect(wordsOf(readme)).toBeLessThanOrEqual(800);
    const order = ["```ts", "```text", "<img", "npx mock-cloud-reco serve", "npm install && npm test"].map(
      lineOf,
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    const [code = 0, , picture = 0, serve = 0, checkout = 0] = order;
    for (const [line, last] of [
      [code, 14],
      [picture, 60],
      [serve, 75],
      [checkout, 90],
    ] as const) {
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(last);
    }
  });

  it("names every operation", () => {
    expect(OPERATIONS.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it("says that the example client stands for the reader's own", () => {
    expect(/^.*mock-cloud-reco\/examples\/client.*$/m.exec(readme)?.[0]).toContain("replace it with yours");
  });
});

it("the changelog is short for each release, and says first what breaks", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const lines = changelog.trimEnd().split("\n");
  for (const release of changelog.split(/^## /m)) expect(release.split("\n").length).toBeLessThanOrEqual(120);
  expect(lines.filter((line) => !line.startsWith("|") && line.length > 140)).toEqual([]);
  expect(lines.find((line) => line.startsWith("### "))).toBe("### What breaks");
});

// Each block registers its own tests.
for (const [index, { language, line }] of blocks.entries()) {
  if (language !== "ts") continue;
  describe(`the block at README.md:${line}`, async () => {
    await import(/* @vite-ignore */ blockPath("README.md", index));
  });
}
