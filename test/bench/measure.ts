/** One line of a benchmark's result: how something compares with a baseline measured in the same run. */
export interface Comparison {
  readonly name: string;
  /** Milliseconds, or what `unit` says. */
  readonly milliseconds: number;
  /** What it is compared with. */
  readonly baseline: string;
  readonly baselineMilliseconds: number;
  /** Default `ms`. */
  readonly unit?: "ms" | "MB" | "%";
  /** The goal for baseline divided by milliseconds, which is how many times faster it is. */
  readonly atLeast?: number;
}

/** A file `*.bench.ts` in this folder exports one as `bench`. */
export interface Bench {
  /** @param against - a commit to compare with */
  run(against?: string): Promise<Comparison[]>;
}

/** The median time of one call, in milliseconds, after one call to warm up. */
export async function medianTime(repetitions: number, action: () => unknown): Promise<number> {
  return median(await measuredTimes(repetitions, action));
}

/** The least time of one call, likewise; other work on the machine can only add time. */
export async function leastTime(repetitions: number, action: () => unknown): Promise<number> {
  return Math.min(...(await measuredTimes(repetitions, action)));
}

async function measuredTimes(repetitions: number, action: () => unknown): Promise<number[]> {
  await action();
  const times: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now();
    await action();
    times.push(performance.now() - start);
  }
  return times;
}

export const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** The next message from a process that this one started, or that started this one. */
export const nextMessage = <Message>(from: {
  once(event: "message", listener: (message: Message) => void): unknown;
}): Promise<Message> => new Promise((resolve) => from.once("message", resolve));
