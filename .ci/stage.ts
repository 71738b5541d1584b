import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildPage } from "../src/page/ui/build.ts";

/** `npm run stage`: builds the package as it is published, in the folder `published`. */

const repository = fileURLToPath(new URL("..", import.meta.url));

/** What of package.json only this repository needs. `private` keeps anybody from publishing the repository itself. */
const OWN_FIELDS = ["private", "scripts", "devDependencies", "knip"];

/** Builds the package in a new folder, from which npm packs and publishes it. */
export async function stagePackage(folder: string): Promise<void> {
  await mkdir(folder);
  for (const part of ["README.md", "CHANGELOG.md", "LICENSE", "examples"])
    await cp(join(repository, part), join(folder, part), { recursive: true });
  const manifest = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
  for (const field of OWN_FIELDS) delete manifest[field];
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const tsdown = join(repository, "node_modules/tsdown/dist/run.mjs");
  const args = [tsdown, "--out-dir", join(folder, "dist"), "--log-level", "error"];
  await promisify(execFile)(process.execPath, args, { cwd: repository });
  await buildPage(join(folder, "dist/page.html.br"));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(repository, "published");
  await rm(folder, { recursive: true, force: true });
  await stagePackage(folder);
}
