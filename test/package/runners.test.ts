import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { ALL, firstOf } from "../support/combinations.ts";
import { inConsumer, inModules, runNode } from "./run.ts";

const guide = (): Promise<string> =>
  readFile(new URL("../../examples/runners/README.md", import.meta.url), "utf8");

/** Runs an example with the installed package. Returns its output. */
async function runExample(name: string, ...args: string[]): Promise<string> {
  const { code, printed } = await runNode(`examples/${name}`, args);
  expect(code, printed).toBe(0);
  return printed;
}

const vitest = [inModules("vitest/vitest.mjs"), "run", "--no-isolate", "--maxWorkers=1"];
const jestOf = (limit: number) => [inModules("jest/bin/jest.js"), "--runInBand", `--testTimeout=${limit}`];
/** With a longer time limit than Jest's own, because the machine may be slow. */
const jest = jestOf(60_000);

const JEST_TEST = `
const { useMockCloudReco } = require("mock-cloud-reco/jest");
const fixture = useMockCloudReco();
const test = (name, run) => globalThis.test(name, () => run(fixture));
`;
/** Presses "Continue" after the time limit. */
const PAUSING_TEST = `
test("pauses", async ({ mock }) => {
  let said = "";
  const { write } = process.stderr;
  process.stderr.write = (text) => ((said += text), true);
  const paused = mock.page.pause();
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  while (!said.includes("http:")) await sleep(10);
  process.stderr.write = write;
  await sleep(1200);
  await fetch(new URL("/page/continue", /http:\\S+/.exec(said)[0]), { method: "POST" });
  await paused;
});
`;

/** Node's own errors are of another realm than the test's. So is our decoder: the project's may be mocked. */
const OTHER_REALM_TEST = `
jest.mock("sharp", () => () => { throw new Error("mocked"); });
const { MockCloudReco, samplePicture } = require("mock-cloud-reco");
const { startServers } = require("mock-cloud-reco/server");
test("says what another realm's errors say", async () => {
  const mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { name: "whole", image: await samplePicture(1, { format: "PNG" }) });
  expect(require("sharp")).toThrow("mocked");
  const image = (await samplePicture(1)).subarray(0, 3000);
  await expect(mock.addTarget(database, { name: "cut", image })).rejects.toThrow(/^(?!.*Error: ).*image/);
  await expect(startServers({ seedFile: "missing.json" })).rejects.toThrow("there is no such file (ENOENT)");
  mock.stop();
});
`;

describe("in a project with", () => {
  it.each(firstOf(["forks", "threads"], 1))("Vitest, with both files in one worker of %s", async (pool) => {
    const printed = await runExample("vitest", ...vitest, `--pool=${pool}`);
    expect(printed).toMatch(/Tests +7 passed \(7\)/);
  });

  it("Jest, with both files in one worker", async () => {
    const printed = await runExample("jest", ...jest);
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +7 passed, 7 total/);
  });

  it("Jest, whose errors of Node are of another realm", async () => {
    await mkdir(inConsumer("examples/other-realm"), { recursive: true });
    await writeFile(inConsumer("examples/other-realm/errors.test.js"), OTHER_REALM_TEST);
    const printed = await runExample("other-realm", ...jest, "--rootDir=.");
    expect(printed).toContain("1 passed, 1 total");
  });

  it("node:test, as the guide shows it", async () => {
    const [block, ...more] = codeBlocks(await guide()).filter(({ language }) => language === "mjs");
    expect(more).toEqual([]);
    await mkdir(inConsumer("node-test"), { recursive: true });
    await writeFile(inConsumer("node-test/block.test.mjs"), block?.text ?? "");
    const { code, printed } = await runNode("node-test", ["--test", "--test-reporter=tap"]);
    expect([code, printed]).toEqual([0, expect.stringContaining("# pass 1")]);
  });

  it("Jest, as the guide shows it", async () => {
    const blocks = codeBlocks(await guide()).filter(({ language }) => language === "js");
    await mkdir(inConsumer("examples/readme"), { recursive: true });
    for (const [index, { text }] of blocks.entries()) {
      await writeFile(inConsumer(`examples/readme/block-${index}.test.js`), text);
    }
    const printed = await runExample("readme", ...jest, "--rootDir=.");
    expect(printed).toContain(`Test Suites: ${blocks.length} passed, ${blocks.length} total`);
    expect(blocks.length).toBeGreaterThan(1);
  });

  it.runIf(ALL)("Jest running modules, with both files in one worker", async () => {
    const modules = ["--testMatch", "**/*.test.mjs"];
    const printed = await runExample("jest", "--experimental-vm-modules", ...jest, ...modules);
    expect(printed).toMatch(/Test Suites: 2 passed, 2 total\nTests: +2 passed, 2 total/);
  });

  const pausing: readonly (readonly [string, readonly string[], string])[] = [
    [
      "vitest",
      [...vitest, "--testTimeout=1000", "pause.test.mjs"],
      'import { test } from "mock-cloud-reco/vitest";',
    ],
    ["jest", [...jestOf(1000), "--rootDir=.", "pause.test.js"], JEST_TEST],
  ];
  it.each(firstOf(pausing, 1))("%s, a test pauses beyond its time limit", async (runner, args, beginning) => {
    const name = args.at(-1) ?? "";
    await mkdir(inConsumer(`examples/pause-${runner}`), { recursive: true });
    await writeFile(inConsumer(`examples/pause-${runner}/${name}`), beginning + PAUSING_TEST);
    const environment = { MOCK_CLOUD_RECO_PAUSE: "1" };
    const { code, printed } = await runNode(`examples/pause-${runner}`, args, environment);
    expect(code, printed).toBe(0);
  });

  it("node:test", async () => {
    const printed = await runExample("node-test", "--import", "tsx", "--test", "pictures.test.ts");
    expect(printed).toMatch(/pass 5\n.*fail 0/);
  });
});
