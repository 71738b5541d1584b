import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

/** Runs a script of ours in a process of its own, which has to end by itself; gives what it printed. */
async function run(script: string, nodeOptions: string[] = [], ...parameters: string[]): Promise<unknown> {
  const file = fileURLToPath(new URL(`scripts/${script}.ts`, import.meta.url));
  const options = ["--import", import.meta.resolve("tsx"), ...nodeOptions, file, ...parameters];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout);
}

test("importing loads nothing heavy and replaces nothing; after the last mock all is as it was", async () => {
  const folder = await mkdtemp(join(tmpdir(), "interception-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await run("loads", [], join(folder, "loaded"))).toEqual({
    before: { heavy: [], same: true },
    imported: { heavy: [], same: true },
    running: { heavy: ["nock"], same: false, status: 401 },
    stopped: { same: true, works: "b" },
  });
});

interface LeftBehind {
  readonly grownBytes: number;
  readonly newHandles: number;
}

/** What the heap of a process that does much and keeps nothing varies by. */
const NOISE_BYTES = 1_000_000;

async function cycles(what: "ours" | "nock", client: "fetch" | "https"): Promise<LeftBehind> {
  const left = await run("cycles", ["--expose-gc"], what, client);
  return Object(left);
}

test("a thousand mocks leave neither memory nor handles behind", { timeout: 180_000 }, async () => {
  const { grownBytes, newHandles } = await cycles("ours", "fetch");
  expect(grownBytes).toBeLessThan(NOISE_BYTES);
  expect(newHandles).toBeLessThanOrEqual(0);
});

// nock itself keeps the two parsers of every request of node:http.
test("nor, with node:https, more than nock leaves behind alone", { timeout: 180_000 }, async () => {
  const [ours, nock] = [await cycles("ours", "https"), await cycles("nock", "https")];
  expect(ours.grownBytes).toBeLessThan(nock.grownBytes + NOISE_BYTES);
  expect(ours.newHandles).toBeLessThanOrEqual(nock.newHandles);
});
