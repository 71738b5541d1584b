import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { manage, sendSigned } from "../support/answers.ts";
import type { ServiceUnderTest } from "../support/backends.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

const main = inject("command");
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

interface Command {
  readonly child: ChildProcess;
  /** The next line on standard output. */
  line(): Promise<string>;
  /** Exit code after a signal. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

function command(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Command {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, LOG_LEVEL: "silent", MOCK_CLOUD_RECO_LOG_LEVEL: "silent", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let text = "";
  return {
    child,
    line: () =>
      new Promise((resolve, reject) => {
        child.stdout?.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          const [line, rest] = text.split("\n", 2);
          if (rest !== undefined && line !== undefined) resolve(line);
        });
        child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
      }),
    stop: (signal) =>
      new Promise((resolve) => {
        child.once("exit", (code) => resolve(code));
        child.kill(signal);
      }),
  };
}

const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };
const body = { name: "poster", width: 1, image: makePng().toString("base64") };

/** Adds a target, lists it and deletes it. */
async function workOnce(service: ServiceUnderTest): Promise<void> {
  expect((await manage(service, "POST", "/cloud_databases", named)).status).toBe(201);
  const added = await sendSigned(service, keys, { method: "POST", path: "/targets", body });
  expect(added.fields).toMatchObject({ result_code: "TargetCreated" });
  const path = `/targets/${String(added.fields.target_id)}`;
  const record = await sendSigned(service, keys, { method: "GET", path });
  expect(record.fields).toMatchObject({ status: "success", target_record: { name: "poster" } });
  expect((await sendSigned(service, keys, { method: "DELETE", path })).status).toBe(200);
  const listed = await sendSigned(service, keys, { method: "GET", path: "/targets" });
  expect(listed.fields.results).toEqual([]);
}

describe("processes", () => {
  test("serve works and stops on SIGINT", async () => {
    const serving = command(["serve", "--json", "--processing-time-seconds", "0"]);
    const { urls }: { urls: Record<"target" | "query" | "manager", string> } = JSON.parse(
      await serving.line(),
    );
    await workOnce(reached(urls.target, urls.query, urls.manager));
    expect(await serving.stop("SIGINT")).toBe(0);
  });

  test.each([
    [["serve", "--json"], "SIGTERM"],
    [["target-manager", "--port", "0"], "SIGINT"],
  ] as const)("%j has %s stop it as soon as it says that it runs", async (args, signal) => {
    const serving = command(args);
    await serving.line();
    expect(await serving.stop(signal)).toBe(0);
  });

  test("a response that is delayed for an hour does not keep a server that was told to stop", async () => {
    const serving = command(["serve", "--json", "--response-delay-seconds", "3600"]);
    const { urls }: { urls: Record<"target" | "manager", string> } = JSON.parse(await serving.line());
    const client = new AbortController();
    const answer = fetch(`${urls.target}/summary`, { signal: client.signal }).catch(() => "none");
    const recorded = async () =>
      (await (await fetch(`${urls.manager}/requests`)).text()).includes("/summary");
    await vi.waitUntil(recorded, 30_000);
    client.abort();
    expect([await serving.stop("SIGTERM"), await answer]).toEqual([0, "none"]);
  });

  test.each(["closed", "never read"])(
    "standard error that is %s neither ends nor keeps a server",
    async (how) => {
      const child = spawn(process.execPath, [main, "target-manager", "--port", "0"], {
        env: { ...process.env, LOG_LEVEL: "info" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      started.push(child);
      if (how === "closed") child.stderr.destroy();
      else child.stderr.pause();
      const line = await new Promise<string>((resolve) =>
        child.stdout.once("data", (data) => resolve(String(data))),
      );
      const url = line.trim().split(" ")[1] ?? "";
      const path = `/${"x".repeat(4000)}`;
      for (let count = 0; count < 100; count += 1) expect((await fetch(url + path)).status).toBe(404);
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      expect(await exited).toBe(0);
    },
  );

  test("three processes work together, survive a crash of the manager, and stop on SIGTERM", async () => {
    const url = (line: string) => line.split(" ")[1] ?? "";
    const manager = command(["target-manager", "--port", "0"]);
    const managerUrl = url(await manager.line());
    const environment = { TARGET_MANAGER_BASE_URL: managerUrl, PORT: "0", PROCESSING_TIME_SECONDS: "0" };
    const target = command(["target-api"], environment);
    const query = command(["query"], environment);
    const service = reached(url(await target.line()), url(await query.line()), managerUrl);
    await workOnce(service);

    expect((await manage(service, "POST", "/clock/advance", { seconds: 86_400 })).status).toBe(200);
    const inTime = () => sendSigned(service, keys, { method: "GET", path: "/targets" });
    expect((await inTime()).fields.result_code).toBe("RequestTimeTooSkewed");
    service.clock.advance(86_400);
    expect((await inTime()).fields.result_code).toBe("Success");
    service.clock.advance(-86_400);

    await manager.stop("SIGKILL");
    const away = await sendSigned(service, keys, { method: "GET", path: "/summary" });
    expect([away.status, away.text.split("\n").length]).toEqual([502, 1]);

    const again = command(["target-manager", "--port", new URL(managerUrl).port]);
    await again.line();
    await workOnce(service);
    for (const each of [target, query, again]) expect(await each.stop("SIGTERM")).toBe(0);
  });
});
