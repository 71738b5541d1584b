import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/index.ts";
import { type ResolvedOptions, resolveOptions } from "../../src/options.ts";
import { startServiceServer } from "../../src/server/service-server.ts";
import { startTargetManager, type TargetManager } from "../../src/server/target-manager.ts";
import { startThreeServers, type ThreeServers } from "../../src/server/three-servers.ts";
import { manage, sendSigned } from "../support/answers.ts";
import type { ServiceUnderTest } from "../support/backends.ts";
import { makePng } from "../support/png.ts";
import { RawConnection } from "./raw-connection.ts";

const listen = { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: 50, maxBytes: 100_000 } };
const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };

let servers: ThreeServers;
let waits: number[];

/** The servers as the helpers of the API tests want them. */
const service = (): Pick<ServiceUnderTest, "urls" | "clock"> => ({
  urls: {
    target: servers.target.url,
    modelTarget: servers.target.url,
    query: servers.query.url,
    manager: servers.manager.url,
  },
  clock: new ManualClock(),
});

const options = (targetUrl: string): ResolvedOptions =>
  resolveOptions({
    targetUrl,
    responseDelaySeconds: 0.5,
    delay: async (seconds) => {
      waits.push(seconds);
    },
  });

beforeEach(async () => {
  waits = [];
  servers = await startThreeServers({
    listen: { manager: listen, target: listen, query: listen },
    options,
  });
});
afterEach(() => servers.close(0));

const raw = async (port: number, bytes: string) => {
  const connection = await RawConnection.open(port);
  try {
    return (await connection.write(bytes).response()).replace(/^Date: .*\r\n/m, "");
  } finally {
    connection.close();
  }
};
const latest = async () => (await servers.requests()).at(-1);

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

