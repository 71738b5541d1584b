import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { inject } from "vitest";
import { inMatrix } from "../support/matrix.ts";

const consumer = inject("consumer");

/** The path of the project that has the package installed, or of a file in it. */
export const inConsumer = (...path: string[]): string => join(consumer, ...path);

/** The paths of all files of the installed package. */
export async function filesOfPackage(): Promise<readonly string[]> {
  const folder = inConsumer("node_modules/mock-cloud-reco");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** The path of a file of one of the dependencies of `test/matrix` or of this repository. */
export const inModules = (path: string): string =>
  existsSync(inMatrix(path)) ? inMatrix(path) : join(consumer, "../node_modules", path);

/** Runs Node in a folder of that project. Returns its output and exit code. */
export const runNode = (
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => runProgram(process.execPath, folder, args, environment);

/** Runs a program in a folder of that project. Returns its output and exit code. */
export async function runProgram(
  program: string,
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  // Without the variables that this run's Vitest sets for its processes.
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, NODE_ENV, TEST, ...env } = process.env;
  const NODE_OPTIONS = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;
  const options = { cwd: inConsumer(folder), env: { ...env, CI: "true", NODE_OPTIONS, ...environment } };
  return new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      // Last what the program printed, after warnings of Node.
      resolve({ code, printed: stripVTControlCharacters(stderr + stdout).trim() });
    });
  });
}

/** Copies a folder of `samples` into the project that has the package installed. */
export async function copySamples(name: string, to = name): Promise<void> {
  const [samples = ""] = ["samples", "../matrix/samples"]
    .map((folder) => fileURLToPath(new URL(`${folder}/${name}`, import.meta.url)))
    .filter(existsSync);
  await cp(samples, inConsumer(to), { recursive: true });
}

/**
 * Creates a project inside of that project, with its own copy of the package.
 *
 * @param dependencies - the names under which it has this repository's dependencies, or folders: `{ msw: "msw-3" }`.
 */
export async function createProject(
  name: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  await rm(inConsumer(name), { recursive: true, force: true });
  const installed = "node_modules/mock-cloud-reco";
  await cp(inConsumer(installed), inConsumer(name, installed), { recursive: true });
  for (const [dependency, installedAs] of Object.entries(dependencies)) {
    const path = inConsumer(name, "node_modules", dependency);
    await mkdir(dirname(path), { recursive: true });
    await symlink(inModules(installedAs), path);
  }
}
