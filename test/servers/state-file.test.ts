import { spawnSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { type StartServersOptions, startServers } from "mock-cloud-reco/server";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { realTimers } from "../../src/core/general/real-timers.ts";
import { start as run } from "../cli/command.ts";
import { nodeClient } from "../support/clients.ts";
import { makePng, pngChunk } from "../support/png.ts";
import { signedRequest } from "../support/signed-request.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "state-"));
  path = join(folder, "state.json");
});
afterEach(() => rm(folder, { recursive: true }));

const start = async (options: StartServersOptions = {}) => {
  const servers = await startServers({ stateFile: path, targetRater: "perfect", ui: false, ...options });
  onTestFinished(() => servers.stop().catch(() => {}));
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
  await first.stop();
  expect(await readdir(folder)).toEqual(["state.json"]);

  const second = await start();
  expect(second.seeded).toEqual(["shop", "other"]);
  expect(second.snapshot()).toEqual(before);
  expect(second.findCloudDatabase("shop")?.targets).toMatchObject([{ name: "poster" }]);
  await second.stop();
});

test("the file is written 0.3 seconds after a change, which others in the meantime do not postpone", async () => {
  const servers = await start();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const isWritten = () =>
    stat(path).then(
      () => true,
      () => false,
    );
  servers.addCloudDatabase({ databaseName: "first" });
  vi.advanceTimersByTime(200);
  servers.addCloudDatabase({ databaseName: "second" });
  vi.advanceTimersByTime(99);
  await new Promise(setImmediate);
  expect(await isWritten()).toBe(false);
  vi.advanceTimersByTime(1);
  // Or polling would advance them further.
  vi.useRealTimers();
  await expect.poll(isWritten, { timeout: 20_000 }).toBe(true);
  expect(names(await readFile(path, "utf8"))).toEqual(["first", "second"]);
});

test("what clients, the manager and tests deleted leaves its image and metadata in no file", async () => {
  const servers = await start({ processingTimeSeconds: 0 });
  const database = servers.addCloudDatabase({ databaseName: "shop" });
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
  const { target: baseUrl, manager } = servers.urls;
  const ways = [
    (id: string) => servers.deleteTarget(database, id),
    async (id: string) => fetch(`${manager}/cloud_databases/shop/targets/${id}`, { method: "DELETE" }),
    async (id: string) =>
      nodeClient(
        signedRequest({
          ...{ method: "DELETE", baseUrl, path: `/targets/${id}`, accessKey, secretKey, now: new Date() },
        }),
      ),
  ];
  const image = makePng({ before: [pngChunk("tEXt", Buffer.alloc(100_000))] });
  for (let count = 0; count < 60; count += 1) {
    const fields = { name: `poster ${count}`, image, applicationMetadata: Buffer.alloc(1_000_000, 1) };
    const { targetId } = await servers.addTarget(database, fields);
    await ways[count % ways.length]?.(targetId);
  }
  expect(database.targets).toEqual([]);
  await servers.stop();
  expect((await stat(path)).size).toBeLessThan(100_000);
  const [listed] = JSON.parse(await readFile(path, "utf8")).databases;
  expect(listed.targets).toHaveLength(60);
});

test("a file in use, or one that holds no state, stops the start and is left as it is", async () => {
  const first = await start();
  await expect(start()).rejects.toThrow(/is in use by process \d+ on .+; if that has ended, delete .+\.lock/);
  await first.stop();
  for (const content of ["{", '{"version":2}', '{"version":3,"databases":[]}']) {
    await writeFile(path, content);
    await expect(start()).rejects.toThrow(
      /the state file .+ (cannot be read: expected JSON; .+|holds no state: .+)/,
    );
    expect(await readFile(path, "utf8")).toBe(content);
  }
  expect(await readdir(folder)).toEqual(["state.json"]);
});

test("a file of another version is refused, naming both versions, and is left as it is", async () => {
  const first = await start();
  await first.addTarget(first.addCloudDatabase(), { image: makePng() });
  await first.stop();
  // As this package wrote it before targets were ordered by their upload alone.
  const older = (await readFile(path, "utf8"))
    .replace('"version":2', '"version":1')
    .replace('"uploadDate"', '"tick":2,"uploadDate"');
  await writeFile(path, older);
  await expect(start()).rejects.toThrow(/^the state file .+: snapshot\.version: expected 2; got 1$/);
  expect(await readFile(path, "utf8")).toBe(older);
});

test("the lock of a process that was killed is no obstacle", async () => {
  const servers = await start();
  const lock = await readFile(`${path}.lock`, "utf8");
  await servers.stop();
  // No process has this id.
  await writeFile(`${path}.lock`, lock.replace(/^\d+/, "4194305"));
  await (await start()).stop();
});

test("of processes that start together, one takes over the lock of a process that was killed", async () => {
  for (let round = 0; round < 10; round += 1) {
    await writeFile(`${path}.lock`, "4194305 elsewhere 2026-11-23T00:00:00.000Z 0");
    await utimes(`${path}.lock`, 0, 0);
    const starting = await Promise.allSettled([start(), start(), start(), start()]);
    const started = starting.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const refused = starting.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    expect([started.length, refused.length]).toEqual([1, 3]);
    for (const why of refused) expect(why).toMatch(/the state file .+(is in use|takes it over)/);
    await started[0]?.stop();
    expect(await readdir(folder)).toEqual(["state.json"]);
  }
});

const addedTo = async (at: string) => {
  const servers = await start({ stateFile: at });
  servers.addCloudDatabase({ databaseName: "shop" });
  await servers.stop();
};

