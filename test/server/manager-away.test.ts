import { afterEach, describe, expect, test } from "vitest";
import { startServiceServer } from "../../src/server/service-server.ts";
import { startTargetManager, type TargetManager } from "../../src/server/target-manager.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { keys, listen, named, options, servers, service, startForEach, waits } from "./three.ts";

startForEach();

describe("the clock", () => {
  const dateOf = async (url: string) => (await fetch(`${url}/summary`)).headers.get("date");

  test("stays as it was set while the manager is away, and is the servers' own after its restart", async () => {
    const now = "2027-01-01T00:00:00.000Z";
    const put = { method: "PUT", body: JSON.stringify({ now, frozen: true }) };
    await fetch(`${servers.manager.url}/clock`, put);
    expect(await dateOf(servers.target.url)).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
    const { port } = servers.manager;
    await servers.manager.kill();
    expect(await dateOf(servers.target.url)).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
    const again = await startTargetManager({
      listen: { ...listen, port },
      options: options("http://unused"),
    });
    try {
      expect(await dateOf(servers.target.url)).not.toMatch(/2027 00:00:00/);
    } finally {
      await again.close(0);
    }
  });
});

describe("while the target manager is away", () => {
  const summary = () => sendSigned(service(), keys, { method: "GET", path: "/summary" });
  let restarted: TargetManager | undefined;
  afterEach(async () => {
    await restarted?.kill();
    restarted = undefined;
  });
  const restart = async () => {
    const { port } = servers.manager;
    restarted = await startTargetManager({
      listen: { ...listen, port },
      options: options("http://localhost"),
    });
  };

  test("what needs it is 502 with a line of text, and all is well when it is back", async () => {
    await manage(service(), "POST", "/cloud_databases", named);
    expect((await summary()).status).toBe(200);
    await servers.manager.kill();
    const answer = await summary();
    expect(answer.status).toBe(502);
    expect(answer.headers["content-type"]).toBe("text/plain");
    expect(answer.text).toMatch(/^the target manager at http:\/\/127\.0\.0\.1:\d+ cannot be reached: \w+$/);
    expect(waits.length).toBe(2);
    await restart();
    expect((await summary()).fields.result_code).toBe("Fail");
    await manage(service(), "POST", "/cloud_databases", named);
    expect((await summary()).status).toBe(200);
  });

  test("what needs no state is answered", async () => {
    await servers.manager.kill();
    const { url } = servers.target;
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/summary`)).status).toBe(401);
    expect((await fetch(`${servers.query.url}/v1/query`, { method: "POST" })).status).toBe(401);
    const datasets = await fetch(`${url}/modeltargets/datasets`, { method: "POST" });
    expect(datasets.status).toBe(401);
    const withKey = await fetch(`${servers.query.url}/v1/query`, {
      method: "POST",
      headers: { Authorization: "VWS some:signature" },
    });
    expect(withKey.status).toBe(502);
  });

  test("a server that starts before its manager works as soon as that is there", async () => {
    const early = await startServiceServer("targetApi", {
      listen,
      managerUrl: new URL(servers.manager.url),
      options,
    });
    try {
      await servers.manager.kill();
      const ask = () => fetch(`${early.url}/summary`, { headers: { Authorization: "VWS a:b" } });
      expect((await ask()).status).toBe(502);
      await restart();
      expect((await ask()).status).toBe(400);
    } finally {
      await early.close(0);
    }
  });

  test("an address that is no target manager says so", async () => {
    const lost = await startServiceServer("query", {
      listen,
      managerUrl: new URL(`${servers.target.url}`),
      options,
    });
    try {
      const response = await fetch(`${lost.url}/v1/query`, {
        method: "POST",
        headers: { Authorization: "VWS a:b" },
      });
      expect(response.status).toBe(502);
      expect(await response.text()).toBe("the target manager answered GET /internal/databases with 404");
    } finally {
      await lost.close(0);
    }
  });
});
