import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { median } from "../bench/measure.ts";
import { bundledCommand } from "../support/bundle.ts";
import { nodeClient } from "../support/clients.ts";
import { startRedis } from "../support/redis-server.ts";
import { scene } from "../support/scenes.ts";
import { ServerProcess } from "../support/server-process.ts";
import { signedRequest } from "../support/signed-request.ts";

/** Where `serve` keeps its state. */
export const PLACES = ["memory", "file", "redis"] as const;
type Place = (typeof PLACES)[number];

/** Additions, and as many deletions, in a second. */
const PER_SECOND = 20;
/** Targets that are there at the same time. */
const PRESENT = 20;
const SAMPLES_PER_SECOND = 2;
const KEYS = { accessKey: "access", secretKey: "secret" };
const DATABASE = { server_access_key: KEYS.accessKey, server_secret_key: KEYS.secretKey };

/** The memory of the server over the time: of each third, the median in MB. */
interface Grown {
  readonly thirds: readonly number[];
  readonly added: number;
  readonly failed: number;
  /** How many times as much the last third takes as the first. */
  readonly growth: number;
}

/** Adds and deletes targets, each with a picture of its own. */
export async function addAndDelete(place: Place, seconds: number): Promise<Grown> {
  const redis = place === "redis" ? await startRedis() : undefined;
  const folder = await mkdtemp(join(tmpdir(), "deleted-"));
  const command = await bundledCommand();
  const settings: Record<string, string> = { PROCESSING_TIME_SECONDS: "0" };
  if (redis !== undefined) settings.STATE_URL = redis.url;
  if (place === "file") settings.STATE_FILE = join(folder, "state.json");
  const server = await ServerProcess.of(command.path, "serve", settings);
  try {
    const [target = "", , manager = ""] = server.urls;
    const body = Buffer.from(JSON.stringify(DATABASE));
    await nodeClient({ method: "POST", url: `${manager}/cloud_databases`, headers: {}, body });
    const send = (method: string, path: string, content?: object) =>
      nodeClient(signedRequest({ method, baseUrl: target, path, ...KEYS, now: new Date(), body: content }));
    // Each picture is another file with the same pixels, because drawing takes long.
    const picture = await sharp(await scene(1))
      .jpeg()
      .toBuffer();
    const present: string[] = [];
    let [added, failed] = [0, 0];
    const add = async () => {
      added += 1;
      const image = Buffer.concat([picture, Buffer.from(String(added))]);
      const { status, body } = await send("POST", "/targets", {
        name: `target ${added}`,
        width: 1,
        image: image.toString("base64"),
      });
      if (status === 201) present.push(String(JSON.parse(body.toString()).target_id));
      else failed += 1;
      if (present.length <= PRESENT) return;
      if ((await send("DELETE", `/targets/${present.shift()}`)).status !== 200) failed += 1;
    };
    const samples: number[] = [];
    const waiting = new Set<Promise<void>>();
    const begin = performance.now();
    const all = seconds * PER_SECOND;
    for (let tick = 0; tick < all; tick += 1) {
      await delay(Math.max(0, begin + (tick * 1000) / PER_SECOND - performance.now()));
      const one = add().catch(() => {
        failed += 1;
      });
      waiting.add(one);
      void one.then(() => waiting.delete(one));
      if (tick % (PER_SECOND / SAMPLES_PER_SECOND) === 0) samples.push(await megabytes(server.pid));
    }
    await Promise.all(waiting);
    const third = Math.floor(samples.length / 3);
    const thirds = [0, 1, 2].map((index) => median(samples.slice(index * third, (index + 1) * third)));
    const [first = 0, , last = 0] = thirds;
    return { thirds, added, failed, growth: last / first };
  } finally {
    await server.kill();
    await redis?.close();
    await command.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The memory of a process, as Linux reports it. */
async function megabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  return Math.round(Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
