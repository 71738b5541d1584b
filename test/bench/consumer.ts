import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Installs the packed package, as it is here or in a commit, in a new project with these files. Returns the project's folder. */
export async function consumerOf(
  commit: string | undefined,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mock-cloud-reco-bench-"));
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const consumer = join(folder, "consumer");
  const installed = join(consumer, "node_modules/mock-cloud-reco");
  await mkdir(installed, { recursive: true });
  const checkout = commit === undefined ? repository : await checkOut(commit, folder);
  await run("npm", ["run", "build", "--silent"], { cwd: checkout });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: checkout });
  const [tarball = ""] = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  await run("tar", ["-xf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  for (const [name, text] of Object.entries(files)) await writeFile(join(consumer, name), text);
  return consumer;
}

/** With this checkout's dependencies. */
async function checkOut(commit: string, folder: string): Promise<string> {
  const [archive, checkout] = [join(folder, "commit.tar"), join(folder, "checkout")];
  await mkdir(checkout);
  await run("git", ["archive", "--output", archive, commit], { cwd: repository });
  await run("tar", ["-xf", archive, "-C", checkout]);
  await symlink(join(repository, "node_modules"), join(checkout, "node_modules"));
  return checkout;
}

/** Runs a program of Node to its end. Returns what it printed, and the processor time of all its processes in milliseconds. */
export async function processorTime(folder: string, args: readonly string[]) {
  const timed = 'TIMEFORMAT="%U %S"; time "$@" 2>&1';
  const { stdout, stderr } = await run("bash", ["-c", timed, "bash", process.execPath, ...args], {
    cwd: folder,
  });
  const times = stderr.trim().split(" ").map(Number);
  return { printed: stdout, milliseconds: times.reduce((sum, seconds) => sum + seconds * 1000, 0) };
}
