import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { bundledCommand } from "../support/bundle.ts";
import { makePng } from "../support/png.ts";
import { startRedis } from "../support/redis-server.ts";
import type { KeptIn } from "./killed-soak.ts";

const DATABASES = 40;
const TARGETS = 3;

export interface KilledSeeding {
  /** Databases and targets that the next server had instead of the whole seed, one text for each kill. */
  readonly wrong: readonly string[];
  /** How many kills left the whole seed, and how many nothing. */
  readonly whole: number;
  readonly nothing: number;
  /** From the start of a server to its end of seeding. */
  readonly milliseconds: number;
}

/** Kills a target manager at random moments while it adds a seed file to an empty state, and looks at what the next one has. */
export async function killSeeding(kills: number, keptIn: KeptIn): Promise<KilledSeeding> {
  const redis = keptIn === "redis" ? await startRedis() : undefined;
  const folder = await mkdtemp(join(tmpdir(), "killed-seeding-"));
  const command = await bundledCommand();
  try {
    const seed = await seedIn(folder);
    const start = (state: string) => {
      const settings =
        redis === undefined
          ? { STATE_FILE: join(folder, `${state}.json`) }
          : { STATE_URL: redis.url, STATE_PREFIX: state };
      const args = [command.path, "target-manager", "--port", "0", "--seed", seed];
      const child = spawn(process.execPath, args, { env: { ...process.env, ...settings } });
      const complained = text(child.stderr);
      const ended = once(child, "exit");
      const kill = async () => {
        child.kill("SIGKILL");
        await ended;
        return complained;
      };
      return { url: once(child.stdout, "data").then(([said]) => String(said).trim().split(" ")[1]), kill };
    };
    const begin = performance.now();
    const first = start("first");
    await first.url;
    const milliseconds = performance.now() - begin;
    await first.kill();
    const wrong: string[] = [];
    let [whole, nothing] = [0, 0];
    for (let kill = 1; kill <= kills; kill += 1) {
      const killed = start(`state-${kill}`);
      // Random moments are the point, up to the end of seeding and a little later.
      await delay(Math.random() * 1.5 * milliseconds);
      await killed.kill();
      const next = start(`state-${kill}`);
      const found = await targetsAt(await next.url);
      if ((await next.kill()).includes("was not read")) whole += 1;
      else nothing += 1;
      if (found.length !== DATABASES || found.some((targets) => targets !== TARGETS))
        wrong.push(`kill ${kill}: ${found.length} databases with ${found.join()} targets`);
    }
    return { wrong, whole, nothing, milliseconds };
  } finally {
    await redis?.close();
    await command.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function seedIn(folder: string): Promise<string> {
  const pictures = Array.from({ length: DATABASES * TARGETS }, (_, index) =>
    makePng({ width: 120, height: 90, fill: (at) => ((at * 7) ^ (at >> 4)) + index }),
  );
  for (const [index, picture] of pictures.entries()) await writeFile(join(folder, `${index}.png`), picture);
  const cloud_databases = Array.from({ length: DATABASES }, (_, database) => ({
    database_name: `shop ${database}`,
    targets: Array.from({ length: TARGETS }, (_, target) => ({
      ...{ name: `target ${target}`, width: 1, image: `${database * TARGETS + target}.png` },
    })),
  }));
  const path = join(folder, "seed.json");
  await writeFile(path, JSON.stringify({ cloud_databases }));
  return path;
}

/** The number of targets of each database. */
async function targetsAt(url = ""): Promise<readonly number[]> {
  const listed: readonly { readonly targets: readonly unknown[] }[] = JSON.parse(
    await (await fetch(`${url}/cloud_databases`)).text(),
  );
  return listed.map(({ targets }) => targets.length);
}
