import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseKeys } from "../support/backends.ts";
import { bundledCommand } from "../support/bundle.ts";
import { nodeClient } from "../support/clients.ts";
import { startRedis } from "../support/redis-server.ts";
import { type Role, ServerProcess } from "../support/server-process.ts";
import { bytes, type Shop, Worker } from "./killed-worker.ts";

/** How long it takes: seconds with a kill every three of them, or at least so many operations, with four kills. */
export type Length = { readonly seconds: number } | { readonly operations: number };

/** What happened, and everything that must not have. */
export interface Soaked {
  readonly wrong: readonly string[];
  readonly kills: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly targets: number;
}

/** Where the state is kept: by replicas of `serve` in Redis with an append-only file, or in a file of the one manager. */
export type KeptIn = "redis" | "file";

const APIS: readonly Role[] = ["target-api", "target-api", "target-api", "query", "query"];
const ROLES: Readonly<Record<KeptIn, readonly Role[]>> = {
  redis: ["serve", "serve", "serve"],
  file: ["target-manager", ...APIS],
};
/** Where each URL stands among those of `serve`. */
const PLACES = { "target-api": 0, query: 1, "target-manager": 2 } as const;
/** The file has what was acknowledged so long ago. */
const WRITTEN_MILLISECONDS = 2000;
const CLIENTS = 16;
const REQUEST_LIMIT = 40;
const TARGET_QUOTA = 25;

/**
 * Replicas of `serve`, or a manager with three target API and two query servers, as processes, and 16 clients. Servers are killed and started again, and Redis
 * once, while the clients work; the manager of a file when the file has what the clients were told. Afterwards the managers must
 * show exactly the targets that the clients know of.
 */
