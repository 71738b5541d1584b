import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildInto } from "./build.ts";

/** `npm run stage`: builds the package as it is published, in the folder `published`, and lists its parts in `sbom.cdx.json`. */

const repository = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

/** What of package.json only this repository needs. `private` keeps anybody from publishing the repository itself. */
const OWN_FIELDS = ["private", "scripts", "devDependencies", "knip"];

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const installed = (name: string): string => join(repository, "node_modules", name);

/**
 * Builds the package in a new folder, from which npm packs and publishes it.
 *
 * @param code - as for {@link buildInto}.
 * @returns the names of the packages whose code is in it.
 */
export async function stagePackage(folder: string, code?: string): Promise<readonly string[]> {
  await mkdir(folder);
  for (const part of ["README.md", "CHANGELOG.md", "LICENSE", "llms.txt", "examples"])
    await cp(join(repository, part), join(folder, part), { recursive: true });
  const manifest = await manifestOf(repository);
  for (const field of OWN_FIELDS) delete manifest[field];
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return buildInto(join(folder, "dist"), code);
}

/**
 * Lists the parts of a staged package in CycloneDX: what is installed with it, in the versions of this repository's lock file, and
 * what is bundled.
 *
 * @param bundled - what {@link stagePackage} returned.
 */
export async function billOfMaterials(folder: string, bundled: readonly string[]): Promise<unknown> {
  // npm leaves out what both kinds of dependencies need, so it is asked in a folder without development dependencies.
  const alone = await mkdtemp(join(tmpdir(), "sbom-"));
  try {
    await cp(join(folder, "package.json"), join(alone, "package.json"));
    await cp(join(repository, "package-lock.json"), join(alone, "package-lock.json"));
    const npm = (...args: readonly string[]) => run("npm", [...args, "--package-lock-only"], { cwd: alone });
    await npm("install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund");
    const format = ["--sbom-format", "cyclonedx", "--sbom-type", "library"];
    const bill = JSON.parse((await npm("sbom", ...format)).stdout);
    bill.metadata.component.name = (await manifestOf(folder)).name;
    bill.components.push(...(await Promise.all(bundled.map(bundledComponent))));
    return bill;
  } finally {
    await rm(alone, { recursive: true });
  }
}

async function bundledComponent(name: string): Promise<unknown> {
  const { version, license } = await manifestOf(installed(name));
  return {
    "bom-ref": `bundled ${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    properties: [{ name: "cdx:npm:package:bundled", value: "true" }],
    licenses: [{ license: { id: license } }],
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(repository, "published");
  await rm(folder, { recursive: true, force: true });
  const bill = await billOfMaterials(folder, await stagePackage(folder));
  await writeFile(join(repository, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
}
