import { once } from "node:events";
import http, { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import tls from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import { MockCloudReco } from "mock-cloud-reco";
import { ProxyAgent, fetch as undiciFetch, request as undiciRequest } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { codesOf, failureOf, messagesOf } from "./failures.ts";
import { realServer } from "./real-server.ts";
import { undiciVersions } from "./undici-versions.ts";

const URL_ = "https://vws.vuforia.com/summary";

/** A proxy that connects to nothing, and the requests that it received. */
async function proxy() {
  const received: string[] = [];
  const server = createServer((asked, response) => {
    received.push(`${asked.method} ${asked.url}`);
    response.setHeader("Connection", "close").end("from the proxy");
  });
  server.on("connect", (asked, socket: Socket) => {
    received.push(`CONNECT ${asked.url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  return { received, url: await urlOf(server) };
}

/** Starts a server until the test has finished. */
async function urlOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

/** A proxy that keeps connections alive and answers for every host, also in tunnels. */
async function keepingProxy() {
  const received: string[] = [];
  const server = createServer((asked, response) => {
    received.push(`${asked.method} ${asked.url}`);
    response.end("from the proxy");
  });
  server.keepAliveTimeout = 60_000;
  server.on("connect", (asked, socket: Socket) => {
    received.push(`CONNECT ${asked.url}`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    server.emit("connection", socket);
  });
  return { received, url: await urlOf(server) };
}

const viaAgent = (url: string, agent: HttpsProxyAgent<string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { agent }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });

/** As hpagent and tunnel do: they remove all listeners of the connection to the proxy on this machine. */
const viaDeafTunnel = (url: string, port: number) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname } = new URL(url);
    http
      .request({ method: "CONNECT", host: "127.0.0.1", port, path: `${hostname}:443`, agent: false })
      .once("error", reject)
      .once("connect", (_response, socket: Socket) => {
        socket.removeAllListeners();
        const createConnection = () => tls.connect({ socket, servername: hostname });
        request(url, { createConnection }, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end();
      })
      .end();
  });

describe("through a proxy", () => {
  test("a request of node:https is answered, and the proxy is not asked", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await proxy();
      await using mock = new MockCloudReco({ intercept });
      expect(await viaAgent(URL_, new HttpsProxyAgent(url))).toBe(401);
      expect(mock.requests).toHaveLength(1);
      expect(received).toEqual([]);
    }
  });

  test("a request of undici is answered, and the proxy is not asked", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await proxy();
      await using mock = new MockCloudReco({ intercept });
      const dispatcher = new ProxyAgent(url);
      expect((await undiciFetch(URL_, { dispatcher })).status).toBe(401);
      expect(mock.requests).toHaveLength(1);
      expect(received).toEqual([]);
      await dispatcher.close();
    }
  });

  test.each(undiciVersions)("requests of %s are answered although the proxy is down", async (_, undici) => {
    const { EnvHttpProxyAgent, fetch, getGlobalDispatcher, ProxyAgent, request, setGlobalDispatcher } =
      undici;
    const uri = "http://127.0.0.1:9";
    const proxied = { httpProxy: uri, httpsProxy: uri, noProxy: "" };
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    for (const intercept of ["nock", "sockets"] as const) {
      await using mock = new MockCloudReco({ intercept });
      const dispatchers = [new ProxyAgent(uri), new ProxyAgent({ uri, connections: 1 })];
      for (const dispatcher of [...dispatchers, new EnvHttpProxyAgent(proxied)]) {
        onTestFinished(() => dispatcher.destroy());
        // Requests to other hosts wait for the same proxy.
        const other = failureOf(request("https://shop.example/", { dispatcher }));
        const send = async () => {
          const { statusCode, body } = await request(URL_, { dispatcher });
          await body.dump();
          return statusCode;
        };
        expect(await Promise.all([send(), send(), send()])).toEqual([401, 401, 401]);
        expect((await fetch(URL_, { dispatcher })).status).toBe(401);
        expect(codesOf(await other)).toContain("ECONNREFUSED");
      }
      const global = new EnvHttpProxyAgent(proxied);
      onTestFinished(() => global.destroy());
      setGlobalDispatcher(global);
      expect((await fetch(URL_)).status).toBe(401);
      expect(mock.requests).toHaveLength(13);
    }
  });

  test("a proxy over TLS that is down is not asked either", async () => {
    await using mock = new MockCloudReco({ intercept: "sockets" });
    const dispatcher = new ProxyAgent("https://127.0.0.1:9");
    onTestFinished(() => dispatcher.destroy());
    expect((await undiciFetch(URL_, { dispatcher })).status).toBe(401);
    expect(mock.requests).toHaveLength(1);
  });

  test("a request of node:https is answered although the proxy is down", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      await using mock = new MockCloudReco({ intercept });
      // Meanwhile the connection to the proxy fails.
      mock.addFault({ operation: "databaseSummary", delaySeconds: 0.2 });
      expect(await viaAgent(URL_, new HttpsProxyAgent("http://127.0.0.1:9"))).toBe(401);
    }
  });

  test("a slow answer arrives although the proxy is down, and the client listens to no errors", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      await using mock = new MockCloudReco({ intercept });
      mock.addFault({ operation: "databaseSummary", delaySeconds: 0.2 });
      expect(await viaDeafTunnel(URL_, 9)).toBe(401);
    }
  });

  test("an absolute request for a host that the mock serves without TLS is refused", async () => {
    const { url, received } = await proxy();
    await using mock = new MockCloudReco({ targetUrl: "http://vws.test", intercept: "sockets" });
    const dispatcher = new ProxyAgent({ uri: url, proxyTunnel: false });
    const sent = undiciFetch("http://vws.test/summary", { dispatcher });
    expect(messagesOf(await failureOf(sent)).join()).toMatch(/used a proxy; exclude the host with NO_PROXY/);
    expect(received).toEqual([]);
    expect(mock.requests).toMatchObject([{ method: "CONNECT", path: "vws.test:80", refusedBy: "transport" }]);
    await dispatcher.destroy();
  });

  test("an absolute request for the service by http is refused on a new connection", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await proxy();
      await using mock = new MockCloudReco({ intercept });
      const { hostname, port } = new URL(url);
      const sent = new Promise((resolve, reject) => {
        http
          .get({ hostname, port, agent: false, path: "http://vws.vuforia.com/summary" }, resolve)
          .on("error", reject);
      });
      expect(messagesOf(await failureOf(sent)).join()).toMatch(
        /^connect to vws\.vuforia\.com:80 bypassed the mock: .*https:\/\/vws\.vuforia\.com; .*NO_PROXY=\.vuforia\.com/,
      );
      expect(received).toEqual([]);
      expect(mock.requests).toMatchObject([{ path: "vws.vuforia.com:80", refusedBy: "transport" }]);
    }
  });

  test.each(undiciVersions)("a refused request of %s names the port of the service", async (name, undici) => {
    const { EnvHttpProxyAgent, ProxyAgent, request } = undici;
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await keepingProxy();
      await using mock = new MockCloudReco({ intercept });
      for (const [dispatcher, isWhole] of [
        [new ProxyAgent({ uri: url, proxyTunnel: true }), false],
        [new ProxyAgent({ uri: url, proxyTunnel: false }), name !== "undici 6"],
        [new ProxyAgent(url)],
        [new EnvHttpProxyAgent({ httpProxy: url, noProxy: "" })],
      ] as const) {
        onTestFinished(() => dispatcher.destroy());
        // The second uses the connection of the first, if that is still open.
        for (const path of ["/summary", "/targets"]) {
          const sent = request(`http://vws.vuforia.com${path}`, { dispatcher });
          const message = messagesOf(await failureOf(sent)).join();
          expect(message).toMatch(/connect to vws\.vuforia\.com:80 bypassed the mock: .*https:/);
          if (isWhole) expect(message).toContain("NO_PROXY=.vuforia.com");
        }
      }
      expect(received).toEqual([]);
      expect(new Set(mock.requests.map(({ path }) => path))).toEqual(new Set(["vws.vuforia.com:80"]));
    }
  });

  test.each(undiciVersions)(
    "%s reaches other hosts on a connection on which the service was refused",
    async (_, { ProxyAgent, request }) => {
      const { url, received } = await keepingProxy();
      await using _mock = new MockCloudReco({ intercept: "sockets" });
      const dispatcher = new ProxyAgent({ uri: url, proxyTunnel: false });
      onTestFinished(() => dispatcher.destroy());
      const shop = async () => (await request("http://shop.example/", { dispatcher })).body.dump();
      await shop();
      const refused = failureOf(request("http://vws.vuforia.com/summary", { dispatcher }));
      await Promise.all([refused, shop()]);
      expect(messagesOf(await refused).join()).toMatch(/vws\.vuforia\.com:80 bypassed the mock/);
      expect(received.filter((one) => one.includes("vuforia"))).toEqual([]);
    },
  );

  test("an absolute request on a connection that was kept alive from before is refused", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await keepingProxy();
      const agent = new http.Agent({ keepAlive: true });
      onTestFinished(() => agent.destroy());
      const send = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const { hostname, port } = new URL(url);
          const options = { hostname, port, agent, path: "http://vws.test/summary" };
          http
            .get(options, (response) => response.resume().on("end", () => resolve(response.statusCode)))
            .on("error", reject);
        });
      expect(await send()).toBe(200);
      await using mock = new MockCloudReco({ targetUrl: "http://vws.test", intercept });
      expect(messagesOf(await failureOf(send())).join()).toMatch(/used a proxy; exclude the host/);
      expect(received).toEqual(["GET http://vws.test/summary"]);
      expect(mock.requests).toMatchObject([{ path: "vws.test:80", refusedBy: "transport" }]);
    }
  });

  test("a request of undici in a tunnel that was opened before is refused", async () => {
    for (const intercept of ["nock", "sockets"] as const) {
      const { url, received } = await keepingProxy();
      const dispatcher = new ProxyAgent({ uri: url, proxyTunnel: true, connections: 1 });
      onTestFinished(() => dispatcher.destroy());
      const send = async () => {
        const { body } = await undiciRequest("http://vws.test/summary", { dispatcher });
        await body.dump();
      };
      await send();
      await using mock = new MockCloudReco({ targetUrl: "http://vws.test", intercept });
      expect(messagesOf(await failureOf(send())).join()).toMatch(/used a proxy; exclude the host/);
      expect(received).toEqual(["CONNECT vws.test:80", "GET /summary"]);
      expect(mock.requests).toMatchObject([{ path: "vws.test:80", refusedBy: "transport" }]);
    }
  });

  test("other hosts are reached, unless unhandledRequests blocks them", async () => {
    const other = await realServer();
    for (const unhandledRequests of ["bypass", "error"] as const) {
      const { url, received } = await proxy();
      await using _mock = new MockCloudReco({ intercept: "sockets", unhandledRequests });
      const dispatcher = new ProxyAgent({ uri: url, proxyTunnel: true });
      const messages = messagesOf(await failureOf(undiciFetch(other, { dispatcher }))).join();
      if (unhandledRequests === "error") expect(messages).toContain("unhandledRequests");
      expect(received).toHaveLength(unhandledRequests === "bypass" ? 1 : 0);
      await dispatcher.destroy();
    }
  });
});
