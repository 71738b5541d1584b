import { execFile } from "node:child_process";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildPage } from "../src/page/ui/build.ts";
import { BUNDLED } from "../tsdown.config.ts";

/** `npm run build`: builds what packages have in `dist`. `npm pack` does so too, in a checkout. */

const repository = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the code alone.
 *
 * @param declares - whether with declarations, which take most of the time.
 */
export async function buildCode(dist: string, declares: boolean): Promise<void> {
  const tsdown = join(repository, "node_modules/tsdown/dist/run.mjs");
  const args = [tsdown, "--out-dir", dist, "--log-level", "error", ...(declares ? [] : ["--no-dts"])];
  await promisify(execFile)(process.execPath, args, { cwd: repository });
  await dropRegions(dist);
}

/**
 * Builds the code and the page, with the licences of what is bundled.
 *
 * @param code - a folder that has the code already.
 * @returns the names of the packages whose code is in it.
 */
export async function buildInto(dist: string, code?: string): Promise<readonly string[]> {
  if (code === undefined) await buildCode(dist, true);
  else await cp(code, dist, { recursive: true });
  const { packages } = await buildPage(join(dist, "page.html.br"));
  const bundled = [...new Set([...BUNDLED, ...packages])].sort();
  for (const name of bundled) await copyLicence(name, dist);
  // Of the model that rates images.
  await cp(join(repository, "test/images/brisque/LICENSE-opencv"), join(dist, "LICENSE-opencv"));
  return bundled;
}

/** The bundler's names of sources say nothing to users, and were 10 kB. */
async function dropRegions(dist: string): Promise<void> {
  for (const name of (await readdir(dist)).filter((file) => /\.[cm][jt]s$/.test(file))) {
    const file = join(dist, name);
    await writeFile(file, (await readFile(file, "utf8")).replace(/^\/\/#(?:end)?region.*\n/gm, ""));
  }
}

/** Bundled packages keep their licences. */
async function copyLicence(name: string, dist: string): Promise<void> {
  const folder = join(repository, "node_modules", name);
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${name} has no licence file to pass on`);
  await cp(join(folder, file), join(dist, `LICENSE-${name.replace("@", "").replace("/", "-")}`));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildInto(join(repository, "dist"));
