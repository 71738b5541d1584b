import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { start, summary, VARIABLES } from "./command.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "env-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("serve --env writes the same lines, for this user only, and quotes what a shell would read", async () => {
  const [env, seed] = [join(folder, "mock.env"), join(folder, "seed.json")];
  await writeFile(env, "old");
  await chmod(env, 0o644);
  const server_secret_key = "it's$HOME#1";
  await writeFile(seed, JSON.stringify({ cloud_databases: [{ server_secret_key }] }));
  const command = start(["serve", "--env", env, "--seed", seed], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
  await command.printed();
  expect((await stat(env)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(env, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => line.slice(0, line.indexOf("=")))).toEqual(VARIABLES);
  const shell = spawn("sh", ["-c", 'set -a; . "$1"; env', "sh", env], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const read = (await shell.stdout.toArray()).join("");
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(read)?.[1];
  expect(value("VUFORIA_SERVER_SECRET_KEY")).toBe(server_secret_key);
  const url = value("VUFORIA_TARGET_URL") ?? "";
  expect((await summary(url, value("VUFORIA_SERVER_ACCESS_KEY"), server_secret_key)).status).toBe(200);
  await command.stop();
});

test("serve --env refuses a file that cannot be written, and stops", async () => {
  const { code, printed, complained } = await start(["serve", "--env", folder]).finished;
  expect([code, printed]).toEqual([2, ""]);
  expect(complained).toContain(`--env: ${JSON.stringify(folder)} cannot be written: EISDIR`);
});

const hasFifos = spawnSync("mkfifo", ["--version"]).status === 0;
if (!hasFifos) sayWhatIsSkipped("FIFOs (no mkfifo)");

test.skipIf(!hasFifos)(
  "serve --env keeps the mode of a FIFO, and waits for its reader until it stops",
  async () => {
    const [fifo, state] = [join(folder, "mock.env"), join(folder, "state.json")];
    spawnSync("mkfifo", ["-m", "640", fifo]);
    const unread = start(["serve", "--env", fifo, "--state", state], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    // Written after the database was added, immediately before the FIFO is opened.
    await expect
      .poll(() => readFile(state, "utf8").catch(() => ""), { timeout: 20_000 })
      .toContain("database-1");
    await unread.stop();

    const reading = readFile(fifo, "utf8");
    const command = start(["serve", "--env", fifo], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    expect(await reading).toMatch(/^VUFORIA_TARGET_URL=http/);
    await command.printed();
    expect((await stat(fifo)).mode & 0o777).toBe(0o640);
    await command.stop();
  },
);
