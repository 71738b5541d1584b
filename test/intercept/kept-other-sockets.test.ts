import { createHash } from "node:crypto";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import * as undici from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { acceptCertificate } from "./kept-clients.ts";
import { blocked, MODES, refusalOf, registerFor, started } from "./kept-other.ts";
import { ca, laterTurns, REAL, RealService, resolveExamples, type Send, viaNode } from "./kept-service.ts";
import { undiciVersions } from "./undici-versions.ts";

acceptCertificate();
resolveExamples();

function kept<Kept extends { destroy(): unknown }>(closable: Kept): Kept {
  onTestFinished(() => {
    closable.destroy();
  });
  return closable;
}

/** Starts a server on this machine until the test has finished. Returns its port. */
async function portOf(server: net.Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A server that sends back what it receives, after an upgrade of any protocol. */
async function upgradingServer(): Promise<number> {
  const server = http.createServer((_request, response) => response.end("real"));
  server.keepAliveTimeout = 60_000;
  server.on("upgrade", (_request: IncomingMessage, socket: Socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n");
    socket.pipe(socket);
  });
  return portOf(server);
}

/** A server of WebSockets that sends back each message of a client, which is shorter than 126 bytes. */
async function webSocketServer(): Promise<number> {
  const server = http.createServer();
  server.on("upgrade", ({ headers }: IncomingMessage, socket: Socket) => {
    const accepted = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}${WEB_SOCKET}`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    );
    socket.on("data", (frame: Buffer) => {
      const [first = 0, length = 0] = frame;
      const [mask, masked] = [frame.subarray(2, 6), frame.subarray(6)];
      const text = masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      socket.write(Buffer.concat([Buffer.from([first, length & 127]), text]));
      if ((first & 15) === CLOSE) socket.end();
    });
  });
  return portOf(server);
}

const WEB_SOCKET = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CLOSE = 8;

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

const viaSession = async (session: http2.ClientHttp2Session, path: string) => {
  const stream = session.request({ ":path": path });
  const [headers] = await once(stream, "response");
  stream.resume();
  return headers[":status"];
};

describe.each(Object.entries(MODES))("%s:", (mode, options) => {
  registerFor(mode);

  const block = () => started({ ...options, unhandledRequests: "error-except-loopback" });

  describe("HTTP/2", () => {
    test("a session is refused, and ends its streams", async () => {
      const service = await RealService.start("h2");
      const origin = service.originAt("blocked.example");
      const session = kept(http2.connect(origin, { ca }));
      expect(await viaSession(session, "/before")).toBe(REAL);
      const slow = session.request({ ":path": "/slow" });
      await service.slowArrived();
      block();
      expect(await refusalOf(viaSession(session, "/after?x"))).toContain(blocked("GET", `${origin}/after?x`));
      service.answerSlow();
      const [headers] = await once(slow, "response");
      expect(headers[":status"]).toBe(REAL);
      slow.resume();
      await once(session, "close");
      expect(service.paths).toEqual(["/before", "/slow"]);
    });

    test("a session that is not connected yet is refused", async () => {
      const service = await RealService.start("h2");
      const origin = service.originAt("blocked.example");
      const session = kept(http2.connect(origin, { ca }));
      session.on("error", () => {});
      block();
      expect(await refusalOf(viaSession(session, "/after"))).toContain(blocked("GET", `${origin}/after`));
      await laterTurns();
      expect(service.paths).toEqual([]);
    });

    test("a session to a host that is allowed stays", async () => {
      const service = await RealService.start("h2");
      const session = kept(http2.connect(service.originAt("localhost"), { ca }));
      expect(await viaSession(session, "/before")).toBe(REAL);
      block();
      expect(await viaSession(session, "/after")).toBe(REAL);
      expect(service.connections).toHaveLength(1);
    });

    test.each(undiciVersions)("%s is refused", async (_version, { Agent, request }) => {
      const service = await RealService.start("h2");
      const dispatcher = kept(new Agent({ allowH2: true, connect: { ca } }));
      const send = async (url: string) => {
        const { body, statusCode } = await request(url, { dispatcher });
        await body.dump();
        return statusCode;
      };
      const origin = service.originAt("blocked.example");
      expect(await send(`${origin}/before`)).toBe(REAL);
      block();
      for (const path of ["/after", "/again"])
        expect(await refusalOf(send(origin + path))).toContain(blocked("GET", origin + path));
      expect(service.paths).toEqual(["/before"]);
    });
  });

  describe("an upgraded connection goes on:", () => {
    const echoed = async (socket: Duplex, text: string) => {
      socket.write(text);
      const [chunk] = await once(socket, "data");
      return String(chunk);
    };

    test("of node:http, with an agent", async () => {
      const port = await upgradingServer();
      const agent = kept(new http.Agent({ keepAlive: true }));
      const headers = { Connection: "upgrade", Upgrade: "echo" };
      const request = http.get(`http://blocked.example:${port}/`, { agent, headers });
      const [, socket] = await once(request, "upgrade");
      expect(await echoed(socket, "before")).toBe("before");
      block();
      expect(await echoed(socket, "after")).toBe("after");
      socket.destroy();
    });

    test("of undici", async () => {
      const port = await upgradingServer();
      const client = kept(new undici.Client(`http://blocked.example:${port}`));
      const { socket } = await client.upgrade({ path: "/", protocol: "echo" });
      expect(await echoed(socket, "before")).toBe("before");
      block();
      expect(await echoed(socket, "after")).toBe("after");
      socket.destroy();
    });

    test("a WebSocket of undici", async () => {
      const port = await webSocketServer();
      const dispatcher = kept(new undici.Agent());
      const socket = new undici.WebSocket(`ws://blocked.example:${port}/`, { dispatcher });
      await once(socket, "open");
      const echo = async (text: string) => {
        const received = once(socket, "message");
        socket.send(text);
        return (await received)[0].data;
      };
      expect(await echo("before")).toBe("before");
      block();
      expect(await echo("after")).toBe("after");
      const closed = once(socket, "close");
      socket.close();
      await closed;
    });
  });

  describe("a raw socket, as of a database, is not touched:", () => {
    const connect: Readonly<Record<string, (port: number) => Socket>> = {
      "over TCP": (port) => net.connect(port, "blocked.example"),
      "over TLS": (port) => tls.connect({ port, host: "blocked.example", ca }),
      "over TLS, which starts later": (port) => {
        const plain = net.connect(port, "blocked.example");
        return tls.connect({ socket: plain, servername: "blocked.example", ca });
      },
    };

    test.each(Object.entries(connect))("%s, opened before and after the start", async (how, open) => {
      const echo = (socket: Socket) => socket.pipe(socket);
      const port = await portOf(
        how === "over TCP" ? net.createServer(echo) : tls.createServer({ key, cert }, echo),
      );
      const exchanged = async (socket: Socket) => {
        for (const text of ["\0\0\0\x08\x04\xd2\x16\x2f", "SELECT 1;\r\n", "*1\r\n$4\r\nPING\r\n"]) {
          socket.write(text, "latin1");
          const [chunk] = await once(socket, "data");
          expect(chunk.toString("latin1")).toBe(text);
        }
      };
      const used = kept(open(port));
      await exchanged(used);
      const unused = kept(open(port));
      await once(unused, how === "over TCP" ? "connect" : "secureConnect");
      const connecting = kept(open(port));
      started({ ...options, unhandledRequests: "error" });
      for (const socket of [used, unused, connecting, kept(open(port))]) await exchanged(socket);
    });
  });

  describe("a kept connection of node:http(s) is not used", () => {
    test("for a request that names another host than the one of the connection", async () => {
      const service = await RealService.start("http");
      const agent = kept(new http.Agent({ keepAlive: true }));
      const get = (host: string, named: string): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const asked = { agent, headers: { host: named } };
          http
            .get(`${service.originAt(host)}/`, asked, (response) =>
              response.resume().on("end", () => resolve(response.statusCode)),
            )
            .on("error", reject);
        });
      for (const host of ["localhost", "blocked.example"]) expect(await get(host, host)).toBe(REAL);
      block();
      expect(await refusalOf(get("localhost", "blocked.example"))).toContain(
        "GET http://blocked.example/: no",
      );
      const { port } = service;
      expect(await refusalOf(get("blocked.example", "localhost"))).toContain(
        `GET http://blocked.example:${port}/: no`,
      );
      expect(service.paths).toHaveLength(2);
    });

    test("if it was opened for a request that its client gave up", async () => {
      const service = await RealService.start("http");
      const agent = kept(new http.Agent({ keepAlive: true }));
      const url = `${service.originAt("blocked.example")}/`;
      const given = http.get(url, { agent }).on("error", () => {});
      const closed = new Promise((resolve) => given.once("close", resolve));
      given.destroy();
      await closed;
      block();
      expect(await refusalOf(viaNode(http, agent)(url))).toContain(blocked("GET", url));
      await laterTurns();
      expect(service.paths).toEqual([]);
    });

    test("if the client hands it over itself", async () => {
      const service = await RealService.start("http");
      const url = `${service.originAt("blocked.example")}/path?x`;
      const socket = kept(net.connect(service.port, "blocked.example"));
      await once(socket, "connect");
      block();
      const send = () =>
        new Promise((resolve, reject) => {
          http.get(url, { createConnection: () => socket }, resolve).on("error", reject);
        });
      expect(await refusalOf(send())).toContain(blocked("GET", url));
      expect(service.paths).toEqual([]);
    });

    test("by requests that wait for it when the mock starts", async () => {
      const service = await RealService.start("http");
      const origin = service.originAt("blocked.example");
      const agent = kept(new http.Agent({ keepAlive: true, maxSockets: 1 }));
      const send = viaNode(http, agent);
      const slow = send(`${origin}/slow`);
      const waiting = refusalOf(send(`${origin}/waiting`));
      await service.slowArrived();
      block();
      service.answerSlow();
      expect(await slow).toBe(REAL);
      expect(await waiting).toContain(blocked("GET", `${origin}/waiting`));
      expect(service.paths).toEqual(["/slow"]);
    });

    test("if a second mock blocks what the first allowed, even by a function that throws", async () => {
      const service = await RealService.start("http");
      const url = `${service.originAt("blocked.example")}/`;
      started(options);
      const send = viaNode(http, kept(new http.Agent({ keepAlive: true })));
      expect(await send(url)).toBe(REAL);
      const unhandledRequests = () => {
        throw new Error("in the function");
      };
      started({ ...options, unhandledRequests });
      expect(await refusalOf(send(url))).toContain(
        `GET ${url}: the function of the option unhandledRequests threw: in the function`,
      );
      expect(service.paths).toHaveLength(1);
    });
  });

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

  test.each(undiciVersions)(
    "requests of %s with pipelining, behind one from before, are refused",
    async (version, { Client }) => {
      const service = await RealService.start("http");
      const origin = service.originAt("blocked.example");
      const dispatcher = kept(new Client(origin, { pipelining: 3 }));
      const send = async (path: string) => {
        const { body, statusCode } = await dispatcher.request({ path, method: "GET" });
        await body.dump();
        return statusCode;
      };
      const slow = send("/slow").catch(String);
      await service.slowArrived();
      block();
      const next = ["/1", "/2"].map((path) => refusalOf(send(path)));
      service.answerSlow();
      // undici 6 sends the next one at once, whose connection is closed then.
      expect(await slow).toEqual(version === "undici 6" ? expect.stringContaining("no mock serves") : REAL);
      for (const message of await Promise.all(next)) expect(message).toContain("no mock serves this host");
      expect(service.paths).toEqual(["/slow"]);
    },
  );
});
