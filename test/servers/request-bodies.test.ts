import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { cert, key } from "../support/certificate.ts";
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

  const kept = async () => ({ response: text("x", [["Connection", "keep-alive"]]) });
  const KEPT = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx";
  const refused = (why: string) =>
    `HTTP/1.1 200 OK\r\nContent-Length: ${why.length}\r\nConnection: close\r\n\r\n${why}`;

  describe("too small", () => {
    const LEFT_OVER = "malformed ? ? POST /x, whose Content-Length is 3";

    test.each(["stray", "\0\0\0\0", "\r\n\r\nx"])(
      "%j after the body is refused after the response, and with it",
      async (stray) => {
        const { open } = await serve(kept);
        const connection = (await open()).write(`POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc${stray}`);
        const [bytes] = await once(connection.socket, "data");
        expect(String(bytes)).toBe(KEPT + refused(LEFT_OVER));
        expect(await connection.rest()).toBe(KEPT + refused(LEFT_OVER));
      },
    );

    test("what may be the start of another request waits for its rest", async () => {
      const { open } = await serve(kept);
      const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET");
      expect(await connection.response()).toBe(KEPT);
      expect(await connection.write(" /y HTTP/1.1\r\n\r\n").response()).toBe(KEPT);
    });

    test("after the response, stray bytes are refused, too", async () => {
      const { open } = await serve(kept);
      const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
      expect(await connection.response()).toBe(KEPT);
      expect(await connection.write("stray").rest()).toBe(refused(LEFT_OVER));
    });

    test.each(["P", ""])(
      "%j behind the body, and then a request with stray bytes, is refused",
      async (stray) => {
        const { open } = await serve(kept);
        const connection = (await open()).write("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", stray);
        expect(await connection.response()).toBe(KEPT);
        const method = stray === "" ? "PGET" : "GET";
        const why = `malformed ${method} /y POST /x, whose Content-Length is 3`;
        expect(await connection.write(stray === "" ? "P" : "", "GET /y HTTP/1.1\r\n\r\n").rest()).toBe(
          refused(why),
        );
      },
    );

    test.each([
      ["GET /x HTTP/1.1\r\n\r\n", "GET /x, which has no Content-Length"],
      [
        "PUT /x?secret HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "PUT /x, whose body ended after 3 bytes",
      ],
    ])("of %j", async (whole, request) => {
      const { open } = await serve(kept);
      expect(await (await open()).write(`${whole}}`).rest()).toBe(KEPT + refused(`malformed ? ? ${request}`));
    });

    test("a malformed request that has a request line is not left over", async () => {
      const { open } = await serve(kept);
      const connection = (await open()).write("GET /x HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\nbroken\r\n\r\n");
      expect(await connection.rest()).toBe(KEPT + refused("malformed GET /y"));
    });
  });

  test("too large: the response says that the connection ends", async () => {
    const { open } = await serve(kept);
    const connection = await open();
    await connection.packet("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\na");
    expect(await connection.halfClose().rest()).toBe(KEPT.replace("keep-alive", "close"));
  });

  describe("too large, and a gateway timeout", () => {
    const timedOut = async ({ method }: { readonly method: string }) =>
      method === "GET" ? kept() : { response: { ...text("", [["Connection", "keep-alive"]]), status: 504 } };
    const TIMED_OUT = "HTTP/1.1 504 Gateway Timeout\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
    const limits = { idleMilliseconds: 30 };
    const post = (length: number, ...headers: readonly string[]) =>
      `POST /x HTTP/1.1\r\nContent-Length: ${length}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\nabc`;

    test.each([4, 70_000, 5_000_000, 2 ** 26])(
      "of %d bytes: the next request is answered",
      async (length) => {
        const { open } = await serve(timedOut, { limits });
        const connection = await open();
        for (let times = 0; times < 2; times += 1) {
          expect(await connection.write(post(length)).response()).toBe(TIMED_OUT);
          expect(await connection.write("GET /y HTTP/1.1\r\n\r\n").response()).toBe(KEPT);
        }
      },
    );

    test("over TLS: the next request is answered", async () => {
      const { port } = await serve(timedOut, { limits, tls: { cert, key } });
      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
      socket.write(post(9));
      expect(String((await once(socket, "data"))[0])).toBe(TIMED_OUT);
      socket.write("GET /y HTTP/1.1\r\n\r\n");
      expect(String((await once(socket, "data"))[0])).toBe(KEPT);
      socket.destroy();
    });

    test("late bytes of the body are refused", async () => {
      const { open } = await serve(timedOut, { limits });
      const connection = (await open()).write(post(10));
      expect(await connection.response()).toBe(TIMED_OUT);
      const why = "malformed ? ? POST /x, whose body was given up after 3 of 10 bytes";
      expect(await connection.write("defghij").rest()).toBe(refused(why));
    });

    test.each(["d", "defghij"])("%j, which comes before the response, belongs to the body", async (late) => {
      let [answer, asked] = [() => {}, () => {}];
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const { open } = await serve(
        async (request) => {
          if (request.method === "POST")
            await new Promise<void>((resolve) => {
              answer = resolve;
              asked();
            });
          return timedOut(request);
        },
        { limits },
      );
      const connection = (await open()).write(post(10));
      await isAsked;
      // A second connection is answered only after what the first one sent has been read.
      connection.write(late);
      await (await open()).write("GET /other HTTP/1.1\r\n\r\n").response();
      answer();
      expect(await connection.response()).toBe(TIMED_OUT);
      expect(await connection.write("GET /y HTTP/1.1\r\n\r\n").response()).toBe(KEPT);
    });

    test("the connection ends, with the same response, if the client has ended its side", async () => {
      const { open } = await serve(timedOut);
      expect(await (await open()).write(post(10)).halfClose().rest()).toBe(TIMED_OUT);
    });

    test.each([
      ["is longer than any body may be", post(2 ** 26 + 4)],
      ["is the last one that the client wants", post(10, "Connection: close")],
      ["is chunked", "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
    ])("the response says that the connection ends, if the body %s", async (_, sent) => {
      const { open } = await serve(timedOut, { limits });
      expect(await (await open()).write(sent).rest()).toBe(TIMED_OUT.replace("keep-alive", "close"));
    });
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
