import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { freePorts } from "../support/free-ports.ts";
import { startRedis, whyNoRedis } from "../support/redis-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test.skipIf(whyNoRedis !== undefined)(
  "the guide's replicas of serve share their state, and end together",
  async () => {
    const redis = await startRedis();
    const ports = (await freePorts(6)).map(String);
    const child = spawn(`${root}examples/redis/servers.sh`, ports, {
      env: {
        ...process.env,
        MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
        MOCK_CLOUD_RECO_PROCESSING_TIME_SECONDS: "0",
        MOCK_CLOUD_RECO_STATE_URL: redis.url,
        MOCK_CLOUD_RECO: `${process.execPath} ${inject("command")}`,
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await redis.close();
    });
    const [target, query, first, , other, second] = ports.map((port) => `http://127.0.0.1:${port}`);
    const isReady = async (url = "") => (await fetch(`${url}/readyz`)).status;
    for (const url of [first, second])
      await expect.poll(() => isReady(url).catch(() => 0), { timeout: 20_000 }).toBe(200);
    const picture = `${root}examples/demo/images/poster.jpg`;
    const find = `${root}examples/containers/find-a-picture.sh`;
    const { stdout } = await promisify(execFile)(find, [picture, target ?? "", query ?? "", first ?? ""]);
    expect(stdout).toContain('found: {"result_code":"Success"');
    const listed = await (await fetch(`${second}/cloud_databases`)).text();
    expect(JSON.parse(listed)).toContainEqual(
      expect.objectContaining({ targets: [expect.objectContaining({ name: "picture" })] }),
    );
    expect((await fetch(`${other}/v1/query`, { method: "POST" })).status).toBe(401);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    await expect(fetch(`${second}/livez`)).rejects.toThrow();
  },
);
