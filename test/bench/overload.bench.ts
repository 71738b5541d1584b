import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { scene } from "../support/scenes.ts";
import { type Bench, nextMessage } from "./measure.ts";
import type { OverloadTask, OverloadTimes } from "./overload-client.ts";

const CONNECTIONS = 1000;
const ADDERS = 20;
const SECONDS = Number(process.env.OVERLOAD_SECONDS ?? 60);
const PICTURE_BYTES = 65_000;

const started = (file: URL) => fork(fileURLToPath(file), { serialization: "advanced" });

/** Rejects if the process ends before it has sent a message. */
const messageFrom = <Message>(child: ChildProcess): Promise<Message> =>
  Promise.race([
    nextMessage<Message>(child),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`a process ended with ${code}`))),
  ]);

/** How long additions take while as many clients read as a server answers at a time. */
export const bench: Bench = {
  async run() {
    const server = started(new URL("overload-server.ts", import.meta.url));
    const client = started(new URL("overload-client.ts", import.meta.url));
    try {
      const opened = await messageFrom<Pick<OverloadTask, "url" | "keys">>(server);
      const picture = await sharp(await scene(7, 500, 375))
        .resize(640, 480)
        .jpeg({ quality: 60 })
        .toBuffer();
      const task: OverloadTask = {
        ...opened,
        connections: CONNECTIONS,
        adders: ADDERS,
        seconds: SECONDS,
        picture: Buffer.concat([picture, Buffer.alloc(PICTURE_BYTES - picture.length)]),
      };
      client.send(task);
      const { additions, timeouts, refused, reads } = await messageFrom<OverloadTimes>(client);
      const sorted = additions.toSorted((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
      console.log(
        `${additions.length} additions: median ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms; ${timeouts} timed out; ${refused} refused; ${reads} reads`,
      );
      return [
        {
          name: `p99 of ${ADDERS} additions at a time, beside ${CONNECTIONS} connections that read`,
          milliseconds: at(0.99),
          baseline: "the limit",
          baselineMilliseconds: 5000,
          atLeast: 1,
        },
      ];
    } finally {
      for (const child of [server, client]) child.kill();
    }
  },
};
