import { execFile } from "node:child_process";
import { cp, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { inject } from "vitest";

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

/** The path of a file of one of this repository's dependencies. */
export const inModules = (path: string): string => join(consumer, "../node_modules", path);

/** Runs Node in a folder of that project. Returns its output and exit code. */
export async function runNode(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  // Without the variables that this run's Vitest sets for its processes.
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, NODE_ENV, TEST, ...env } = process.env;
  const NODE_OPTIONS = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;
  const options = { cwd: inConsumer(folder), env: { ...env, CI: "true", NODE_OPTIONS, ...environment } };
  return new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, printed: stripVTControlCharacters(stdout + stderr).trim() });
    });
  });
}

/** Copies a folder of `samples` into the project that has the package installed. */
export async function copySamples(name: string): Promise<void> {
  const samples = fileURLToPath(new URL(`samples/${name}`, import.meta.url));
  await cp(samples, inConsumer(name), { recursive: true });
}
