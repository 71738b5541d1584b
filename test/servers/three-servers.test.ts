import { startServers } from "mock-cloud-reco/server";
import { describe, expect, test } from "vitest";
import { start } from "../cli/command.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { openApiServer, startSeparateServers } from "../support/separate-servers.ts";
import { RawConnection } from "./raw-connection.ts";
import { keys, listen, named, options, servers, service, startForEach, waits } from "./three-servers.ts";

startForEach();

const raw = async (port: number, bytes: string) => {
  const connection = await RawConnection.open(port);
  try {
    return (await connection.write(bytes).response()).replace(/^Date: .*\r\n/m, "");
  } finally {
    connection.close();
  }
};
const latest = async () => (await servers.requests()).at(-1);

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
    expect(await raw(port, "PATCH /targets HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n")).toMatch(
      /Content-Encoding: gzip/,
    );
  });

  test("each server serves only its own routes, and only the manager serves internal routes", async () => {
    const status = async (url: string) => (await fetch(url)).status;
    expect(await status(`${servers.query.url}/targets`)).toBe(404);
    expect(await status(`${servers.target.url}/v1/query`)).toBe(404);
    expect(await status(`${servers.target.url}/cloud_databases`)).toBe(404);
    const internal = "/internal/openapi.json";
    expect(await status(servers.target.url + internal)).toBe(404);
    expect(await status(servers.manager.url + internal)).toBe(200);
    expect(await status(`${servers.manager.url}/internal/nothing`)).toBe(404);
  });

  test("a response delay applies once to every response except the manager's", async () => {
    await fetch(`${servers.target.url}/nothing`);
    await fetch(`${servers.query.url}/v1/query`, { method: "POST" });
    await raw(servers.target.port, "POST /targets HTTP/1.1\r\nContent-Length: x\r\n\r\n");
    await fetch(`${servers.manager.url}/cloud_databases`);
    expect(waits).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("health checks", () => {
  const health = async (url: string) => (await start(["healthcheck", url]).finished).printed.trim();
  const unhealthy = (api: string) => ({ api, times: 1, response: { status: 503 } });

  test("of containers and of Kubernetes take no delay and no fault from clients, and are not recorded", async () => {
    for (const api of ["target", "query", "manager"])
      await manage(service(), "POST", "/faults", unhealthy(api));
    const before = await servers.requests();
    const { target, query, manager } = servers;
    for (const { url } of [target, query, manager]) expect(await health(url)).toBe(`${url}/ is healthy: 404`);
    const probe = { headers: { "User-Agent": "kube-probe/1.31" } };
    expect((await fetch(`${manager.url}/readyz`, probe)).status).toBe(200);
    expect(waits).toEqual([]);
    expect(await servers.requests()).toEqual(before);
    // Anything else does, as ever.
    expect((await fetch(`${manager.url}/livez`)).status).toBe(503);
    const another = { headers: { "User-Agent": "kube-prober/1.31" } };
    expect((await fetch(target.url, another)).status).toBe(503);
    expect((await fetch(`${query.url}/v1/query`, { method: "POST", ...probe })).status).toBe(503);
    expect((await servers.requests()).length).toBe(before.length + 3);
  });

  test("do so where one process has all servers", async () => {
    await using three = await startServers({ responseDelaySeconds: 600 });
    const fault = three.addFault({ api: "target", response: { status: 503 } });
    for (const url of [three.urls.target, three.urls.query, three.urls.manager])
      expect(await health(url)).toBe(`${url}/ is healthy: 404`);
    expect([three.requests, fault.timesApplied]).toEqual([[], 0]);
  });
});

describe("a malformed or incomplete request", () => {
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
      reason: expect.stringMatching(/^send the length of the body in bytes as Content-Length: it is "1\.5"/),
    });
  });

  test("query API: an empty page, with only the documented headers", async () => {
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

  test.each(["manager", "target", "query"] as const)(
    "%s: also for a client that closed its side before the response",
    async (server) => {
      const connection = await RawConnection.open(servers[server].port);
      const got = await connection.write("no request\r\n\r\n").halfClose().rest();
      connection.close();
      expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    },
  );

  test("target manager: a line of text", async () => {
    const got = await raw(
      servers.manager.port,
      "POST /cloud_databases HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    );
    expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: text\/plain\r\n/);
    expect(got).toMatch(/\r\n\r\nContent-Length must be one whole number[^\r\n]*$/);
  });

  test.each(["target", "query"] as const)("%s: header lines above all limits", async (server) => {
    const { port } = servers[server];
    const got = await raw(port, `GET /targets HTTP/1.1\r\nLong: ${"v".repeat(300_000)}\r\n\r\n`);
    expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n/);
    expect(got).toContain(server === "query" ? "Server: nginx" : "server: envoy");
  });

  test.each(["manager", "target"] as const)("%s: a body that is too large", async (server) => {
    const head = "POST /targets HTTP/1.1\r\nContent-Length: 200000\r\n\r\n";
    const got = await raw(servers[server].port, head + "a".repeat(200_000));
    expect(got).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\nContent-Type: text\/plain\r\n/);
    expect(got).toMatch(/\r\n\r\nthe request body is larger than 64 MiB$/);
    expect(await latest()).toMatchObject({ cause: { code: "body.too-large" } });
  });

  test("query: a body that is too large gets a query response", async () => {
    const response = await fetch(`${servers.query.url}/v1/query`, {
      method: "POST",
      body: "a".repeat(200_000),
    });
    expect(response.status).toBe(413);
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("x-cloud-region")).toBe("us-east-2, us-west-2");
    expect(await response.text()).toBe("the request body is larger than 64 MiB");
  });

  test.each(["manager", "target", "query"] as const)(
    "%s: more bytes than it holds at a time",
    async (server) => {
      const holding = { ...listen, limits: { ...listen.limits, maxTotalBytes: 50_000 } };
      const full = await startSeparateServers({
        listen: { manager: listen, target: listen, query: listen, [server]: holding },
        options,
      });
      try {
        const head = "POST /v1/query HTTP/1.1\r\nContent-Length: 60000\r\n\r\n";
        const got = await raw(full[server].port, head + "a".repeat(60_000));
        expect(got).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
        expect(got).toContain("\r\nRetry-After: 1\r\n");
      } finally {
        await full.close(0);
      }
    },
  );

  test.each([
    ["413", `POST / HTTP/1.1\r\nContent-Length: 100001\r\n\r\n${"a".repeat(100_001)}`],
    ["503", `POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n${"a".repeat(60_000)}`],
    ["400", "GET / HTTP/1.1\r\nbroken\r\n\r\n"],
    ["400", "GET / HTTP/1.1\r\n"],
    ["400", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
    ["4[03][01]", `GET / HTTP/1.1\r\nLong: ${"v".repeat(300_000)}\r\n\r\n`],
  ])("pages of an allowed origin can read the %s to a request that is not read", async (status, sent) => {
    const cors = { ...listen, corsOrigin: "https://app.example" };
    const holding = {
      ...cors,
      limits: { ...listen.limits, maxTotalBytes: status === "503" ? 50_000 : 2 ** 20 },
    };
    const open = await startSeparateServers({
      listen: { manager: holding, target: holding, query: holding },
      options,
    });
    try {
      for (const { port } of [open.manager, open.target, open.query]) {
        const connection = await RawConnection.open(port);
        const got = await connection.write(sent).halfClose().response();
        connection.close();
        expect(got).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(got.split("\r\n")).toEqual(
          expect.arrayContaining([
            "Access-Control-Allow-Origin: https://app.example",
            "Access-Control-Expose-Headers: *",
          ]),
        );
      }
    } finally {
      await open.close(0);
    }
  });

  test("the journal says that a body was truncated", async () => {
    await raw(servers.target.port, "POST /targets HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc");
    expect((await latest())?.reason).toMatch(/; send the whole body: 3 of 9 bytes arrived$/);
  });

  test("a body shorter than its Content-Length gets the documented response", async () => {
    const query = "POST /v1/query HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc";
    expect(await raw(servers.query.port, query)).toMatch(
      /^HTTP\/1.1 504 Gateway Timeout\r\nConnection: keep-alive\r\n/,
    );
    await manage(service(), "POST", "/cloud_databases", named);
    const target = await sendSigned(service(), keys, {
      method: "POST",
      path: "/targets",
      body: { name: "a", width: 1, image: makePng().toString("base64") },
      headers: { "Content-Length": "90000" },
    });
    expect([target.status, target.text]).toEqual([408, "stream timeout"]);
    expect((await latest())?.reason).toMatch(
      /^send the length of the body in bytes as Content-Length: it is "90000"/,
    );
  });
});

