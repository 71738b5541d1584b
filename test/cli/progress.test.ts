import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { samplePicture } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, inject, it } from "vitest";
import { progressOf } from "../../src/cli/output.ts";
import { makePng, pngChunk } from "../support/png.ts";

it("shows count, rate and time left in one line, and clears it at the end", () => {
  let time = 0;
  const shown: string[] = [];
  const progress = progressOf(
    "targets",
    (text) => shown.push(text),
    () => time,
  );
  for (let done = 1; done <= 100; done += 1) {
    time += 50;
    progress(done, 100);
  }
  expect(shown[0]).toBe("\r\u001b[K2 of 100 targets, 20.0/s, 5 s left");
  expect(shown).toHaveLength(50);
  expect(shown.at(-1)).toBe("\r\u001b[K");
});

const command = inject("command");

it("shows nothing in a pipe", async () => {
  const folder = await mkdtemp(join(tmpdir(), "seed-"));
  try {
    const seedFile = join(folder, "seed.json");
    await writeFile(join(folder, "picture.jpg"), await samplePicture(1));
    const targets = [{ name: "one", width: 1, image: "picture.jpg" }];
    await writeFile(seedFile, JSON.stringify({ cloud_databases: [{ targets }] }));
    const ports = ["target", "query", "manager"].flatMap((server) => [`--${server}-port`, "0"]);
    const child = spawn(process.execPath, [command, "serve", "--json", "--seed", seedFile, ...ports]);
    const complained = text(child.stderr);
    await once(child.stdout, "data");
    child.kill();
    // On a terminal, the line would at least be cleared.
    expect(await complained).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("measures a state file", async () => {
  const image = makePng({ before: [pngChunk("tEXt", Buffer.alloc(1_200_000))] });
  const folder = await mkdtemp(join(tmpdir(), "state-"));
  try {
    const stateFile = join(folder, "state.json");
    const calls: (readonly unknown[])[] = [];
    for (const start of ["first", "second"]) {
      await using servers = await startServers(
        { stateFile },
        () => {},
        (...call) => calls.push(call),
      );
      if (start === "first") await servers.addTarget(servers.addCloudDatabase(), { image });
    }
    expect(calls[0]).toEqual(["state", 0, 2]);
    expect(calls).toContainEqual(["state", 1, 2]);
    expect(calls.at(-1)).toEqual(["state", 2, 2]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("counts the targets of a seed file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "seed-"));
  try {
    const targets = [1, 2, 3].map((number) => ({ name: String(number), width: 1, image: "picture.jpg" }));
    await writeFile(join(folder, "picture.jpg"), await samplePicture(1));
    const seedFile = join(folder, "seed.json");
    await writeFile(
      seedFile,
      JSON.stringify({ cloud_databases: [{ targets }, { targets: targets.slice(2) }] }),
    );
    const calls: (readonly unknown[])[] = [];
    await using _servers = await startServers(
      { seedFile },
      () => {},
      (...call) => calls.push(call),
    );
    expect(calls).toEqual([1, 2, 3, 4].map((done) => ["targets", done, 4]));
  } finally {
    await rm(folder, { recursive: true });
  }
});
