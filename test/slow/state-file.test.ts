import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, onTestFinished, test } from "vitest";
import { makePng } from "../support/png.ts";
import { useBundle } from "../support/use-bundle.ts";

/** `STATE_FILE_KILLS=200` takes 90 s, and is for changes of the state file. */
const KILLS = Number(process.env.STATE_FILE_KILLS ?? 16);

const script = useBundle("test/slow/scripts/write-states.ts");

/** Waits for a number of lines, or for the end. */
async function untilLines(output: Readable, wanted: number): Promise<void> {
  let lines = 0;
  for await (const _line of createInterface(output)) {
    lines += 1;
    if (lines === wanted) return;
  }
}

test(`a process that is killed at ${KILLS} random moments leaves the state before or after a write`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "state-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "state.json");
  for (const name of ["a", "b"]) {
    await using mock = new MockCloudReco({ intercept: false });
    const database = mock.addCloudDatabase({ databaseName: name });
    for (let seed = 0; seed < 40; seed += 1)
      await mock.addTarget(database, { name: `${seed}`, image: makePng({ width: 32 + seed }) });
    await mock.save(`${path}.${name}`);
  }
  await copyFile(`${path}.a`, path);
  const seen = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = spawn(process.execPath, [script(), path], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(writer, "exit");
    // Random moments are the point; whatever they are, the file must hold a whole state. How many writes come before is
    // counted, because a busy machine may need all the time for the first one.
    await untilLines(writer.stdout, 1 + Math.floor(Math.random() * 4));
    await delay(Math.random() * 10);
    writer.kill("SIGKILL");
    expect((await ended)[1]).toBe("SIGKILL");
    await using mock = await MockCloudReco.load(path, { intercept: false });
    const found = ["a", "b"].filter((name) => mock.findCloudDatabase(name)?.targets.length === 40);
    expect(found).toHaveLength(1);
    seen.add(found.join());
  }
  expect([...seen].sort()).toEqual(["a", "b"]);
}, 600_000);
