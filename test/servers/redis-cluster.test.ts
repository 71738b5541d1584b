import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { start } from "../cli/command.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { freePort } from "../support/free-ports.ts";
import { reached } from "../support/reached.ts";
import { startCluster } from "../support/redis-cluster.ts";
import { command } from "../support/redis-server.ts";
import { add, address, keys, named, started, starting, stopAll } from "./with-redis.ts";

afterEach(stopAll);

describe.skipIf(command === undefined)("a cluster of Redis", () => {
  test("is reached by any of its nodes, before it is ready, and followed when it moves the keys, loses a node or fails over", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.close());
    const prefix = address("").STATE_PREFIX;
    const managers = await Promise.all(
      cluster.urls.map((url) => started("target-manager", { STATE_URL: url, STATE_PREFIX: prefix })),
    );
    const all = await Promise.all(
      managers.map(async (manager) => {
        const apiServers = { TARGET_MANAGER_BASE_URL: manager };
        return reached(await started("target-api", apiServers), await started("query", apiServers), manager);
      }),
    );
    const [first] = all;
    if (first === undefined) throw new Error("no servers");
    const listed = async () => {
      const lists = await Promise.all(
        all.map((each) => sendSigned(each, keys, { method: "GET", path: "/targets" })),
      );
      return lists.map((list) => (list.status === 200 ? list.fields.results : [list.status, list.text]));
    };
    // They start although the cluster is not ready.
    const create = () => manage(first, "POST", "/cloud_databases", named);
    await expect.poll(async () => (await create()).status, { timeout: 10_000 }).toBe(201);
    await expect.poll(listed, { timeout: 10_000 }).toEqual(all.map(() => []));
    const added = await sendSigned(first, keys, add);
    expect(added.status).toBe(201);
    const whole = all.map(() => [added.fields.target_id]);
    expect(await listed()).toEqual(whole);

    const key = `{${prefix}}:`;
    const owner = await cluster.move(key, await cluster.ownerOf(key), async () => {
      const refused =
        /^the state at redis:\S+ cannot be used: the cluster is moving its keys to another node; repeat the request afterwards$/;
      expect(await listed()).toEqual(all.map(() => [502, expect.stringMatching(refused)]));
    });
    expect(await listed()).toEqual(whole);

    await cluster.kill(owner);
    expect(await listed()).toEqual(all.map(() => [502, expect.stringContaining("cannot be used: ")]));
    cluster.restart(owner);
    await expect.poll(listed, { timeout: 10_000 }).toEqual(whole);

    await cluster.failOver(owner);
    await expect.poll(listed, { timeout: 10_000 }).toEqual(whole);
    expect(
      (
        await sendSigned(first, keys, {
          ...add,
          body: undefined,
          method: "DELETE",
          path: `/targets/${added.fields.target_id}`,
        })
      ).status,
    ).toBe(200);
  });

  test("and a Sentinel's address is refused, which keeps no state", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mock-cloud-reco-sentinel-"));
    const port = await freePort();
    await writeFile(join(folder, "sentinel.conf"), `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`);
    const sentinel = spawn(command ?? "", [join(folder, "sentinel.conf"), "--sentinel"]);
    onTestFinished(async () => {
      sentinel.kill("SIGKILL");
      await once(sentinel, "exit");
      await rm(folder, { recursive: true });
    });
    for await (const line of sentinel.stdout) if (String(line).includes("Sentinel ID")) break;
    const url = `redis://127.0.0.1:${port}`;
    expect(await starting("target-manager", address(url)).finished).toMatchObject({
      complained: expect.stringContaining(
        `${url} is a Sentinel, which keeps no state; give the URL of the Redis or Valkey that it watches`,
      ),
    });
  });
});

test("the URL of a Redis is no state file", async () => {
  const url = "redis://user:hidden@state:6379";
  const use = "expected the path of a file; for Redis or Valkey, use";
  expect(await start(["serve", "--state", url], {}).finished).toMatchObject({
    code: 2,
    complained: `mock-cloud-reco: --state: ${use} --state-url\n`,
  });
  expect(await start(["target-manager"], { STATE_FILE: url }).finished).toMatchObject({
    code: 2,
    complained: `mock-cloud-reco: STATE_FILE: ${use} STATE_URL\n`,
  });
});
