import { readFileSync } from "node:fs";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { describe, expect, it } from "vitest";
import { operationsOf } from "../openapi/conformance.ts";
import { codeBlocks, wordsOf } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = codeBlocks(readme);

/** Blocks that are not TypeScript, and what runs them. */
const COMMANDS = new Map<string | undefined, string>([
  ["npm install --save-dev mock-cloud-reco", "test/package installs the packed package"],
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
    const [, year, month, day] = /^(2\d{3})\.(\d\d)\.(\d\d)$/.exec(name ?? "") ?? [];
    expect(version).toBe(`${year}.${Number(`${month}${day}`)}.0`);
  });

  it("is short, and shows a picture first, then why, how to install it, a test and its failure", () => {
    const lines = readme.trimEnd().split("\n");
    const lineOf = (text: string) => 1 + lines.findIndex((line) => line.startsWith(text));
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(wordsOf(readme)).toBeLessThanOrEqual(800);
    const order = [
      ...["<img", "## Why", "npm install", "```ts", "```text", "npx mock-cloud-reco serve"],
      ...["## Pick your path", "## What is covered", "## FAQ", "## Versions"],
    ].map(lineOf);
    expect(order).not.toContain(0);
    expect(order).toEqual([...order].sort((one, other) => one - other));
    const [picture, , install, code] = order;
    expect(picture).toBeLessThanOrEqual(10);
    expect(install).toBeLessThanOrEqual(30);
    expect(code).toBeLessThanOrEqual(36);
  });

  it("leaves the names of the operations to the reference, which has every one", () => {
    const reference = readFileSync(new URL("../../examples/reference/README.md", import.meta.url), "utf8");
    // Those of the target manager, and of advanced datasets, have a prefix; other pages have these.
    const names = operationsOf(openApiDocument())
      .map(({ operation }) => operation.operationId)
      .filter((name) => !name.includes("."));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
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