test("several target API servers share one rate limit", async () => {
  const limits = { request_rate_limits: { other: { max_requests: 3, window_seconds: 60 } } };
  await manage(service(), "POST", "/cloud_databases", { ...named, ...limits });
  const second = await openApiServer("target-api", servers.manager.url, listen, options);
  try {
    const at = service();
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const target = count % 2 === 0 ? at.urls.target : second.url;
      const chosen = { ...at, urls: { ...at.urls, target } };
      statuses.push((await sendSigned(chosen, keys, { method: "GET", path: "/summary" })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  } finally {
    await second.close(0);
  }
});

test("what happened before the journal was cleared does not appear afterwards", async () => {
  await fetch(`${servers.target.url}/before`);
  await fetch(`${servers.query.url}/before`);
  await fetch(`${servers.manager.url}/reset`, { method: "POST" });
  await servers.requests();
  await fetch(`${servers.query.url}/after`);
  await raw(servers.target.port, "GET /malformed HTTP/1.1\r\nContent-Length: x\r\n\r\n");
  const paths = (await servers.requests()).map(({ path }) => path);
  expect(paths.sort()).toEqual(["/after", "/malformed"]);
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
    expect.arrayContaining([
      expect.objectContaining({ api: "query", status: 401, refusedBy: expect.any(String) }),
    ]),
  );
});