describe("what is served", () => {
  test("unserved paths are 404 without authentication, each server in its own way", async () => {
    expect(await raw(servers.target.port, "GET / HTTP/1.1\r\n\r\n")).toBe(
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    );
    expect(await raw(servers.manager.port, "GET /targets HTTP/1.1\r\n\r\n")).toBe(
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    );
    expect(await raw(servers.query.port, "GET /v1/query HTTP/1.1\r\n\r\n")).toMatch(
      /^HTTP\/1.1 404 Not Found\r\nConnection: keep-alive\r\nServer: nginx\r\n/,
    );
    const { port } = servers.target;
    expect(await raw(port, "PATCH /targets HTTP/1.1\r\n\r\n")).toMatch(/Content-Encoding: gzip/);
  });

  test("no server serves what another one does, and none but the manager its internal routes", async () => {
    const status = async (url: string) => (await fetch(url)).status;
    expect(await status(`${servers.query.url}/targets`)).toBe(404);
    expect(await status(`${servers.target.url}/v1/query`)).toBe(404);
    expect(await status(`${servers.target.url}/cloud_databases`)).toBe(404);
    expect(await status(`${servers.target.url}/internal/journal`)).toBe(404);
    expect(await status(`${servers.manager.url}/internal/journal`)).toBe(200);
    expect(await status(`${servers.manager.url}/internal/nothing`)).toBe(404);
  });

  test("a response delay is waited once for every answer but the manager's", async () => {
    await fetch(`${servers.target.url}/nothing`);
    await fetch(`${servers.query.url}/v1/query`, { method: "POST" });
    await raw(servers.target.port, "POST /targets HTTP/1.1\r\nContent-Length: x\r\n\r\n");
    await fetch(`${servers.manager.url}/cloud_databases`);
    expect(waits).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("what is no whole request", () => {
  const page =
    "<html>\r\n<head><title>400 Bad Request</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n</body>\r\n</html>\r\n";

  test("target API: the load balancer's page, and an entry in the journal", async () => {
    expect(await raw(servers.target.port, "POST /targets?x HTTP/1.1\r\nContent-Length: 1.5\r\n\r\n")).toBe(
      `HTTP/1.1 400 Bad Request\r\nServer: awselb/2.0\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
    );
    expect(await latest()).toMatchObject({
      api: "target",
      method: "POST",
      path: "/targets",
      status: 400,
      refusedBy: "contentLengthFits",
      reason: expect.stringContaining("Content-Length"),
    });
  });

  test("query API: empty, with only what is named beside encoding and region", async () => {
    const got = await raw(servers.query.port, "POST /v1/query HTTP/1.1\r\nContent-Length: 1.5\r\n\r\n");
    const [head = ""] = got.split("\r\n\r\n");
    expect(head.split("\r\n").map((line) => line.replace(/^Content-Length: .*/, "Content-Length"))).toEqual([
      "HTTP/1.1 400 Bad Request",
      "Connection: Close",
      "Content-Encoding: gzip",
      "x-cloud-region: us-east-2, us-west-2",
      "Content-Length",
    ]);
  });

  test("target manager: a line of text", async () => {
    const got = await raw(
      servers.manager.port,
      "POST /cloud_databases HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    );
    expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: text\/plain\r\n/);
    expect(got).toMatch(/\r\n\r\nthe Content-Length header is no integer[^\r\n]*$/);
  });

  test.each(["target", "query"] as const)("%s: header lines beyond any bound", async (server) => {
    const { port } = servers[server];
    const got = await raw(port, `GET /targets HTTP/1.1\r\nLong: ${"v".repeat(300_000)}\r\n\r\n`);
    expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\nServer: nginx\r\n/);
  });

  test.each(["manager", "target", "query"] as const)("%s: a body that is too large", async (server) => {
    const head = "POST /targets HTTP/1.1\r\nContent-Length: 200000\r\n\r\n";
    const got = await raw(servers[server].port, head + "a".repeat(200_000));
    expect(got).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\nContent-Type: text\/plain\r\n/);
    expect(got).toMatch(/\r\n\r\nthe request body is larger than 64 MiB$/);
  });

  test("a body that ends early is answered as its Content-Length deserves", async () => {
    const query = "POST /v1/query HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc";
    expect(await raw(servers.query.port, query)).toMatch(
      /^HTTP\/1.1 504 Gateway Timeout\r\nConnection: keep-alive\r\n/,
    );
    await manage(asService(), "POST", "/cloud_databases", named);
    const target = await sendSigned(asService(), keys, {
      method: "POST",
      path: "/targets",
      body: { name: "a", width: 1, image: makePng().toString("base64") },
      headers: { "Content-Length": "90000" },
    });
    expect([target.status, target.text]).toEqual([408, "stream timeout"]);
    expect((await latest())?.refusedBy).toBe("contentLengthFits");
  });
});

/** The helpers ask for a whole service and use its addresses and clock. */
function asService(): ServiceUnderTest {
  const unused = () => Promise.reject(new Error("unused"));
  return {
    ...service(),
    addCloudDatabase: unused,
    addVuMarkDatabase: unused,
    updateDatabase: unused,
    setRecognitionCounts: unused,
    latest: unused,
    [Symbol.asyncDispose]: unused,
  };
}

describe("while the target manager is away", () => {
  const summary = () => sendSigned(asService(), keys, { method: "GET", path: "/summary" });
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
    await manage(asService(), "POST", "/cloud_databases", named);
    expect((await summary()).status).toBe(200);
    await servers.manager.kill();
    const answer = await summary();
    expect(answer.status).toBe(502);
    expect(answer.headers["content-type"]).toBe("text/plain");
    expect(answer.text).toMatch(/^the target manager at http:\/\/127\.0\.0\.1:\d+ cannot be reached: \w+$/);
    expect(waits.length).toBe(2);
    await restart();
    expect((await summary()).fields.result_code).toBe("Fail");
    await manage(asService(), "POST", "/cloud_databases", named);
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

test("several target API servers share one limit", async () => {
  const limits = { request_rate_limits: { other: { max_requests: 3, window_seconds: 60 } } };
  await manage(asService(), "POST", "/cloud_databases", { ...named, ...limits });
  const second = await startServiceServer("targetApi", {
    listen,
    managerUrl: new URL(servers.manager.url),
    options,
  });
  try {
    const { clock, urls } = service();
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const target = count % 2 === 0 ? urls.target : second.url;
      const at: ServiceUnderTest = { ...asService(), clock, urls: { ...urls, target } };
      statuses.push((await sendSigned(at, keys, { method: "GET", path: "/summary" })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  } finally {
    await second.close(0);
  }
});

test("the manager's journal has the requests of all three", async () => {
  await fetch(`${servers.query.url}/v1/query`, { method: "POST" });
  await fetch(`${servers.target.url}/summary`);
  await fetch(`${servers.manager.url}/cloud_databases`);
  await servers.requests();
  const page: { requests: { api: string }[] } = JSON.parse(
    await (await fetch(`${servers.manager.url}/requests`)).text(),
  );
  expect(page.requests.map(({ api }) => api).sort()).toEqual(["manager", "query", "target"]);
  expect(await servers.requests()).toEqual(
    expect.arrayContaining([expect.objectContaining({ api: "query", refusedBy: "authorizationGiven" })]),
  );
});
