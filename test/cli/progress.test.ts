import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { samplePicture } from "mock-cloud-reco";
import { expect, it } from "vitest";
import type { Terminal } from "../../src/cli/arguments.ts";
import { progressOf } from "../../src/cli/progress.ts";
import { startServers } from "../../src/servers/index.ts";

const terminalThat = (showProgress: Terminal["showProgress"]): Terminal => ({
  environment: {},
  print: () => {},
  complain: () => {},
  showProgress,
  openBrowser: () => {},
  stopRequested: async () => {},
});

it("shows count, rate and time left in one line, and clears it at the end", () => {
  let time = 0;
  const shown: string[] = [];
  const progress = progressOf(
    "targets",
    terminalThat((text) => shown.push(text)),
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

it("shows nothing in a pipe", () => {
  expect(() => progressOf("targets", terminalThat(undefined))(1, 2)).not.toThrow();
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
    const calls: (readonly number[])[] = [];
    await using _servers = await startServers(
      { seedFile },
      () => {},
      (...call) => calls.push(call),
    );
    expect(calls).toEqual([1, 2, 3, 4].map((done) => [done, 4]));
  } finally {
    await rm(folder, { recursive: true });
  }
});
