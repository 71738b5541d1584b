import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { packIn } from "../package/pack.ts";

const run = promisify(execFile);

/** What a project may have besides this package. */
const NEIGHBOURS = ["no nock", "nock@13", "nock@14", "nock@15"];

const SCRIPT = `
  import { MockCloudReco } from "mock-cloud-reco";
  const mock = new MockCloudReco();
  const { status } = await fetch("https://vws.vuforia.com/summary");
  console.log(status, mock.requests.length);
  mock.stop();
`;

/** Installs the packed package with npm, alone and beside each nock, and sends a request to a mock. Returns what happened. */
export async function installEverywhere(folder: string): Promise<ReadonlyMap<string, string>> {
  const { tarball } = await packIn(join(folder, "staged"));
  const results = new Map<string, string>();
  for (const neighbour of NEIGHBOURS) {
    const cwd = join(folder, neighbour);
    await mkdir(cwd);
    await writeFile(join(cwd, "package.json"), '{ "private": true }');
    await writeFile(join(cwd, "ask.mjs"), SCRIPT);
    const packages = neighbour === "no nock" ? [tarball] : [tarball, neighbour];
    const answered = run("npm", ["install", "--save-dev", "--no-audit", "--no-fund", ...packages], { cwd })
      .then(() => run(process.execPath, ["ask.mjs"], { cwd }))
      .then(({ stdout }) => (stdout.trim() === "401 1" ? "works" : `failed: ${stdout}`));
    results.set(neighbour, await answered.catch((error: unknown) => `failed: ${error}`));
  }
  return results;
}
