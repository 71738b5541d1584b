import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { type Environment, environments, sharedEnvironments } from "../../combined/environments.ts";
import { checkPrograms } from "../../combined/programs.ts";
import { bundledCommand } from "../../support/bundle.ts";
import { addAndDelete, PLACES } from "../deleted-soak.ts";
import { killSeeding } from "../killed-seeding.ts";
import { soak } from "../killed-soak.ts";
import { Fuzzer, SUBJECTS, type Subject, usedBytes } from "./fuzzer.ts";

/**
 * `npm run fuzz -- --minutes 10 [--seed …]`: new cases until the time is over; prints how many, and the memory.
 *
 * `npm run fuzz -- combined [--programs 2000] [--seed …] [--only "three processes"]`: features together, in all environments, or
 * all programs in one of them; prints the shortest program that fails.
 *
 * `npm run fuzz -- killed [--seconds 60]`: servers are killed while clients work, with and without Redis; prints what was lost.
 *
 * `npm run fuzz -- seeding [--kills 40]`: servers are killed while they add a seed file, with and without Redis; prints how often the
 * whole seed was left, nothing, or a part.
 *
 * `npm run fuzz -- deleted [--seconds 300] [--only file]`: 20 targets a second are added and deleted, with the state in memory, a file
 * and Redis, on Linux; prints the memory of `serve`, which must not grow by more than a tenth.
 *
 * `npm run fuzz -- cycles [--programs 30000] [--only sockets]`: mocks of all modes, or one of them, that start and stop beside other
 * interceptors, which are installed in test/matrix; prints what they leave patched, and the bytes that each cycle keeps. Beside
 * nothing, and beside all of them; the mode "none" is the control, without mocks.
 */
const { values, positionals } = parseArgs({
  options: {
    minutes: { type: "string" },
    seed: { type: "string" },
    programs: { type: "string" },
    seconds: { type: "string" },
    kills: { type: "string" },
    only: { type: "string" },
  },
  allowPositionals: true,
});
const above0 = (name: "minutes" | "programs" | "seconds" | "kills", preset: number): number => {
  const given = Number(values[name] ?? preset);
  if (given > 0) return given;
  throw new RangeError(`--${name}: expected a number above 0; got ${values[name]}`);
};

if (positionals[0] === "combined") await fuzzCombined();
else if (positionals[0] === "killed") await killServers();
else if (positionals[0] === "seeding") await killSeedingServers();
else if (positionals[0] === "deleted") await addAndDeleteTargets();
else if (positionals[0] === "cycles") startAndStop();
else await fuzzBytes();

function startAndStop(): void {
  const given = [`${above0("programs", 30_000)}`, values.only ?? "all"];
  for (const neighbour of ["nothing", "all"]) {
    console.log(`beside ${neighbour}:`);
    const args = ["--import", "tsx", "test/matrix/cycles.ts", ...given, neighbour];
    process.exitCode ||= spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
  }
}

async function fuzzCombined(): Promise<void> {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const all = above0("programs", 2000);
  const { only } = values;
  const check = async (name: string, share: number, environment: Environment) => {
    const programs = only === undefined ? Math.ceil(all * share) : all;
    console.info(`${name}: ${programs} programs, seed ${seed}`);
    await checkPrograms(environment, { programs, seed, milliseconds: programs * 5000 });
  };
  // Fewer where they take long.
  for (const [name, environment] of Object.entries(environments))
    if (only === undefined || only === name)
      await check(name, name === "mock.fetch" ? 0.5 : 0.14, environment);
  for (const [name, start] of Object.entries(sharedEnvironments)) {
    if (only !== undefined && only !== name) continue;
    const command = await bundledCommand();
    const shared = await start(command.path);
    await check(name, 0.04, shared.environment).finally(shared.end).finally(command.remove);
  }
}

async function killServers(): Promise<void> {
  const seconds = above0("seconds", 60);
  for (const keptIn of ["redis", "file"] as const) {
    const { wrong, ...rest } = await soak({ seconds }, keptIn);
    console.log(`${keptIn}: ${JSON.stringify(rest)}`);
    for (const line of wrong) console.error(line);
    console.log(wrong.length === 0 ? "nothing was lost" : `${wrong.length} things went wrong`);
    if (wrong.length > 0) process.exitCode = 1;
  }
}

async function killSeedingServers(): Promise<void> {
  for (const keptIn of ["redis", "file"] as const) {
    const { wrong, ...rest } = await killSeeding(above0("kills", 40), keptIn);
    console.log(`${keptIn}: ${JSON.stringify(rest)}, a part ${wrong.length}`);
    for (const line of wrong) console.error(line);
    if (wrong.length > 0) process.exitCode = 1;
  }
}

async function addAndDeleteTargets(): Promise<void> {
  const MOST_GROWTH = 1.1;
  const seconds = above0("seconds", 300);
  for (const place of PLACES.filter((each) => values.only === undefined || each === values.only)) {
    const { growth, ...rest } = await addAndDelete(place, seconds);
    console.log(`${place}: ${JSON.stringify(rest)}, ${growth.toFixed(2)} times as much in the last third`);
    if (growth > MOST_GROWTH) process.exitCode = 1;
  }
}

async function fuzzBytes(): Promise<void> {
  const minutes = above0("minutes", 1);
  const seed = values.seed ?? String(Date.now());

  console.info(`seed ${seed}, ${minutes} minutes`);
  await using fuzzer = await Fuzzer.start();
  const counts = new Map<Subject, number>(SUBJECTS.map((subject) => [subject, 0]));
  const failures: string[] = [];
  const start = performance.now();
  const end = start + minutes * 60_000;
  /** After this part of the time, what is made only once has been made, and caches are full or nearly so. */
  const WARM_UP = 0.5;
  const MOST_GROWTH = 1.1;
  /** The caches of facts about images and of unused images are full after about 20,000 images. */
  const LONG_MINUTES = 10;
  let before: number | undefined;
  while (performance.now() < end && failures.length < 20) {
    // Requests of the manager may have taken away what the others ask for.
    await fuzzer.begin();
    if (performance.now() > start + WARM_UP * (end - start)) before ??= await usedBytes();
    for (const subject of SUBJECTS) {
      const count = counts.get(subject) ?? 0;
      const size = subject === "snapshots" ? 1 : 16;
      const cases = Array.from({ length: size }, (_, index) => `${seed} ${subject} ${count + index}`);
      await Promise.all(
        cases.map((each) =>
          fuzzer
            .send(subject, each)
            .catch((error: unknown) => failures.push(`case "${each}": ${String(error)}`)),
        ),
      );
      counts.set(subject, count + size);
    }
  }
  await fuzzer.begin();
  console.table(Object.fromEntries(counts));
  console.table(Object.fromEntries([...fuzzer.statuses].sort(([a], [b]) => a - b)));
  const after = await usedBytes();
  const megabytes = (bytes = 0) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.info(`memory in use: ${megabytes(before)} after half the time, ${megabytes(after)} at the end`);
  if (minutes >= LONG_MINUTES && before !== undefined && after > before * MOST_GROWTH)
    failures.push("memory grew by more than 10 %");
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
