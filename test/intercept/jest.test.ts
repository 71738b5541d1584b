import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { CACHE, PROGRAM } from "../support/bundle.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** What Jest reads, CommonJS: a bundle of each file of tests with what it imports, since Jest lets files share nothing. */
async function bundledForJest(): Promise<string> {
  const folder = `${CACHE}/jest-${process.pid}`;
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await build({
    entryPoints: ["first.jest.ts", "second.jest.ts", "close-hosts.ts"].map((name) => path(`jest/${name}`)),
    outdir: folder,
    ...PROGRAM,
    external: [...PROGRAM.external, "@jest/globals"],
    format: "cjs",
    define: { "import.meta.url": "fileUrl" },
    banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  return folder;
}

test("Jest: two files in one worker, of which the first leaves a mock started; fake timers", async () => {
  const rootDir = await bundledForJest();
  const globalSetup = `${rootDir}/close-hosts.js`;
  const config = {
    rootDir,
    testMatch: ["**/*.jest.js"],
    globalSetup,
    transform: {},
    // It is below node_modules.
    testPathIgnorePatterns: [],
    haste: { retainAllFiles: true },
  };
  const jest = path("../../node_modules/jest/bin/jest.js");
  const options = ["--config", JSON.stringify(config), "--runInBand", "--no-cache"];
  const run = await promisify(execFile)(process.execPath, [jest, ...options]).catch(
    (error: unknown) => error,
  );
  const { stderr } = Object(run);
  expect(stderr).toContain("Tests:       10 passed, 10 total");
  expect(stderr).not.toContain("did not exit");
}, 120_000);
