import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { findChromium } from "../page/chromium.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { ALL } from "../support/combinations.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { copySamples, inConsumer, inModules, runNode } from "./run.ts";

const chromium = findChromium();
if (chromium === undefined) sayWhatIsSkipped("the Playwright fixtures (no Chromium)");

const playwright = (folder: string) =>
  runNode(folder, [inModules("@playwright/test/cli.js"), "test"], { CHROMIUM: chromium ?? "" });

it.skipIf(chromium === undefined)("Playwright's pages reach the mock of their test", async () => {
  await copySamples("playwright");
  const { code, printed } = await playwright("playwright");
  expect(code, printed).toBe(0);
  expect(printed).toContain("2 passed");
});

it("a backend in Playwright's own process reaches the mock, as the guide shows it", async () => {
  const guide = await readFile(new URL("../../examples/playwright/README.md", import.meta.url), "utf8");
  const [block, ...more] = codeBlocks(guide).filter(({ language }) => language === "mjs");
  expect(more).toEqual([]);
  await mkdir(inConsumer("playwright-backend"), { recursive: true });
  await writeFile(inConsumer("playwright-backend/backend.spec.mjs"), block?.text ?? "");
  const { code, printed } = await playwright("playwright-backend");
  expect(code, printed).toBe(0);
  expect(printed).toContain("2 passed");
});

// Every failure starts a process.
it.runIf(ALL)(
  "a failing test of Playwright shows what the mock refused, and refusals can fail a test",
  async () => {
    await copySamples("playwright-failing");
    const { code, printed } = await playwright("playwright-failing");
    expect(code, printed).toBe(1);
    expect(printed).toContain("3 failed");
    expect(printed).toContain("1 passed");
    const [, ...failures] = printed.split(/^ {2}\d\) /m);
    const shown = (name: string) =>
      failures.find((failure) => failure.split("\n", 1)[0]?.includes(name)) ?? printed;
    const says = shown("a test that fails says why");
    expect(says).toContain("Expected: 200");
    expect(says).toMatch(/\w+: send the Date header /);
    const [, report = ""] = /Report of all requests: (\S+)/.exec(says) ?? [];
    expect(await readFile(report, "utf8")).toContain("/summary");
    expect(shown("a test that ignores a refusal fails")).toMatch(
      /failOnRefusedRequests is set[\s\S]*\w+: send the Date header /,
    );
    expect(shown("without any fixture too")).toContain("failOnRefusedRequests is set");
  },
);
