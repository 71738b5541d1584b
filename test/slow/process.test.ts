import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { useBundle } from "../support/use-bundle.ts";

/** Runs a script in its own process, which has to exit by itself; returns the JSON that it printed. */
async function run(...options: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "interception-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("importing loads nothing heavy and patches nothing; stopping the last mock restores everything", async () => {
  const script = fileURLToPath(new URL("scripts/loads.ts", import.meta.url));
  const list = join(await temporaryFolder(), "loaded");
  // The sources themselves: what a bundle loads is tested with the package.
  expect(await run("--import", import.meta.resolve("tsx"), script, list)).toEqual({
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

/** By how much the heap of a busy process varies, even if it keeps nothing. */
const NOISE_BYTES = 1_000_000;

const cycles = useBundle("test/slow/scripts/cycles.ts");

test.each(firstOf(["fetch", "https"], 1))(
  "hundreds of mocks leave neither memory nor handles behind, asked by %s",
  { timeout: 180_000 },
  async (client) => {
    const left: LeftBehind = Object(await run("--expose-gc", cycles(), client));
    expect(left.grownBytes).toBeLessThan(NOISE_BYTES);
    expect(left.newHandles).toBeLessThanOrEqual(0);
  },
);

describe("a mock refuses to start", () => {
  const repository = fileURLToPath(new URL("../..", import.meta.url));

  const interception = useBundle("src/intercept/interception.ts");

  /** Starts a mock in a project with this source, and with what `prepare` puts into its `node_modules`. */
  async function start(prepare: (modules: string) => Promise<unknown>, first = ""): Promise<string> {
    const project = await temporaryFolder();
    const modules = join(project, "node_modules");
    await copyFile(interception(), join(project, "interception.mjs"));
    await mkdir(modules);
    await prepare(modules);
    const script = join(project, "start.mjs");
    await writeFile(
      script,
      `${first}
       import { intercept } from "./interception.mjs";
       const before = globalThis.fetch;
       try {
         intercept({ hosts: [], intercept: "nock" });
       } catch (error) {
         console.log(error.message, before === globalThis.fetch ? "and replaced nothing" : "");
       }`,
    );
    return (await promisify(execFile)(process.execPath, [script])).stdout.trim();
  }

  test("without nock", async () => {
    const printed = await start(async () => {});
    expect(printed).toBe(
      'nock is not installed; reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock and replaced nothing',
    );
  });

  test.each(["13.5.6", "14.0.16", "14.0.2", "14.0.17-beta.1", "15.0.0"])("with nock %s", async (version) => {
    const printed = await start(async (modules) => {
      await mkdir(join(modules, "nock"));
      await writeFile(join(modules, "nock/package.json"), JSON.stringify({ name: "nock", version }));
    });
    expect(printed).toBe(
      `unsupported nock version: expected 14.0.17 or a later 14.x; got ${version}; ` +
        'reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock and replaced nothing',
    );
  });

  test("with a nock that does not show its version", async () => {
    const printed = await start(async (modules) => {
      await mkdir(join(modules, "nock"));
      const exports = { ".": "./index.js" };
      await writeFile(join(modules, "nock/package.json"), JSON.stringify({ name: "nock", exports }));
    });
    expect(printed).toMatch(
      /^unsupported nock version: expected 14.0.17 or a later 14.x; got 15 or later; reinstall mock-cloud-reco/,
    );
  });

  test("beside another copy of nock", async () => {
    const theirs = join(repository, "node_modules/nock/index.js");
    const printed = await start(
      async (modules) => {
        await cp(join(repository, "node_modules/nock"), join(modules, "nock"), { recursive: true });
        for (const name of ["@mswjs", "json-stringify-safe", "propagate"]) {
          await symlink(join(repository, "node_modules", name), join(modules, name));
        }
      },
      `import ${JSON.stringify(theirs)};`,
    );
    expect(printed).toMatch(/^two copies of nock are loaded, .*nock and this package's .*nock, so requests/);
  });
});
