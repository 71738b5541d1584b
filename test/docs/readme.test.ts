import { readFileSync } from "node:fs";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { describe, expect, it } from "vitest";
import { operationsOf } from "../openapi/conformance.ts";
import { codeBlocks, wordsOf } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const readme = read("README.md");
const blocks = codeBlocks(readme);

/** Blocks that are not TypeScript, and what runs them. */
const COMMANDS = new Map<string | undefined, string>([
  ["npm install --save-dev mock-cloud-reco", "test/package installs the packed package"],
  ["npx mock-cloud-reco serve --env keys.env", "test/cli/walkthrough.test.ts"],
  [
    blocks.find(({ text }) => text.startsWith("npx mock-cloud-reco picture"))?.text,
    "test/cli/walkthrough.test.ts",
  ],
  ["npm install && npm run demo", ".ci/run"],
  ["npm install && npm test", ".ci/run"],
  ["npm install && npm pack", "test/package/checkout.test.ts"],
  [blocks.find(({ language }) => language === "text")?.text, "test/package/failures-explained.test.ts"],
]);

describe("the README", () => {
  it("has only blocks that a test runs", () => {
    const unknown = blocks.filter(({ language, text }) => language !== "ts" && !COMMANDS.has(text));
    expect(unknown).toEqual([]);
    expect(blocks.filter(({ language }) => language === "ts").length).toBeGreaterThan(2);
    const texts = blocks.map(({ text }) => text);
    expect([...COMMANDS.keys()].filter((text) => text === undefined || !texts.includes(text))).toEqual([]);
  });

  it("names the versions of Node that have a command for the suite", () => {
    const { engines, scripts } = JSON.parse(read("package.json"));
    const first = /^>=(\d+\.\d+)\.0$/.exec(engines.node)?.[1];
    const later = Object.keys(scripts).flatMap((name) => /^test:node(\d+)$/.exec(name)?.[1] ?? []);
    const last = later.pop();
    expect(readme).toContain(`- Node ${first} and later, ${later.join(", ")} and ${last};`);
    const matrix = `on Node ${Number.parseInt(first ?? "", 10)}, ${later.join(", ")} and ${last}`;
    for (const page of [".github/CONTRIBUTING.md", "examples/works-with/README.md"])
      expect(read(page)).toContain(matrix);
  });

  it("says which requests leave although register was imported, and works-with has the row", () => {
    const [, answer = ""] =
      /\*\*Can a test reach the real service by mistake\?\*\* ([\s\S]*?)\n- \*\*/.exec(readme) ?? [];
    const page = read("examples/works-with/README.md");
    const rows = page.split("\n").filter((line) => /^\| (Node|Bun|Deno): /.test(line));
    const leave = (runtime: string, client: string) =>
      rows.some(
        (row) =>
          row.startsWith(`| ${runtime}: `) && row.includes(client) && row.includes("| leaves | leaves |"),
      );
    for (const [what, runtime, client] of [
      ["native clients", "Node", "impit"],
      ["other programs", "Node", "curl"],
      ["Workers of Bun and Deno", "Bun", "a Worker"],
      ["Workers of Bun and Deno", "Deno", "a Worker"],
    ] as const) {
      expect(answer.replaceAll(/\s+/g, " ").toLowerCase()).toContain(what.toLowerCase());
      expect(leave(runtime, client), `${runtime}: ${client}`).toBe(true);
    }
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
    const reference = read("examples/reference/README.md");
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
  const changelog = read("CHANGELOG.md");
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
