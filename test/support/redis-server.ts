import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "iovalkey";
import { freePort } from "./free-ports.ts";
import { sayWhatIsSkipped } from "./skipped.ts";

function commandOnPath(): string | undefined {
  return ["redis-server", "valkey-server"].find((command) => {
    try {
      execFileSync(command, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

/** The program of a Redis or Valkey on this machine. */
export const command = commandOnPath();
/** Why tests with a real Redis cannot run here; undefined when they can. */
export const whyNoRedis: string | undefined =
  command === undefined && process.env.REDIS_URL === undefined
    ? "neither redis-server nor valkey-server is on the path, and REDIS_URL is not set"
    : undefined;

if (whyNoRedis !== undefined) sayWhatIsSkipped(`what needs Redis (${whyNoRedis})`);

export interface RunningRedis {
  readonly url: string;
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves once a server on this machine answers. */
export async function answering(port: number): Promise<void> {
  const client = new Redis({
    port,
    host: "127.0.0.1",
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  client.on("error", () => {});
  await client.ping().catch(() => {});
  client.disconnect();
}

/** A Redis of its own that keeps its state over restarts, or the one at `REDIS_URL`. */
export async function startRedis(...options: string[]): Promise<RunningRedis> {
  const given = process.env.REDIS_URL;
  if (command === undefined) {
    if (given === undefined) throw new Error(whyNoRedis);
    const none = async () => {};
    return { url: given, kill: none, restart: none, close: none };
  }
  const directory = mkdtempSync(join(tmpdir(), "mock-cloud-reco-redis-"));
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const own = [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--dir",
      directory,
      "--save",
      "",
      "--appendonly",
    ];
    const child = spawn(command, [...own, "yes", "--appendfsync", "always", ...options], { stdio: "ignore" });
    await answering(port);
    return child;
  };
  let child = await start();
  const kill = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      child = await start();
    },
    close: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
