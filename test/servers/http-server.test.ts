import { text as readText } from "node:stream/consumers";
import { connect } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { RawConnection } from "./raw-connection.ts";
import { echo, serve, text } from "./serving.ts";

const tls = { cert, key };

describe("stopping", () => {
  test("running requests are answered, idle connections closed, new ones refused", async () => {
    let release = () => {};
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const { server, open, port } = await serve(async (request) => {
      if (request.path === "/idle") return echo(request);
      running();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return echo(request);
    });
    const idle = (await open()).write("GET /idle HTTP/1.1\r\n\r\n");
    await idle.response();
    const busy = (await open()).write("GET /busy HTTP/1.1\r\n\r\n");
    await started;
    const closed = server.close();
    expect(await idle.rest()).toBe("");
    await expect(RawConnection.open(port)).rejects.toThrow(/ECONNREFUSED/);
    release();
    expect(await busy.rest()).toMatch(/busy/);
    busy.close();
    await closed;
  });

  test("stopping many times at once warns of no leak", async () => {
    const warned: string[] = [];
    const listen = ({ name }: Error) => void warned.push(name);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const { server } = await serve(echo);
    await Promise.all(Array.from({ length: 20 }, () => server.close()));
    await new Promise(setImmediate);
    expect(warned).not.toContain("MaxListenersExceededWarning");
  });

  test("a connection without a request is closed at once, also one with a partial head", async () => {
    const { server, open } = await serve(echo);
    const [silent, half] = [await open(), await open()];
    await half.packet("GET / HTT");
    await server.close(60);
    expect([await silent.rest(), await half.rest()]).toEqual(["", ""]);
  });

  test.each([
    ["was refused", "GET /\u009b HTTP/1.1\r\n\r\n", /^HTTP\/1.1 200 OK\r\n/],
    ["asked for its end", "GET /last HTTP/1.1\r\nConnection: close\r\n\r\n", /GET \/last /],
  ])("a client that %s is not waited for, though it keeps its side open", async (_, request, response) => {
    const { server, open } = await serve(echo);
    const client = (await open()).write(request);
    expect(await client.rest()).toMatch(response);
    await server.close(60);
  });

  test("over TLS, a connection without a handshake is closed at once", async () => {
    const { server, open } = await serve(echo, { tls });
    const silent = await open();
    await server.close(60);
    expect(await silent.rest()).toBe("");
  });

  test.each(["http/1.0", "http/1.1"])(
    "over TLS, a client that offers only %s is answered",
    async (protocol) => {
      const { port } = await serve(echo, { tls });
      const socket = connect({
        port,
        host: "127.0.0.1",
        rejectUnauthorized: false,
        ALPNProtocols: [protocol],
      });
      socket.write(`GET /one ${protocol.toUpperCase()}\r\nConnection: close\r\n\r\n`);
      expect(await readText(socket)).toMatch(/\r\n\r\nGET \/one /);
      expect(socket.alpnProtocol).toBe(protocol);
    },
  );

  test("a response during the stop has Connection: close", async () => {
    let release = () => {};
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const { server, open } = await serve(async () => {
      running();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { response: text("x", [["Connection", "keep-alive"]]) };
    });
    const busy = (await open()).write("GET / HTTP/1.1\r\n\r\n");
    await started;
    const closed = server.close();
    release();
    expect(await busy.rest()).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
    await closed;
  });

  test.each(["real", "faked"])(
    "a request that exceeds the grace period is cut off, with %s timers",
    async (kind) => {
      let running = () => {};
      const started = new Promise<void>((resolve) => {
        running = resolve;
      });
      const { server, open } = await serve(() => {
        running();
        return new Promise(() => {});
      });
      const busy = (await open()).write("GET /busy HTTP/1.1\r\n\r\n");
      await started;
      if (kind === "faked") vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      await server.close(0.01);
      expect(await busy.rest()).toBe("");
    },
  );

  test("a port that is taken is an error", async () => {
    const { port } = await serve(echo);
    await expect(serve(echo, {}, port)).rejects.toThrow(/EADDRINUSE/);
  });
});
