import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { Redis } from "iovalkey";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { hasFifos, makeFifo } from "../support/fifos.ts";
import { makePng } from "../support/png.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "../support/redis-server.ts";
import { type Environment, start } from "./command.ts";

const command = inject("command");
const TARGETS = 2;
const LAST = "last.png";

let folder: string;
let seed: string;
let redis: RunningRedis | undefined;
let running: ChildProcess[] = [];
beforeAll(async () => {
  if (whyNoRedis === undefined) redis = await startRedis();
});
afterAll(() => redis?.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seeding-"));
  seed = join(folder, "seed.json");
  const targets = Array.from({ length: TARGETS }, (_, index) => ({
    ...{ name: `target ${index}`, width: 1, image: `${index}.png` },
  }));
  for (const [index, { image }] of targets.entries())
    await writeFile(join(folder, image), makePng({ width: 32 + index }));
  const last = [{ name: "last", width: 1, image: LAST }];
  const cloud_databases = [
    { database_name: "first", targets },
    { database_name: "second", targets: last },
  ];
  await writeFile(seed, JSON.stringify({ cloud_databases }));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
  // Ends the wait of a test that failed for a server that reads the last picture.
  await open(join(folder, LAST), constants.O_RDONLY | constants.O_NONBLOCK).then(
    (file) => file.close(),
    () => {},
  );
  await rm(folder, { recursive: true });
});

const stateFile = (): Environment => ({ STATE_FILE: join(folder, "state.json") });
const stateInRedis = (): Environment => ({ STATE_URL: redis?.url, STATE_PREFIX: basename(folder) });
const PLACES: readonly (readonly [string, () => Environment, RegExp])[] = [
  ["a file", stateFile, /^the seed file .+seed\.json was not read: the state file .+state\.json exists\n$/],
  ["Redis", stateInRedis, /^the seed file .+seed\.json was not read: there is a state in redis:\S+\n$/],
];
const places = whyNoRedis === undefined ? PLACES : PLACES.slice(0, 1);

const args = () => ["target-manager", "--port", "0", "--seed", seed];

/** A target manager in a process of its own. */
function launched(state: Environment) {
  const child = spawn(process.execPath, [command, ...args()], { env: { ...process.env, ...state } });
  running.push(child);
  return {
    complained: text(child.stderr),
    started: once(child.stdout, "data").then(([said]) => String(said).trim().split(" ")[1] ?? ""),
    kill: () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      return ended;
    },
  };
}

async function seededAt(url: string): Promise<readonly (readonly [string, number])[]> {
  const listed: readonly { readonly database_name: string; readonly targets: readonly unknown[] }[] =
    JSON.parse(await (await fetch(`${url}/cloud_databases`)).text());
  return listed.map(({ database_name, targets }) => [database_name, targets.length]);
}

const WHOLE = [
  ["first", TARGETS],
  ["second", 1],
];

/** Resolves as soon as a server reads the last picture, with the function that lets it go on. */
async function lastPictureRead(by: readonly ReturnType<typeof launched>[]) {
  const reading = open(join(folder, LAST), "w");
  const file = await Promise.race([reading, ...by.map(({ started }) => started)]);
  if (typeof file === "string") throw new Error(`${file} started without the last picture`);
  return async (content = makePng()) => {
    await file.writeFile(content);
    await file.close();
  };
}
const NOTHING = Buffer.alloc(0);

describe.each(places)("with the state in %s", (_place, stateAt, line) => {
  test("a seed file that fails leaves no state, so that it is read again once it is right", async () => {
    const failed = await start(args(), stateAt()).finished;
    expect(failed.code).toBe(2);
    expect(failed.complained).toMatch(/cloud_databases\[1\]\.targets\[0\]\.image: expected the path/);
    await writeFile(join(folder, LAST), makePng());
    const corrected = start(args(), stateAt());
    expect(await seededAt((await corrected.printed()).trim().split(" ")[1] ?? "")).toEqual(WHOLE);
    expect((await corrected.stop()).complained).not.toContain("not read");
  });

  test("a line says that the seed file was not read, when there is a state", async () => {
    await writeFile(join(folder, LAST), makePng());
    await start(args(), stateAt()).stop();
    const again = start(args(), { ...stateAt(), LOG_LEVEL: "silent" });
    await again.printed();
    expect((await again.stop()).complained).toMatch(line);
  });

  test.skipIf(!hasFifos)("a kill while the seed is added leaves no state", async () => {
    makeFifo(join(folder, LAST));
    const first = launched(stateAt());
    const end = await lastPictureRead([first]);
    // Takes longer than a change waits for being written.
    if (!("STATE_URL" in stateAt())) expect(await launched(stateAt()).complained).toContain("is in use by");
    await first.kill();
    await end(NOTHING);
    const second = launched(stateAt());
    const give = await lastPictureRead([second]);
    await give();
    expect(await seededAt(await second.started)).toEqual(WHOLE);
  });
});

test.skipIf(whyNoRedis !== undefined || !hasFifos)(
  "replicas wait for the one that adds the seed; if it dies, another one adds all of it",
  async () => {
    makeFifo(join(folder, LAST));
    const client = new Redis(redis?.url ?? "");
    const first = launched(stateInRedis());
    const end = await lastPictureRead([first]);
    const second = launched(stateInRedis());
    // It asks again and again whether it is its turn.
    const asked = async () => Number(/cmdstat_set:calls=(\d+)/.exec(await client.info("commandstats"))?.[1]);
    const before = await asked();
    await expect.poll(async () => (await asked()) - before, { timeout: 20_000 }).toBeGreaterThan(3);
    const unseeded = start(["target-manager", "--port", "0"], stateInRedis());
    expect(await seededAt((await unseeded.printed()).trim().split(" ")[1] ?? "")).toEqual([]);
    await unseeded.stop();
    const claims = await client.keys(`*${basename(folder)}}:claim:*`);
    expect(claims).toHaveLength(1);
    expect(await client.pttl(claims[0] ?? "")).toBeLessThanOrEqual(4000);
    client.disconnect();
    await first.kill();
    await end(NOTHING);
    const give = await lastPictureRead([second]);
    await give();
    expect(await seededAt(await second.started)).toEqual(WHOLE);
  },
);
