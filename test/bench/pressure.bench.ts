import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Load } from "./load.ts";
import { type Bench, type Comparison, nextMessage } from "./measure.ts";
import type { PressureTask } from "./pressure-client.ts";
import type { LoopTimes } from "./pressure-server.ts";

const CONNECTIONS = 200;
const SECONDS = 3;
const ROUNDS = 5;

const started = (file: string, ...args: readonly string[]) =>
  fork(fileURLToPath(new URL(file, import.meta.url)), args, { serialization: "advanced" });

async function opened(which: "ours" | "bare") {
  const server = started("pressure-server.ts", which);
  return { server, loads: await nextMessage<readonly Load[]>(server) };
}

interface Measured {
  /** The longest of a thousand turns of the event loop, in milliseconds. */
  readonly p999: number;
  readonly millisecondsPerRequest: number;
}

const NEVER: Measured = { p999: Infinity, millisecondsPerRequest: Infinity };

/** How long a server's event loop keeps others waiting while every connection always has a request. */
export const bench: Bench = {
  async run() {
    const client = started("pressure-client.ts");
    const [ours, bare] = await Promise.all([opened("ours"), opened("bare")]);
    const least = async ({ server }: typeof ours, loads: readonly Load[], before: Measured) => {
      server.send("watch");
      await nextMessage(server);
      const task: PressureTask = { loads, connections: CONNECTIONS, seconds: SECONDS };
      client.send(task);
      const count = await nextMessage<number>(client);
      server.send("tell");
      const { p999 } = await nextMessage<LoopTimes>(server);
      return {
        p999: Math.min(before.p999, p999),
        millisecondsPerRequest: Math.min(before.millisecondsPerRequest, (SECONDS * 1000) / count),
      };
    };
    const reads = ours.loads.slice(0, -1);
    let [reading, all, control] = [NEVER, NEVER, NEVER];
    // In turns, so that all have the same share of the machine's quiet moments.
    for (let round = 0; round < ROUNDS; round += 1) {
      reading = await least(ours, reads, reading);
      all = await least(ours, ours.loads, all);
      control = await least(bare, bare.loads, control);
    }
    for (const child of [client, ours.server, bare.server]) child.kill();
    const ofLimit = { baseline: "the limit", baselineMilliseconds: 60, atLeast: 1 };
    const ofControl = { baseline: "a bare server", baselineMilliseconds: control.p999 };
    const rows: Comparison[] = [
      {
        name: `the loop's p99.9, ${CONNECTIONS} busy connections that read`,
        milliseconds: reading.p999,
        ...ofLimit,
      },
      { name: "the same", milliseconds: reading.p999, ...ofControl },
      { name: "the same, a quarter of them with queries", milliseconds: all.p999, ...ofLimit },
      { name: "the same", milliseconds: all.p999, ...ofControl },
      {
        name: "time of a request that reads",
        milliseconds: reading.millisecondsPerRequest,
        baseline: "a bare server",
        baselineMilliseconds: control.millisecondsPerRequest,
      },
    ];
    return rows;
  },
};
