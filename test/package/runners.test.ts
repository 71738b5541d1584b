import { describe, expect, it } from "vitest";
import { inModules, runNode } from "./run.ts";

/** Runs one of the examples against the installed package; gives what it printed. */
async function runExample(name: string, ...args: string[]): Promise<string> {
  const { code, printed } = await runNode(`examples/${name}`, args);
  expect(code, printed).toBe(0);
  return printed;
}

const vitest = [inModules("vitest/vitest.mjs"), "run", "--no-isolate", "--maxWorkers=1"];
const jest = [inModules("jest/bin/jest.js"), "--runInBand"];

describe("in a project with", () => {
  it.each(["threads", "forks"])("Vitest, with both files in one worker of %s", async (pool) => {
    const printed = await runExample("vitest", ...vitest, `--pool=${pool}`);
    expect(printed).toMatch(/Tests +7 passed \(7\)/);
  });

  it("Jest, with both files in one worker", async () => {
    const printed = await runExample("jest", ...jest);
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +7 passed, 7 total/);
  });

  it("Jest running modules, with both files in one worker", async () => {
    const modules = ["--testMatch", "**/*.test.mjs"];
    const printed = await runExample("jest", "--experimental-vm-modules", ...jest, ...modules);
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +2 passed, 2 total/);
  });

  it("node:test", async () => {
    const printed = await runExample("node-test", "--import", "tsx", "--test", "pictures.test.ts");
    expect(printed).toMatch(/pass 5\n.*fail 0/);
  });
});
