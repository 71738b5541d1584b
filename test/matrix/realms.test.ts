import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inModules, runNode } from "../package/run.ts";

beforeAll(() => copySamples("realms"));

describe("clients that captured functions before the mock are answered in", () => {
  it("Vitest with jsdom, happy-dom, vmThreads, vmForks, and vmThreads with either, in one run", async () => {
    const { code, printed } = await runNode("realms", [inModules("vitest/vitest.mjs"), "run"]);
    expect(code, printed).toBe(0);
    expect(printed).toMatch(/Tests +24 passed \(24\)/);
  });

  it("Jest with jsdom, which lacks fetch and TextDecoder", async () => {
    const { code, printed } = await runNode("realms", [inModules("jest/bin/jest.js"), "--runInBand"]);
    expect(code, printed).toBe(0);
    expect(printed).toMatch(/Tests: +2 passed, 2 total/);
  });
});
