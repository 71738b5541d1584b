import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const BUILT_ENTRY = `${ROOT}dist/index.cjs`;
let isBuilt = false;

/** Builds the package, once in a run of benchmarks. */
export function build(): void {
  if (!isBuilt) execFileSync("npm", ["run", "build", "--silent"], { cwd: ROOT, stdio: "ignore" });
  isBuilt = true;
}

/** The package as users have it. tsx runs the sources with a helper for every function's name, which costs time. */
export function builtPackage(): typeof import("../../src/index.ts") {
  build();
  return createRequire(import.meta.url)(BUILT_ENTRY);
}
