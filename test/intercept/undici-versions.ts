import { createRequire } from "node:module";
import * as undici7 from "undici";
import { hasMatrix, inMatrix } from "../support/matrix.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const load = createRequire(import.meta.url);

/** The versions of undici that this version of Node can load. */
export const undiciVersions: [name: string, undici: typeof undici7][] = [["undici 7", undici7]];
if (hasMatrix) undiciVersions.push(["undici 6", load(inMatrix("undici-6"))]);
// The first version that some supported versions of Node cannot load.
if (hasMatrix && (major > 22 || (major === 22 && minor >= 19)))
  undiciVersions.push(["undici 8", load(inMatrix("undici-8"))]);
