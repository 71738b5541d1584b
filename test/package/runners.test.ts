import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, inject, it } from "vitest";

const execute = promisify(execFile);
const modules = join(inject("consumer"), "../node_modules");

/** Runs one of the examples against the installed package; gives what it printed. Rejects when a test of it fails. */
async function runExample(name: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  // Without what this run's own Vitest tells the processes that it starts.
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, NODE_ENV, TEST, ...clean } = process.env;
  const { stdout, stderr } = await execute(process.execPath, args, {
    cwd: join(inject("consumer"), "examples", name),
    env: { ...clean, CI: "true", ...env },
  });
  return stripVTControlCharacters(stdout + stderr);
}

const vitest = ["vitest/vitest.mjs", "run"] as const;
const jest = ["jest/bin/jest.js", "--runInBand"] as const;
const program = ([file, ...args]: readonly [string, ...string[]]) => [join(modules, file), ...args];

describe("in a project with", () => {
  it.each(["threads", "forks"])("Vitest, with both files in one worker of %s", async (pool) => {
    const shared = ["--no-isolate", "--maxWorkers=1"];
    const printed = await runExample("vitest", program([...vitest, `--pool=${pool}`, ...shared]));
    expect(printed).toMatch(/Tests +7 passed \(7\)/);
  });

  it("Jest, with both files in one worker", async () => {
    const printed = await runExample("jest", program(jest));
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +7 passed, 7 total/);
  });

  it("Jest running modules, with both files in one worker", async () => {
    const args = ["--experimental-vm-modules", ...program([...jest, "--testMatch", "**/*.test.mjs"])];
    const printed = await runExample("jest", args);
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +2 passed, 2 total/);
  });

  it("node:test", async () => {
    const printed = await runExample("node-test", ["--import", "tsx", "--test", "pictures.test.ts"]);
    expect(printed).toMatch(/pass 5\n.*fail 0/);
  });
});
