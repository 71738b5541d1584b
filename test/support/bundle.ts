import { mkdir, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Inside the checkout, so that the bundle finds its dependencies. */
const CACHE = `${ROOT}node_modules/.cache/mock-cloud-reco`;

/** What is not in the file: binaries, and nock, which users share with the mock. */
const OUTSIDE = ["sharp", "nock", "msw", "iovalkey"];
/** For packages that are no modules. */
const REQUIRE =
  'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';

/** A program in one file. */
export interface Bundle {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Makes one file of a program of this repository and its packages, which starts in a fraction of the time that its sources take.
 *
 * @param source - its path from the root of the repository.
 */
export async function bundled(source: string): Promise<Bundle> {
  await mkdir(CACHE, { recursive: true });
  const path = `${CACHE}/${basename(source, ".ts")}-${process.pid}.mjs`;
  await build({
    entryPoints: [ROOT + source],
    outfile: path,
    bundle: true,
    external: OUTSIDE,
    banner: { js: REQUIRE },
    platform: "node",
    target: "node20.19",
    format: "esm",
    logLevel: "error",
  });
  return { path, remove: () => rm(path, { force: true }) };
}

export const COMMAND = "src/cli/main.ts";

export const bundledCommand = (): Promise<Bundle> => bundled(COMMAND);