test("a symbolic link is followed, also to a file that does not exist yet, and the file is locked", async () => {
  await mkdir(join(folder, "volume"));
  const file = join(folder, "volume", "kept.json");
  await symlink(join("volume", "kept.json"), path);
  await addedTo(path);
  expect(names(await readFile(file, "utf8"))).toEqual(["shop"]);
  const servers = await start();
  expect(servers.seeded).toEqual(["shop"]);
  await expect(start({ stateFile: file })).rejects.toThrow(/is in use by process/);
  await servers.stop();
  expect(await readdir(folder)).toEqual(["state.json", "volume"]);
  await symlink(join(folder, "circle"), join(folder, "circle"));
  await expect(start({ stateFile: join(folder, "circle") })).rejects.toThrow(/a circle of symbolic links/);
});

test("a path where no file can be stops the start, and what is there stays", async () => {
  const [file, pipe] = [join(folder, "file"), join(folder, "pipe")];
  await writeFile(file, "kept");
  await symlink("/dev/zero", join(folder, "zero"));
  const hasPipes = spawnSync("mkfifo", [pipe]).status === 0;
  const refused: readonly (readonly [at: string, why: RegExp])[] = [
    [join(file, "x"), /\/file is not a folder$/],
    [join(file, "x", "y"), /ENOTDIR/],
    [folder, /it is a folder; name another file$/],
    [`${join(folder, "none")}/`, /its path is that of a folder; name a file$/],
    ["/dev/zero", /it is not a regular file, but a pipe, device or socket; name another file$/],
    [join(folder, "zero"), /it is not a regular file/],
    ["/dev/zero/x", /\/dev\/zero is not a folder$/],
    ...(hasPipes
      ? ([
          [pipe, /it is not a regular file/],
          [join(pipe, "x"), /\/pipe is not a folder$/],
        ] as const)
      : []),
  ];
  const before = (await readdir(folder)).toSorted();
  for (const [at, why] of refused) {
    const { code, complained } = await run(["serve", "--state", at]).finished;
    expect([at, code]).toEqual([at, 2]);
    expect(complained).toMatch(/^mock-cloud-reco: the state file .+ cannot be used: [^\n]+\n$/);
    expect(complained.trimEnd()).toMatch(why);
    await using mock = new MockCloudReco({ intercept: false });
    await expect(mock.save(at)).rejects.toThrow(why);
    await expect(MockCloudReco.load(at)).rejects.toThrow(why);
  }
  expect((await readdir(folder)).toSorted()).toEqual(before);
  expect(await readFile(file, "utf8")).toBe("kept");
});

test("a new file is its owner's only, an existing one keeps its mode, and nothing prepared decides either", async () => {
  const victim = join(folder, "victim");
  await writeFile(victim, "untouched", { mode: 0o644 });
  await symlink(victim, `${path}.new`);
  await addedTo(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o640);
  await (await start()).stop();
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect(await readFile(victim, "utf8")).toBe("untouched");
});

test("what a killed process left unfinished is removed", async () => {
  await writeFile(`${path}.0123456789abcdef.new`, "half");
  await (await start()).stop();
  expect(await readdir(folder)).toEqual(["state.json"]);
});

test("a file that cannot be written is told in a line, once, and at the stop; it keeps the last whole state", async () => {
  const lines: string[] = [];
  const sub = join(folder, "sub");
  await mkdir(sub);
  const servers = await startServers({ stateFile: join(sub, "state.json"), ui: false }, (line) =>
    lines.push(line),
  );
  await rm(sub, { recursive: true });
  servers.addCloudDatabase({ databaseName: "shop" });
  await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(1);
  expect(lines[0]).toMatch(/^the state file .+ cannot be written: [^\n]+\n$/);
  await expect(servers.stop()).rejects.toThrow(
    /^the state file .+ cannot be written: its folder does not exist \(ENOENT\)$/,
  );
  expect(lines).toHaveLength(1);
});

test("the lock of another host is respected, and taken over when it was not renewed", async () => {
  const lock = `${path}.lock`;
  await writeFile(lock, "7 elsewhere 2026-11-23T00:00:00.000Z 0");
  await expect(start()).rejects.toThrow(
    /is in use by process 7 on elsewhere since 2026-11-23T00:00:00.000Z; if that has ended, delete .+\.lock$/,
  );
  const { mtimeMs } = await stat(lock);
  await utimes(lock, mtimeMs / 1000, mtimeMs / 1000 - 31);
  const servers = await start();
  // Another host thinks in turn that this process has ended.
  await writeFile(lock, "7 elsewhere 2026-11-23T00:00:00.000Z 0");
  await expect(servers.stop()).rejects.toThrow(/cannot be written: process 7 on elsewhere uses it now$/);
  expect(await readFile(lock, "utf8")).toMatch(/^7 elsewhere/);
});

test("a lock is renewed every 5 seconds, so that no other host takes it over", async () => {
  const intervals = vi.spyOn(realTimers, "setInterval");
  onTestFinished(() => intervals.mockRestore());
  await start();
  const lock = `${path}.lock`;
  const content = await readFile(lock, "utf8");
  await utimes(lock, 0, 0);
  const renewals = intervals.mock.calls.filter(([, milliseconds]) => milliseconds === 5000);
  for (const [renew] of renewals) renew();
  await expect.poll(async () => (await stat(lock)).mtimeMs, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await readFile(lock, "utf8")).toBe(content);
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
