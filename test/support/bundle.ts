import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Inside the checkout, so that the bundle finds its dependencies. */
export const CACHE = `${ROOT}node_modules/.cache/mock-cloud-reco`;

/** What is not in the file: binaries, nock, which users share with the mock, and what reads files beside it. */
const OUTSIDE = ["sharp", "nock", "msw", "iovalkey", "vuforia-api"];
export const PROGRAM = {
  bundle: true,
  external: OUTSIDE,
  platform: "node",
  target: "node20.19",
  logLevel: "error",
} satisfies BuildOptions;
/** For packages that are no modules. */
const REQUIRE =
  'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';

/** A program in few files. */
export interface Bundle {
  /** Of the file to start. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Where a run of tests, which is this process, has the package's code as it is published: `built-package.ts` builds it. */
export const BUILT_PACKAGE = `${CACHE}/package-${process.pid}`;

/**
 * Makes a few files of a program of this repository and its packages, which start in a fraction of the time that its sources take.
 * What the program imports when it needs it has files of its own, or each start would read it.
 *
 * @param source - its path from the root of the repository.
 * @param builtPackage - where the package's code is, which a program that imports `mock-cloud-reco` then loads from there.
 */
export async function bundled(source: string, builtPackage?: string): Promise<Bundle> {
  const folder = `${CACHE}/${basename(source, ".ts")}-${process.pid}`;
  const fromBuilt = builtPackage !== undefined && {
    alias: { "mock-cloud-reco": `${builtPackage}/index.mjs` },
    external: [...OUTSIDE, `${builtPackage}/*`],
  };
  await build({
    entryPoints: [ROOT + source],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    ...PROGRAM,
    splitting: true,
    banner: { js: REQUIRE },
    format: "esm",
    ...fromBuilt,
  });
  return {
    path: `${folder}/${basename(source, ".ts")}.mjs`,
    remove: () => rm(folder, { force: true, recursive: true }),
  };
}

export const bundledCommand = (): Promise<Bundle> => bundled("src/cli/main.ts");
