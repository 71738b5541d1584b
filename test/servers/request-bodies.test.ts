import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { echo, serve, text } from "./serving.ts";

describe("a wrong Content-Length", () => {
  test("too large: the bytes so far are answered once the client is idle, and the connection closes", async () => {
    const { open } = await serve(echo, { limits: { idleMilliseconds: 30 } });
    const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
    expect(await connection.rest()).toMatch(/POST \/x {2}abc$/);
  });

  test("too large: the bytes so far are answered as soon as the client closes its side", async () => {
    const { open } = await serve(echo);
    const connection = await open();
    await connection.packet("POST /x HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
    expect(await connection.halfClose().rest()).toMatch(/POST \/x {2}abc$/);
    const atOnce = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc").halfClose();
    expect(await atOnce.rest()).toMatch(/POST \/x {2}abc$/);
  });

  describe("too small", () => {
    const kept = async () => ({ response: text("x", [["Connection", "keep-alive"]]) });
    const KEPT = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx";
    const refused = (why: string) =>
      `HTTP/1.1 200 OK\r\nContent-Length: ${why.length + 4}\r\nConnection: close\r\n\r\n${why} ? ?`;

    test.each(["stray", "\0\0\0\0", "\r\n\r\nx"])(
      "%j after the body is refused after the response, and with it",
      async (stray) => {
        const { open } = await serve(kept);
        const connection = (await open()).write(`POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc${stray}`);
        const [bytes] = await once(connection.socket, "data");
        expect(String(bytes)).toBe(KEPT + refused("malformed"));
        await expect(connection.halfClose().rest()).resolves.toBe(KEPT + refused("malformed"));
      },
    );

    test("what may be the start of another request waits for its rest", async () => {
      const { open } = await serve(kept);
      const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET");
      expect(await connection.response()).toBe(KEPT);
      expect(await connection.write(" /y HTTP/1.1\r\n\r\n").response()).toBe(KEPT);
    });
  });

  test("too large: the response says that the connection ends", async () => {
    const { open } = await serve(async () => ({ response: text("x", [["Connection", "keep-alive"]]) }));
    const connection = await open();
    await connection.packet("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\na");
    expect(await connection.halfClose().rest()).toBe(
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    );
  });

  test("too small: stray bytes after the response are not answered", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    await connection.response();
    expect(await connection.write("stray").rest()).toBe("");
  });

  test.each(["x", "1.5", "0x10", "", "1,5", "--1"])("not an integer: %j", async (length) => {
    const { open, seen } = await serve(echo);
    const connection = (await open()).write(`POST /x?q HTTP/1.1\r\nContent-Length: ${length}\r\n\r\nabc`);
    expect(await connection.rest()).toBe(
      "HTTP/1.1 200 OK\r\nContent-Length: 21\r\nConnection: close\r\n\r\ncontentLength POST /x",
    );
    expect(seen).toEqual([]);
  });

  test("not an integer, with a body longer than a packet: the response still arrives", async () => {
    const { port } = await serve(echo);
    const got = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        { port, host: "127.0.0.1", method: "POST", path: "/x", headers: { "Content-Length": "0.4" } },
        (response) => {
          response.setEncoding("latin1").on("data", resolve);
        },
      );
      request.on("error", reject);
      request.end(Buffer.alloc(3_000_000, "a"));
    });
    expect(got).toBe("contentLength POST /x");
  });

  test("not an integer, on a connection that has served requests", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write("GET /1 HTTP/1.1\r\n\r\n");
    await connection.response();
    connection.write("POST /2 HTTP/1.1\r\nContent-Length: x\r\n\r\n");
    expect(await connection.rest()).toMatch(/contentLength POST \/2$/);
  });
});

describe("a malformed request", () => {
  test("has header lines above all limits", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write(`GET /x HTTP/1.1\r\nLong: ${"v".repeat(300_000)}\r\n\r\n`);
    expect(await connection.rest()).toMatch(/headersTooLarge/);
  });

  test.each(["hello\r\n\r\n", "GET /x HTTP/9.9\r\n\r\n", "GET /x HTTP/1.1\r\nbad header\r\n\r\n"])(
    "%j",
    async (bytes) => {
      const { open } = await serve(echo);
      expect(await (await open()).write(bytes).rest()).toMatch(/malformed/);
    },
  );
});

describe("large bodies", () => {
  const limits = { maxBytes: 1000 };

  test("a body at the limit is read, and one of one more byte is not", async () => {
    const { open, seen } = await serve(echo, { limits });
    const connection = await open();
    connection.write(`POST /fits HTTP/1.1\r\nContent-Length: 1000\r\n\r\n${"a".repeat(1000)}`);
    expect(await connection.response()).toMatch(/a{1000}$/);
    connection.write(`POST /not HTTP/1.1\r\nContent-Length: 1001\r\n\r\n${"a".repeat(1001)}`);
    expect(await connection.response()).toMatch(/bodyTooLarge POST \/not$/);
    expect(seen.map(({ path }) => path)).toEqual(["/fits"]);
    connection.write("GET /after HTTP/1.1\r\n\r\n");
    expect(await connection.response()).toMatch(/after/);
  });

  test("a client that is still sending can read the response", async () => {
    const { open } = await serve(echo, { limits });
    const connection = (await open()).write(`POST /x HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n`);
    connection.write("a".repeat(2000));
    expect(await connection.response()).toMatch(/bodyTooLarge/);
    connection.write("a".repeat(4_998_000), "GET /after HTTP/1.1\r\n\r\n");
    expect(await connection.response()).toMatch(/after/);
  });

  test("chunked bodies are limited too", async () => {
    const { open } = await serve(echo, { limits });
    const chunk = `320\r\n${"a".repeat(800)}\r\n`;
    const head = "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await (await open()).write(head, chunk, chunk).response()).toMatch(/bodyTooLarge/);
  });
});
