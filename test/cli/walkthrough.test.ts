import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { samplePicture } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { afterEach, expect, inject, test } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { freePorts } from "../support/free-ports.ts";
import { startRedis, whyNoRedis } from "../support/redis-server.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { start } from "./command.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
/** The block of a document that begins with some text. */
async function block(document: string, begins: string): Promise<string> {
  const found = codeBlocks(await readFile(join(root, document), "utf8")).find(({ text }) =>
    text.startsWith(begins),
  );
  if (found === undefined) throw new Error(`${document} has no block that begins with ${begins}`);
  return found.text;
}

const main = inject("command");

const started: ChildProcess[] = [];
const killStarted = () => {
  for (const child of started.splice(0)) if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
};
afterEach(killStarted);

/** Runs a line in a new shell and waits for the server's first output. */
async function shell(line: string): Promise<void> {
  const command = line.replace("npx mock-cloud-reco", `"${process.execPath}" "${main}"`);
  const environment = { ...process.env, LOG_LEVEL: "silent", MOCK_CLOUD_RECO_LOG_LEVEL: "silent" };
  const child = spawn("bash", ["-c", command], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    child.once("exit", (code) => reject(new Error(`${line} ended with ${code}`)));
  });
}

/** Not every machine has the tools that the block uses; the servers themselves are tested everywhere. */
const hasTools = ["curl", "openssl", "bash"].every(
  (tool) => spawnSync(tool, ["--version"]).error === undefined,
);
if (!hasTools) sayWhatIsSkipped("the walkthrough in shells (no curl, no openssl or no bash)");

test.runIf(hasTools)("three shells and curl work, as the documents show it", async () => {
  const ports = await freePorts(3);
  const here = (text: string) =>
    text.replace(/\b500([012])\b/g, (_all, index) => String(ports[Number(index)]));
  await Promise.all(
    (await block("examples/server-settings/README.md", "PORT=5000 "))
      .split("\n")
      .map((line) => shell(here(line))),
  );
  const [script = "", picture = ""] = (
    await block("examples/containers/README.md", "examples/containers/find-a-picture.sh ")
  ).split(" ");
  const urls = ports.map((port) => `http://localhost:${port}`);
  const { stdout } = await run(join(root, script), [picture, ...urls], { cwd: root, timeout: 25_000 });
  expect(stdout).toMatch(/found: \{"result_code":"Success","results":\[\{"target_id":"[0-9a-f]{32}"/);
});

test.runIf(hasTools)("a query signed by the command is decoded, as two documents show it", async () => {
  const query = await block("README.md", "npx mock-cloud-reco picture");
  expect(await block("examples/signing/README.md", "npx mock-cloud-reco picture")).toBe(query);
  const [, , ...args] = (await block("README.md", "npx mock-cloud-reco serve")).split(" ");
  const folder = await mkdtemp(join(tmpdir(), "query-"));
  const inFolder = args.map((word) => (word === "keys.env" ? join(folder, word) : word));
  const servers = start(inFolder, { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
  try {
    await servers.printed();
    const script = query.replaceAll("npx mock-cloud-reco", `"${process.execPath}" "${main}"`);
    const { stdout } = await run("sh", ["-euc", script], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ result_code: "Success", results: [] });
  } finally {
    await servers.stop();
    await rm(folder, { recursive: true });
  }
});

test.each([
  "README.md",
  "examples/languages/README.md",
  "examples/servers/README.md",
  "examples/signing/README.md",
])("%s has a query that decodes gzip", async (document) => {
  const queries = codeBlocks(await readFile(join(root, document), "utf8")).filter(
    ({ language, text }) => language === "sh" && text.includes("/v1/query"),
  );
  expect(queries).toHaveLength(1);
  expect(queries[0]?.text).toMatch(/^curl .*--compressed .*\/v1\/query/m);
});

test.runIf(hasTools && whyNoRedis === undefined)("servers share a Redis, as the guide shows it", async () => {
  const redis = await startRedis();
  try {
    const ports = await freePorts(6);
    const here = (text: string) =>
      text
        .replaceAll("redis://localhost:6379", redis.url)
        .replace(/\b500([0-5])\b/g, (_all, index) => String(ports[Number(index)]));
    const servers = await block("examples/redis/README.md", "npx mock-cloud-reco serve");
    await Promise.all(servers.split("\n").map((line) => shell(here(line))));
    const urls = ports.map((port) => `http://localhost:${port}`);
    const script = join(root, "examples/containers/find-a-picture.sh");
    await run(script, ["examples/demo/images/raccoon.jpg", ...urls.slice(0, 3)], {
      cwd: root,
      timeout: 25_000,
    });
    const curl = here(await block("examples/redis/README.md", "curl "));
    expect((await run("bash", ["-euc", curl])).stdout).toBe('"database_name":"shared"\n');
  } finally {
    killStarted();
    await redis.close();
  }
});

test("the seed file of the guide works", async () => {
  const folder = await mkdtemp(join(tmpdir(), "seed-"));
  try {
    const seedFile = join(folder, "seed.json");
    await writeFile(seedFile, await block("examples/manager/README.md", '{\n  "cloud_databases"'));
    await writeFile(join(folder, "raccoon.jpg"), await samplePicture(1));
    await using servers = await startServers({ seedFile });
    expect(servers.seeded).toEqual(["shop"]);
    expect(servers.findCloudDatabase("shop")?.targets).toMatchObject([
      { name: "raccoon", status: "success" },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
