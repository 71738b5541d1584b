import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../matrix", import.meta.url));

/** Where `npm run test:matrix` and CI install other versions of clients, runners, interceptors, compilers and runtimes. */
export const MATRIX_MODULES = join(folder, "node_modules");

/** Whether they are installed. */
export const hasMatrix = existsSync(MATRIX_MODULES);

/** The path of one of them. */
export const inMatrix = (path: string): string => join(MATRIX_MODULES, path);
