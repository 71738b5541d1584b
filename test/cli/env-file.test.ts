import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { authorizationHeader } from "mock-cloud-reco";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasFifos, makeFifo } from "../support/fifos.ts";
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

/** All characters that a key may have. */
const anyKey = String.fromCharCode(
  ...Array.from({ length: 0x7f - 0x21 }, (_, index) => 0x21 + index),
).replace(":", "");

test.each([
  // Other readers of .env files know one kind of quotes at a time.
  ["a'b", true],
  ["a#b\\n", true],
  ["''", true],
  ["'a\\'\"'", false],
  [anyKey, false],
])("sign --keys and shells read the secret key %s that serve --env wrote", async (secret, byOthers) => {
  const [env, seed] = [join(folder, "mock.env"), join(folder, "seed.json")];
  await writeFile(seed, JSON.stringify({ cloud_databases: [{ server_secret_key: secret }] }));
  const command = start(["serve", "--env", env, "--seed", seed], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
  await command.printed();
  await command.stop();
  const { VUFORIA_SERVER_ACCESS_KEY: accessKey = "", VUFORIA_SERVER_SECRET_KEY: others } = parseEnv(
    await readFile(env, "utf8"),
  );
  const date = "Sat, 21 Nov 2026 12:00:00 GMT";
  const { printed } = await start(["sign", "GET", "/summary", "--keys", env, "--date", date]).finished;
  const parts = { accessKey, secretKey: secret, method: "GET", path: "/summary", date };
  expect(printed).toContain(`Authorization: ${authorizationHeader(parts)}\n`);
  const shell = spawnSync("sh", ["-c", '. "$1"; printf %s "$VUFORIA_SERVER_SECRET_KEY"', "sh", env]);
  expect(shell.stdout.toString()).toBe(secret);
  if (byOthers) expect(others).toBe(secret);
});

test("serve --env refuses a file that cannot be written, and stops", async () => {
  const { code, printed, complained } = await start(["serve", "--env", folder]).finished;
  expect([code, printed]).toEqual([2, ""]);
  expect(complained).toContain(
    `--env: ${JSON.stringify(folder)} cannot be written: it is a folder; name a file`,
  );
});

test.skipIf(!hasFifos)(
  "serve --env keeps the mode of a FIFO, and waits for its reader until it stops",
  async () => {
    const [fifo, state] = [join(folder, "mock.env"), join(folder, "state.json")];
    makeFifo(fifo, "640");
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
