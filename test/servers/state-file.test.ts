import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type StartServersOptions, startServers } from "../../src/servers/index.ts";
import { makePng } from "../support/png.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "state-"));
  path = join(folder, "state.json");
});
afterEach(() => rm(folder, { recursive: true }));

const start = async (options: StartServersOptions = {}) => {
  const servers = await startServers({ stateFile: path, targetRater: "perfect", ui: false, ...options });
  onTestFinished(() => servers.close());
  return servers;
};
const names = (text: string): readonly string[] => {
  const { databases }: { databases: { database: { databaseName: string } }[] } = JSON.parse(text);
  return databases.map(({ database }) => database.databaseName);
};

test("servers keep their state in a file, soon after a change and at the stop", async () => {
  const first = await start();
  const database = first.addCloudDatabase({ databaseName: "shop" });
  await first.addTarget(database, { name: "poster", image: makePng() });
  await expect
    .poll(() => readFile(path, "utf8").then(names, () => []), { timeout: 20_000 })
    .toEqual(["shop"]);
  first.addCloudDatabase({ databaseName: "other" });
  const before = first.snapshot();
  await first.close();
  expect(await readdir(folder)).toEqual(["state.json"]);

  const second = await start();
  expect(second.seeded).toEqual(["shop", "other"]);
  expect(second.snapshot()).toEqual(before);
  expect(second.findCloudDatabase("shop")?.targets).toMatchObject([{ name: "poster" }]);
  await second.close();
});

test("a file in use, or one that holds no state, stops the start and is left as it is", async () => {
  const first = await start();
  await expect(start()).rejects.toThrow(/is in use by process \d+ on .+; if that has ended, delete .+\.lock/);
  await first.close();
  for (const content of ["", "{", '{"version":1}', '{"version":2,"databases":[]}']) {
    await writeFile(path, content);
    await expect(start()).rejects.toThrow(
      /the state file .+ (cannot be read: it is not valid JSON|holds no state: .+)/,
    );
    expect(await readFile(path, "utf8")).toBe(content);
  }
  expect(await readdir(folder)).toEqual(["state.json"]);
});

test("the lock of a process that was killed is no obstacle", async () => {
  const servers = await start();
  const lock = await readFile(`${path}.lock`, "utf8");
  await servers.close();
  // No process has this id.
  await writeFile(`${path}.lock`, lock.replace(/^\d+/, "4194305"));
  await (await start()).close();
});

test("a mock saves its state and loads it", async () => {
  await using mock = new MockCloudReco({ intercept: false });
  await mock.addTarget(mock.addCloudDatabase({ databaseName: "shop" }), { image: makePng() });
  await mock.save(path);
  await using loaded = await MockCloudReco.load(path, { intercept: false });
  expect(loaded.snapshot()).toEqual(mock.snapshot());
  await expect(MockCloudReco.load(join(folder, "none"))).rejects.toThrow(
    /the state file .+none does not exist/,
  );
});
