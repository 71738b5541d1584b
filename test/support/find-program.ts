import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Path of the first of these programs in `PATH`; undefined when there is none. */
export function findProgram(...names: readonly string[]): string | undefined {
  const { PATH = "" } = process.env;
  return PATH.split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
