import { request } from "node:http";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";

/** Sends a request with exactly these headers, as a browser on a malicious page would. */
function send(
  url: string,
  {
    method = "GET",
    path = "/cloud_databases",
    headers,
  }: { method?: string; path?: string; headers: Record<string, string> },
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { method, headers }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        body += chunk;
      });
      incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, body }));
    });
    outgoing.once("error", reject).end();
  });
}

const own = (url: string) => new URL(url).host;

describe("the target manager", () => {
  it("answers requests for names of private networks, IP addresses and allowed names, on every route", async () => {
    await using servers = await startServers({ allowedHosts: ["Manager.example.org", ".example.com"] });
    const { manager } = servers.urls;
    const status = async (host: string, path = "/cloud_databases") =>
      (await send(manager, { path, headers: { host } })).status;
    for (const host of [
      own(manager),
      "localhost",
      "LOCALHOST:1",
      "app.localhost:80",
      "10.1.2.3",
      "[::1]:5000",
      "manager.example.org:5000",
      "target-manager:5000",
      "BUILD_7",
      "manager.local",
      "manager.shop.internal.",
      "manager.test:80",
      "nas.lan",
      "nas.home.arpa",
      "target-manager.default.svc",
      "target-manager.default.svc.cluster.local:5000",
      "a.b.example.com",
      "example.com",
    ])
      expect(await status(host), host).toBe(200);
    for (const host of [
      "evil.example",
      "localhost.evil.example",
      "managers.example.org",
      "local.example",
      "manager.test.example",
      "manager.localx",
      "home.arpa.example",
      "x.arpa",
      "a.cluster.example",
      "user@manager",
      "xexample.com",
      "1.2.3.4.evil.example",
      "[::1].evil",
    ])
      for (const path of ["/cloud_databases", "/internal/openapi.json", "/page/events", "/"])
        expect(await status(host, path), host + path).toBe(403);
  });

  it("refuses requests of other origins' pages, also simple ones, and does not execute them", async () => {
    await using servers = await startServers();
    const { manager } = servers.urls;
    servers.addCloudDatabase();
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `https://${own(manager)}.evil.example` },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ]) {
      const { status, body } = await send(manager, { method: "POST", path: "/reset", headers });
      expect([status, body], JSON.stringify(headers)).toEqual([
        403,
        expect.stringContaining("set the option managerCorsOrigin"),
      ]);
    }
    expect((await send(manager, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect(JSON.parse((await send(manager, { headers: {} })).body)).toHaveLength(1);
    const [first] = servers.requests;
    expect(first).toMatchObject({ api: "manager", status: 403, refusedBy: "trustedOrigin" });
  });

  it("answers its own page, a typed address and a link that leads to the page", async () => {
    await using servers = await startServers();
    const { manager } = servers.urls;
    const opened = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html" };
    const allowed = [
      [{ origin: manager }, "/cloud_databases"],
      [{ "sec-fetch-site": "same-origin" }, "/cloud_databases"],
      [{ "sec-fetch-site": "none" }, "/cloud_databases"],
      [{ "sec-fetch-site": "cross-site", ...opened }, "/"],
    ] as const;
    for (const [headers, path] of allowed) {
      const { status } = await send(manager, { path, headers: { ...headers } });
      // Without a built page, its route is answered with 503, which shows as well that the request was let through.
      expect(path === "/" ? [200, 503] : [200], JSON.stringify(headers)).toContain(status);
    }
    const elsewhere = { "sec-fetch-site": "cross-site", ...opened };
    expect((await send(manager, { path: "/cloud_databases", headers: elsewhere })).status).toBe(403);
  });

  it("answers the allowed origin, and its preflight requests", async () => {
    await using servers = await startServers({ managerCorsOrigin: "https://app.example" });
    const { manager } = servers.urls;
    const answer = await fetch(`${manager}/cloud_databases`, { headers: { origin: "https://app.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect((await send(manager, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    const preflight = { origin: "https://app.example", "access-control-request-method": "DELETE" };
    expect((await send(manager, { method: "OPTIONS", headers: preflight })).status).toBe(204);
  });

  it("answers any origin with *, but still no foreign host", async () => {
    await using servers = await startServers({ managerCorsOrigin: "*" });
    const { manager } = servers.urls;
    expect((await send(manager, { headers: { origin: "https://any.example" } })).status).toBe(200);
    expect((await send(manager, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(200);
    expect((await send(manager, { headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("does not follow CORS_ALLOW_ORIGIN, which is for the two public APIs", async () => {
    await using servers = await startServers({ corsOrigin: "*" });
    const headers = { origin: "https://app.example" };
    expect((await send(servers.urls.manager, { headers })).status).toBe(403);
    const summary = await fetch(`${servers.urls.target}/summary`, { headers });
    expect(summary.headers.get("access-control-allow-origin")).toBe("*");
  });
});
