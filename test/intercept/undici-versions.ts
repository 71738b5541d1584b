import { createRequire } from "node:module";
import * as undici7 from "undici";
import { hasMatrix, inMatrix } from "../support/matrix.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const load = createRequire(import.meta.url);

/** Where the versions of undici are that this version of Node can load. */
export const undiciPaths: [name: string, path: string][] = [["undici 7", "undici"]];
if (hasMatrix) undiciPaths.push(["undici 6", inMatrix("undici-6")]);
// The first version that some supported versions of Node cannot load.
if (hasMatrix && (major > 22 || (major === 22 && minor >= 19)))
  undiciPaths.push(["undici 8", inMatrix("undici-8")]);

/** They themselves. */
export const undiciVersions: [name: string, undici: typeof undici7][] = undiciPaths.map(([name, path]) => [
  name,
  path === "undici" ? undici7 : load(path),
]);
