import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { stagePackage } from "../../.ci/stage.ts";
import buildPackage, { IS_STAGED } from "../support/built-package.ts";
import { BUILT_PACKAGE } from "../support/bundle.ts";
import { hasMatrix, MATRIX_MODULES } from "../support/matrix.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of a project that has the packed package installed. */
    readonly consumer: string;
    /** Names of the packages whose code is in it. */
    readonly bundled: readonly string[];
  }
}

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The names of the packages whose code is in what `npm run stage` has built. */
async function bundledInStaged(): Promise<readonly string[]> {
  const bill = JSON.parse(await readFile(join(repository, "sbom.cdx.json"), "utf8"));
  const parts: readonly { readonly "bom-ref": string; readonly name: string }[] = bill.components;
  return parts.filter((part) => part["bom-ref"].startsWith("bundled ")).map(({ name }) => name);
}

/**
 * Builds and packs the package in a new folder.
 *
 * @param code - as for {@link stagePackage}.
 * @returns the path of the tarball, and the names of the packages that it bundles.
 */
export async function packIn(folder: string, code?: string) {
  const bundled = IS_STAGED ? await bundledInStaged() : await stagePackage(folder, code);
  if (IS_STAGED) await cp(join(repository, "published"), folder, { recursive: true });
  const packed = await run("npm", ["pack"], { cwd: folder });
  return { tarball: join(folder, packed.stdout.trim()), bundled };
}

/** Lets the project find what `test/matrix` has installed before what this repository has. */
async function linkMatrix(modules: string): Promise<void> {
  const isOurs = (name: string) => name.startsWith("@") && existsSync(join(repository, "node_modules", name));
  for (const name of await readdir(MATRIX_MODULES))
    if (!name.startsWith(".") && !isOurs(name))
      await symlink(join(MATRIX_MODULES, name), join(modules, name));
}

/**
 * Builds and packs the package once for all tests of this folder, and installs the tarball into a temporary project together with
 * the examples. Dependencies come from this repository's `node_modules`, so that no test needs the network. For a run that tests no
 * declarations, there are none.
 */
export default async function setup(project: TestProject) {
  if ("consumer" in project.getProvidedContext()) return;
  const folder = await mkdtemp(join(tmpdir(), "mock-cloud-reco-"));
  const installed = join(folder, "consumer/node_modules/mock-cloud-reco");
  await mkdir(installed, { recursive: true });
  const removeBuilt = IS_STAGED ? undefined : await buildPackage(project);
  const { tarball, bundled } = await packIn(join(folder, "staged"), BUILT_PACKAGE);
  await run("tar", ["-xf", tarball, "-C", installed, "--strip-components=1"]);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  if (hasMatrix) await linkMatrix(join(folder, "consumer/node_modules"));
  else
    sayWhatIsSkipped(
      "other versions of clients, runners and interceptors (`npm run test:matrix` installs them)",
    );
  await cp(join(repository, "examples"), join(folder, "consumer/examples"), { recursive: true });
  await writeFile(join(folder, "consumer/package.json"), '{ "private": true }');
  project.vitest.provide("consumer", join(folder, "consumer"));
  project.vitest.provide("bundled", bundled);
  return async () => {
    await rm(folder, { recursive: true });
    await removeBuilt?.();
  };
}
