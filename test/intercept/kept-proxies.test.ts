import http from "node:http";
import https from "node:https";
import net, { type Socket } from "node:net";
import { HttpsProxyAgent } from "https-proxy-agent";
import * as undici from "undici";
import { describe, expect, test } from "vitest";
import { acceptCertificate } from "./kept-clients.ts";
import { blocked, kept, MODES, portOf, refusalOf, registerFor, started } from "./kept-other.ts";
import { laterTurns, REAL, RealService, resolveExamples, type Send, viaNode } from "./kept-service.ts";

acceptCertificate();
resolveExamples();

/** A proxy whose tunnels all lead to one port of this machine. */
async function tunnelTo(port: number) {
  const connections: Socket[] = [];
  const server = http.createServer().on("connect", (_asked, socket: Socket) => {
    connections.push(socket);
    const through = net.connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(through).pipe(socket);
    });
    for (const end of [socket, through]) end.on("error", () => {});
  });
  return { connections, port: await portOf(server) };
}

const viaUndici =
  (dispatcher: undici.Dispatcher): Send =>
  async (url) => {
    const { body, statusCode } = await undici.request(url, { dispatcher });
    await body.dump();
    return statusCode;
  };

/** A proxy that keeps connections alive, and answers by itself, also in tunnels to hosts without TLS. */
async function keepingProxy() {
  const received: string[] = [];
  const server = http.createServer((asked, response) => {
    received.push(`${asked.method} ${asked.url}`);
    response.writeHead(REAL).end("from the proxy");
  });
  server.keepAliveTimeout = 60_000;
  server.on("connect", (asked, socket: Socket) => {
    received.push(`CONNECT ${asked.url}`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    server.emit("connection", socket);
  });
  return { received, port: await portOf(server) };
}

describe.each(Object.entries(MODES))("%s:", (mode, options) => {
  registerFor(mode);

  const block = () => started({ ...options, unhandledRequests: "error-except-loopback" });

  describe("a kept connection to a proxy on this machine", () => {
    const whole = (agent: http.Agent, port: number, path: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        http
          .get({ agent, port, host: "localhost", path, headers: { host: new URL(path).host } }, (response) =>
            response.resume().on("end", () => resolve(response.statusCode)),
          )
          .on("error", reject);
      });

    test("gets no whole URL of a host that is blocked, and goes on for others", async () => {
      const { port, received } = await keepingProxy();
      const agent = kept(new http.Agent({ keepAlive: true }));
      expect(await whole(agent, port, "http://blocked.example/before")).toBe(REAL);
      block();
      expect(await whole(agent, port, "http://localhost/allowed")).toBe(REAL);
      const url = "http://blocked.example/after";
      const told = await refusalOf(whole(agent, port, url));
      // nock cannot read such a request.
      expect(told).toContain(options.intercept === "sockets" ? blocked("GET", url) : "Invalid URL");
      expect(received).toEqual(["GET http://blocked.example/before", "GET http://localhost/allowed"]);
    });

    test("opens no tunnel to a host that is blocked", async () => {
      const { port, received } = await keepingProxy();
      const agent = kept(new http.Agent({ keepAlive: true }));
      expect(await whole(agent, port, "http://blocked.example/before")).toBe(REAL);
      block();
      const tunnel = () =>
        new Promise((resolve, reject) => {
          const asked = { method: "CONNECT", agent, port, host: "localhost", path: "blocked.example:443" };
          http.request(asked).on("connect", resolve).on("error", reject).end();
        });
      expect(await refusalOf(tunnel())).toContain(blocked("CONNECT", "https://blocked.example"));
      expect(received).toEqual(["GET http://blocked.example/before"]);
    });

    test.each([["blocked.example"], ["localhost"]])("in a tunnel to %s", async (host) => {
      const service = await RealService.start("https");
      const { port, connections } = await tunnelTo(service.port);
      const clients: Readonly<Record<string, Send>> = {
        node: viaNode(https, kept(new HttpsProxyAgent(`http://localhost:${port}`, { keepAlive: true }))),
        undici: viaUndici(kept(new undici.ProxyAgent(`http://localhost:${port}`))),
      };
      for (const [name, send] of Object.entries(clients)) {
        const url = `https://${host}:8443/${name}`;
        expect(await send(url)).toBe(REAL);
        const mock = block();
        await laterTurns();
        if (host === "localhost") expect(await send(url)).toBe(REAL);
        else expect(await refusalOf(send(url))).toContain("no mock serves this host");
        mock.stop();
      }
      expect(service.paths).toHaveLength(host === "localhost" ? 4 : 2);
      if (host === "localhost") expect(connections).toHaveLength(2);
    });
  });
});
