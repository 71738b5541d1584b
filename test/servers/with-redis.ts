import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type Environment, type RunningCommand, start } from "../cli/command.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";
import { type RunningRedis, startRedis } from "../support/redis-server.ts";

export const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
export const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };
export const body = { name: "poster", width: 1, image: makePng().toString("base64") };
export const add = { method: "POST", path: "/targets", body } as const;

export let redis: RunningRedis;
/** Servers that are stopped after the test. */
const open: RunningCommand[] = [];

/** Stops the servers that a test started. */
export async function stopAll(): Promise<void> {
  for (const server of open.splice(0).reverse()) await server.stop();
}

/** Starts one Redis for all tests of the block. */
export function startForAll(): void {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(stopAll);
  afterAll(() => redis?.close());
}

/** Settings of an emulator of its own. */
export const address = (url = redis.url) => ({
  STATE_URL: url,
  STATE_PREFIX: randomBytes(4).toString("hex"),
});

const QUIET = { LOG_LEVEL: "silent", PORT: "0", PROCESSING_TIME_SECONDS: "0" };

/** A server's command in this process, which fails if it does not start. */
export const starting = (command: string, environment: Environment): RunningCommand =>
  start([command], { ...QUIET, ...environment });

/** Starts a server until the end of the test, and returns its URL. */
export async function started(command: string, environment: Environment): Promise<string> {
  const server = starting(command, environment);
  open.push(server);
  const [, url] = (await server.printed()).trim().split(" ");
  if (url === undefined) throw new Error((await server.finished).complained);
  return url;
}

/** Starts two managers, a target API for each, and a query server; `at` has two ways to reach them. */
export async function opened(state: Environment = address(), settings: Environment = {}) {
  const ways: [target: string, manager: string][] = [];
  for (let count = 0; count < 2; count += 1) {
    const manager = await started("target-manager", { ...state, ...settings });
    ways.push([await started("target-api", { TARGET_MANAGER_BASE_URL: manager, ...settings }), manager]);
  }
  const query = await started("query", { TARGET_MANAGER_BASE_URL: ways[0]?.[1], ...settings });
  return { at: ways.map(([target, manager]) => reached(target, query, manager)) };
}
