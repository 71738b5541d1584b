import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { start } from "./started.ts";

it("beside the default mode, other hosts get what they get without it, on kept connections", async () => {
  const server = http.createServer({ maxHeaderSize: 100_000 }, (request, response) => {
    response.end(JSON.stringify([request.rawHeaders, request.socket.remotePort]));
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  /** The headers of two requests, and on how many connections they arrived. */
  const ask = async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { "X-Long": "a".repeat(20_000) };
    const arrived: [string[], number][] = [];
    for (const request of [http.request, http.get])
      arrived.push(
        await new Promise((resolve, reject) => {
          const sent = request(`http://127.0.0.1:${port}/`, { agent, headers }, async (response) =>
            resolve(JSON.parse((await response.toArray()).join(""))),
          );
          sent.on("error", reject).end();
        }),
      );
    agent.destroy();
    return {
      headers: arrived.map(([raw]) => raw),
      connections: new Set(arrived.map(([, from]) => from)).size,
    };
  };
  const alone = await ask();
  expect(alone.connections).toBe(1);
  start();
  expect(await ask()).toEqual(alone);
});

describe("with unhandledRequests: error, a raw connection to another host", () => {
  /** What a client's pieces of a text end in: the server's bytes, or the client's error. */
  async function piecewise(...pieces: readonly string[]): Promise<string> {
    const received: Buffer[] = [];
    const server = createServer((socket) => socket.on("data", (bytes) => received.push(bytes))).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => {
      server.close();
    });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    const failed = new Promise<string>((resolve) => {
      socket.on("error", ({ message }) => resolve(message));
    });
    await once(socket, "connect");
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise(setImmediate);
    }
    if (socket.errored === null) socket.end();
    const closed = once(socket, "close").then(() => Buffer.concat(received).toString());
    socket.resume();
    return Promise.race([failed, closed]);
  }

  it.each([
    [["GET / HTTP/1.1\r\nHost: other.example\r\n\r\n"]],
    [["GE", "T", " / HT", "TP/1.1\r", "\n\r\n"]],
  ])("is refused when it speaks HTTP, in pieces of any length: %j", async (pieces) => {
    start({ unhandledRequests: "error" });
    expect(await piecewise(...pieces)).toMatch(/no mock serves this host, and the option unhandledRequests/);
  });

  it.each([[["EHLO a\r\n", "QUIT\r\n"]], [["GE"]], [["GET", "\n", "more"]]])(
    "passes with %j",
    async (pieces) => {
      start({ unhandledRequests: "error" });
      expect(await piecewise(...pieces)).toBe(pieces.join(""));
    },
  );
});
