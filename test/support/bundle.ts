import { rm } from "node:fs/promises";
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

/** A program in few files. */
export interface Bundle {
  /** Of the file to start. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Where {@link bundled} puts the files. */
export const bundleOf = (source: string): string => `${CACHE}/${basename(source, ".ts")}-${process.pid}`;

/**
 * Makes a few files of a program of this repository and its packages, which start in a fraction of the time that its sources take.
 * What the program imports when it needs it has files of its own, or each start would read it.
 *
 * @param source - its path from the root of the repository.
 * @param others - sources that share its code.
 */
export async function bundled(source: string, ...others: readonly string[]): Promise<Bundle> {
  const folder = bundleOf(source);
  await build({
    entryPoints: [source, ...others].map((path) => ROOT + path),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    external: OUTSIDE,
    banner: { js: REQUIRE },
    platform: "node",
    target: "node20.19",
    format: "esm",
    logLevel: "error",
  });
  return {
    path: `${folder}/${basename(source, ".ts")}.mjs`,
    remove: () => rm(folder, { force: true, recursive: true }),
  };
}

export const COMMAND = "src/cli/main.ts";

export const bundledCommand = (): Promise<Bundle> => bundled(COMMAND);
