import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bundledCommand } from "../support/bundle.ts";
import { startRedis, whyNoRedis } from "../support/redis-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test.skipIf(whyNoRedis !== undefined)(
  "the guide's six servers share their state, and end together",
  async () => {
    const redis = await startRedis();
    const command = await bundledCommand();
    const anyPorts = Array.from({ length: 6 }, () => "0");
    const child = spawn(`${root}examples/redis/servers.sh`, anyPorts, {
      env: {
        ...process.env,
        LOG_LEVEL: "silent",
        PROCESSING_TIME_SECONDS: "0",
        STATE_URL: redis.url,
        MOCK_CLOUD_RECO: `${process.execPath} ${command.path}`,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await redis.close();
      await command.remove();
    });
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += String(chunk);
      if (printed.split("\n").length > 6) break;
    }
    const urls = (role: string) =>
      [...printed.matchAll(new RegExp(`^${role} (http.*)$`, "gm"))].map(([, url]) => url ?? "");
    const [first, second] = urls("target-manager");
    const [, target] = urls("target-api");
    const [query, other] = urls("query");
    const picture = `${root}examples/demo/images/poster.jpg`;
    const find = `${root}examples/containers/find-a-picture.sh`;
    const { stdout } = await promisify(execFile)(find, [picture, first ?? "", target ?? "", query ?? ""]);
    expect(stdout).toContain('found: {"result_code":"Success"');
    const listed = await (await fetch(`${second}/cloud_databases`)).text();
    expect(JSON.parse(listed)).toMatchObject([{ targets: [{ name: "picture" }] }]);
    expect((await fetch(`${other}/v1/query`, { method: "POST" })).status).toBe(401);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    await expect(fetch(`${second}/livez`)).rejects.toThrow();
  },
);
