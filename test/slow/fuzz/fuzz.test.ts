import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL, times } from "../../support/combinations.ts";
import { Fuzzer, SUBJECTS, type Subject, usedBytes } from "./fuzzer.ts";

/** In CI, each time others; otherwise a fifth. `npm run fuzz -- --minutes 10` sends as many as there is time for. */
const CASES: Readonly<Record<Subject, number>> = {
  target: 1200,
  query: 1200,
  modelTarget: 1200,
  manager: 1200,
  bytes: 800,
  snapshots: 400,
  images: 200,
};
/** FUZZ_SEED=… runs the cases of a failure again. */
const SEED = process.env.FUZZ_SEED ?? String(Date.now());
const AT_ONCE = 8;
/** Of the memory in use, from a quarter of the cases to their end. */
const MOST_GROWTH = 1.1;

let fuzzer: Fuzzer;
beforeAll(async () => {
  console.info(`FUZZ_SEED=${SEED}`);
  fuzzer = await Fuzzer.start();
});
afterAll(() => fuzzer[Symbol.asyncDispose]());

async function sendAll(subject: Subject, from: number, to: number): Promise<void> {
  let next = from;
  // Snapshots replace the state that others look at.
  const workers = subject === "snapshots" ? 1 : AT_ONCE;
  const work = async () => {
    while (next < to) {
      const seed = `${SEED} ${subject} ${next}`;
      next += 1;
      await fuzzer.send(subject, seed).catch((error: unknown) => {
        throw new Error(`case "${seed}" failed`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

test.each(SUBJECTS)(
  "%s: whatever is sent gets a documented answer in time",
  async (subject) => {
    await fuzzer.begin();
    fuzzer.statuses.clear();
    const cases = CASES[subject] * times(1, 0.2);
    const warmUp = cases / 4;
    await sendAll(subject, 0, warmUp);
    await fuzzer.begin();
    const before = await usedBytes();
    await sendAll(subject, warmUp, cases);
    await fuzzer.begin();
    const after = await usedBytes();
    const { statuses } = fuzzer;
    console.info(
      `${subject}: ${JSON.stringify(Object.fromEntries(statuses))}, ${before >> 20} MiB in use, then ${after >> 20}`,
    );
    // After few cases, the program itself still grows.
    if (ALL) expect(after).toBeLessThan(before * MOST_GROWTH);
    expect([...statuses.keys()].every((status) => status < 500)).toBe(true);
    expect(statuses.size).toBeGreaterThan(1);
  },
  600_000,
);
