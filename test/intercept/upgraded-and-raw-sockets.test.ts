import { createHash } from "node:crypto";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import net, { type Socket } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import * as undici from "undici";
import { describe, expect, test } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { acceptCertificate } from "./kept-clients.ts";
import { kept, MODES, portOf, registerFor, started } from "./kept-other.ts";
import { ca, resolveExamples } from "./kept-service.ts";

acceptCertificate();
resolveExamples();

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

describe.each(Object.entries(MODES))("%s:", (mode, options) => {
  registerFor(mode);

  const block = () => started({ ...options, unhandledRequests: "error-except-loopback" });

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
});