export async function soak(length: Length, keptIn: KeptIn): Promise<Soaked> {
  const redis = keptIn === "redis" ? await startRedis() : undefined;
  const folder = await mkdtemp(join(tmpdir(), "killed-"));
  const command = await bundledCommand();
  const servers: ServerProcess[] = [];
  try {
    const environment = {
      PROCESSING_TIME_SECONDS: "0",
      TARGET_RATER: "perfect",
      QUERY_IMAGE_MATCHER: "exact",
      QUERY_CONTENT_ENCODING: "identity",
    };
    const state = { STATE_URL: redis?.url ?? "", STATE_PREFIX: "soak" };
    const file = { STATE_FILE: join(folder, "state.json") };
    const [first = "target-manager", ...others] = ROLES[keptIn];
    const ofManager = { ...environment, ...(redis === undefined ? file : state) };
    servers.push(await ServerProcess.of(command.path, first, ofManager));
    const ofOthers = {
      ...environment,
      ...(redis === undefined ? { TARGET_MANAGER_BASE_URL: servers[0]?.url ?? "" } : state),
    };
    const started = others.map((role) => ServerProcess.of(command.path, role, ofOthers));
    servers.push(...(await Promise.all(started)));
    const urlsOf = (role: keyof typeof PLACES): readonly string[] =>
      servers.flatMap((server) => {
        if (server.role === "serve") return server.urls[PLACES[role]] ?? [];
        return server.role === role ? server.url : [];
      });
    const [manager = ""] = urlsOf("target-manager");
    const choose = (role: keyof typeof PLACES): string => {
      const fitting = urlsOf(role);
      return fitting[Math.floor(Math.random() * fitting.length)] ?? "";
    };
    const shop: Shop = {
      database: await addDatabase(manager, { target_quota: 1_000_000 }),
      limited: await addDatabase(manager, {
        request_rate_limits: { other: { max_requests: REQUEST_LIMIT, window_seconds: 3600 } },
      }),
      small: await addDatabase(manager, { target_quota: TARGET_QUOTA }),
      choose,
    };
    const workers = Array.from({ length: CLIENTS }, (_, index) => new Worker(index + 1, shop));
    let done = 0;
    let stopped = false;
    let isDisturbing = true;
    let resting: Promise<unknown> = Promise.resolve();
    let working = 0;
    const begin = performance.now();
    const progress = (): number =>
      "seconds" in length ? (performance.now() - begin) / (1000 * length.seconds) : done / length.operations;
    const work = async (worker: Worker, index: number) => {
      for (let round = index; (progress() < 1 || isDisturbing) && !stopped; round += 1) {
        await resting;
        working += 1;
        await worker.work(round);
        working -= 1;
        done += 1;
      }
    };
    const kills = "seconds" in length ? Math.floor(length.seconds / 3) : 4;
    const disturb = async () => {
      for (let kill = 1; kill <= kills; kill += 1) {
        while (progress() < kill / (kills + 1)) await delay(5);
        // In turn, so that each kind is killed.
        const server = servers[(kill * 2) % servers.length];
        if (redis === undefined && server?.role === "target-manager") {
          resting = (async () => {
            while (working > 0) await delay(5);
            await delay(WRITTEN_MILLISECONDS);
          })();
          await resting;
        }
        await server?.kill();
        if (redis !== undefined && kill === Math.ceil(kills / 2)) {
          await redis.kill();
          await delay(300);
          await redis.restart();
        }
        await server?.start();
      }
      isDisturbing = false;
    };
    const all = Promise.all(workers.map(work));
    try {
      await Promise.all([disturb(), all]);
    } finally {
      stopped = true;
      await all.catch(() => {});
    }
    const wrong = [...workers.flatMap((worker) => worker.wrong), ...limitsPassed(workers)];
    const shown = await Promise.all(urlsOf("target-manager").map((url) => targetsAt(url, shop)));
    const [shownFirst] = shown;
    for (const other of shown)
      if (JSON.stringify(other) !== JSON.stringify(shownFirst))
        wrong.push("the managers show different targets");
    wrong.push(...differences(workers, shownFirst?.shop ?? []));
    const inSmall = shownFirst?.small.length ?? 0;
    if (inSmall > TARGET_QUOTA) wrong.push(`${inSmall} targets are in a database for ${TARGET_QUOTA}`);
    const statuses: Record<string, number> = {};
    for (const { statuses: own } of workers)
      for (const [status, count] of own) statuses[status] = (statuses[status] ?? 0) + count;
    return { wrong, kills, statuses, targets: shownFirst?.shop.length ?? 0 };
  } finally {
    for (const server of servers) await server.kill();
    await redis?.close();
    await command.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each limit let through as many requests as it allows, but for those of which nobody knows. */
function limitsPassed(workers: readonly Worker[]): readonly string[] {
  return (["limited", "small"] as const).flatMap((kind) => {
    const most = kind === "limited" ? REQUEST_LIMIT : TARGET_QUOTA;
    const sum = (counts: "accepted" | "unanswered") =>
      workers.reduce((total, worker) => total + worker[counts][kind], 0);
    const [accepted, unanswered] = [sum("accepted"), sum("unanswered")];
    return accepted > most || accepted + unanswered < most
      ? [`a limit of ${most} let ${accepted} through, and ${unanswered} requests got no answer`]
      : [];
  });
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly image: string;
}

/** What the targets must be, by what each client was told, against what they are. */
function differences(workers: readonly Worker[], shown: readonly Shown[]): readonly string[] {
  const wrong: string[] = [];
  const names = shown.map(({ name }) => name);
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    wrong.push(`the name ${name} is there twice`);
  const byId = new Map(shown.map((target) => [target.id, target]));
  const won = workers.flatMap((worker) => worker.won);
  for (const name of new Set(won.filter((name, index) => won.indexOf(name) !== index)))
    wrong.push(`two additions of ${name} were acknowledged`);
  for (const name of won) if (!names.includes(name)) wrong.push(`the addition of ${name} was lost`);
  const maybe = new Set(workers.flatMap(({ unsure }) => [...unsure.keys()]));
  const explained = new Set([...won, ...maybe]);
  for (const worker of workers) {
    for (const id of worker.deleted) if (byId.has(id)) wrong.push(`the deletion of ${id} was lost`);
    for (const [id, known] of worker.targets) {
      const target = byId.get(id);
      for (const name of known.names) explained.add(name);
      if (target === undefined) {
        if (!known.mayBeDeleted) wrong.push(`the target ${id} was lost`);
        continue;
      }
      if (!known.names.has(target.name)) wrong.push(`the target ${id} has the name ${target.name}`);
      const images = [...known.images].map((image) => hash(bytes(image)));
      if (!images.includes(target.image)) wrong.push(`the target ${id} has another image`);
    }
  }
  for (const { id, name } of shown) if (!explained.has(name)) wrong.push(`nobody added ${id}, ${name}`);
  return wrong;
}

const hash = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

async function addDatabase(manager: string, fields: object): Promise<DatabaseKeys> {
  const body = Buffer.from(JSON.stringify(fields));
  const response = await nodeClient({ method: "POST", url: `${manager}/cloud_databases`, headers: {}, body });
  const added: Readonly<Record<string, string>> = JSON.parse(response.body.toString());
  const text = (name: string) => added[name] ?? "";
  return {
    databaseId: text("database_id"),
    databaseName: text("database_name"),
    serverAccessKey: text("server_access_key"),
    serverSecretKey: text("server_secret_key"),
    clientAccessKey: text("client_access_key"),
    clientSecretKey: text("client_secret_key"),
  };
}

interface ListedDatabase {
  readonly database_name: string;
  readonly targets: readonly {
    readonly target_id: string;
    readonly name: string;
    readonly image_base64: string;
    readonly delete_date_optional: string | null;
  }[];
}

/** The targets that a manager lists, as soon as it has found Redis again. */
async function targetsAt(manager: string, { database, small }: Shop) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await nodeClient({ method: "GET", url: `${manager}/cloud_databases`, headers: {} });
    if (response.status !== 200 && attempt < 100) {
      await delay(50);
      continue;
    }
    const listed: readonly ListedDatabase[] = JSON.parse(response.body.toString());
    const of = ({ databaseName }: DatabaseKeys): readonly Shown[] =>
      (listed.find(({ database_name }) => database_name === databaseName)?.targets ?? [])
        .filter(({ delete_date_optional }) => delete_date_optional === null)
        .map(({ target_id: id, name, image_base64 }) => ({
          id,
          name,
          image: hash(Buffer.from(image_base64, "base64")),
        }));
    return { shop: of(database), small: of(small) };
  }
}
