import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { inject } from "vitest";

const execute = promisify(execFile);

/** Runs a piece of JavaScript in the project in which the package is installed; gives what it printed. */
export async function runScript(kind: "module" | "commonjs", source: string): Promise<string> {
  const { stdout } = await execute(process.execPath, [`--input-type=${kind}`, "--eval", source], {
    cwd: inject("consumer"),
  });
  return stdout.trim();
}
