import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ALL } from "../support/combinations.ts";
import { filesOfPackage } from "./run.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const NOT_CHECKED_OUT = ["node_modules", "dist", "published", "coverage", "docs", ".git"];

/** Copies a checkout, with its `node_modules` but without what was built in it. */
async function copyCheckout(folder: string): Promise<void> {
  for (const name of await readdir(repository))
    if (!NOT_CHECKED_OUT.includes(name) && !name.endsWith(".tgz"))
      await cp(join(repository, name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.endsWith("node_modules"),
      });
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
}

/** Names of shared chunks end with a hash, which depends on where they were built. */
const withoutHashes = (files: readonly string[]): readonly string[] =>
  files.map((file) => file.replace(/-[\w-]{8}(?=(\.d)?\.[cm]?[jt]s$)/, "")).sort();

// CI runs it with everything: it builds the package once more.
it.runIf(ALL)("npm pack in a checkout packs what releases have", async () => {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  try {
    await copyCheckout(folder);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    await run("npm", ["pack"], { cwd: folder });
    const { stdout } = await run("tar", ["-tf", `mock-cloud-reco-${version}.tgz`], { cwd: folder });
    const packed = stdout
      .trim()
      .split("\n")
      .map((path) => path.slice("package/".length));
    expect(withoutHashes(packed)).toEqual(withoutHashes(await filesOfPackage()));
  } finally {
    await rm(folder, { recursive: true });
  }
});
