import { expect, it } from "vitest";
import { findChromium } from "../page/chromium.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { copySamples, inModules, runNode } from "./run.ts";

const chromium = findChromium();
if (chromium === undefined) sayWhatIsSkipped("Skipped the Playwright fixtures: no Chromium was found.");

it.skipIf(chromium === undefined)("Playwright's pages reach a mock and a database per worker", async () => {
  await copySamples("playwright");
  const args = [inModules("@playwright/test/cli.js"), "test"];
  const { code, printed } = await runNode("playwright", args, { CHROMIUM: chromium ?? "" });
  expect(code, printed).toBe(0);
  expect(printed).toContain("2 passed");
});
