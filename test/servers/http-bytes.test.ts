import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { echo, serve, text } from "./serving.ts";

describe("bytes", () => {
  test("a response is sent unchanged: no header is added, renamed or moved", async () => {
    const { open } = await serve(async () => ({
      response: text("hello", [
        ["server", "envoy"],
        ["X-Repeated", "1"],
        ["date", "never"],
        ["X-repeated", "2"],
      ]),
    }));
    const connection = (await open()).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await connection.response()).toBe(
      "HTTP/1.1 200 OK\r\nserver: envoy\r\nX-Repeated: 1\r\ndate: never\r\nX-repeated: 2\r\nContent-Length: 5\r\n\r\nhello",
    );
  });

  test.each(["keep-alive", "close", "Close"])("Connection: %s is sent as given, once", async (value) => {
    const { open } = await serve(async () => ({ response: text("", [["Connection", value]]) }));
    const connection = (await open()).write("GET / HTTP/1.1\r\n\r\n");
    expect(await connection.response()).toBe(
      `HTTP/1.1 200 OK\r\nConnection: ${value}\r\nContent-Length: 0\r\n\r\n`,
    );
    if (value !== "keep-alive") expect(await connection.rest()).toBe("");
  });

  test("a request arrives as it was sent: case and order of headers, raw path, query, bytes", async () => {
    const { open, seen } = await serve(echo);
    const body = Buffer.from([0, 255, 13, 10]);
    const connection = (await open()).write(
      "PUT /a%2Fb/%zz?x=1?y HTTP/1.1\r\nhOST: x\r\nX-A: 1 \r\nx-a:2\r\nContent-Length: 4\r\n\r\n",
      body,
    );
    await connection.response();
    expect(seen).toEqual([
      {
        method: "PUT",
        path: "/a%2Fb/%zz",
        query: "x=1?y",
        headers: [
          ["hOST", "x"],
          ["X-A", "1"],
          ["x-a", "2"],
          ["Content-Length", "4"],
        ],
        body,
        gone: expect.any(AbortSignal),
      },
    ]);
  });

  test("a request through a proxy names the whole URL", async () => {
    const { open, seen } = await serve(echo);
    await (await open()).write("GET http://vws.example.com/targets?a HTTP/1.1\r\n\r\n").response();
    expect(seen[0]).toMatchObject({ path: "/targets", query: "a" });
  });

  test("header lines up to 64 KiB are read, and several of them", async () => {
    const { open, seen } = await serve(echo);
    const long = "v".repeat(64 * 1024 - 6);
    await (await open()).write(`GET / HTTP/1.1\r\nLong: ${long}\r\nLong: ${long}\r\n\r\n`).response();
    expect(seen[0]?.headers).toEqual([
      ["Long", long],
      ["Long", long],
    ]);
  });

  test("a chunked body arrives whole, without a Content-Length", async () => {
    const { open, seen } = await serve(echo);
    const head = "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    await (await open()).write(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`).response();
    expect(seen[0]?.body.toString()).toBe("abcde");
  });

  test("a response to HEAD has no body", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write("HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
    await connection.packet("");
    const got = await connection.write("GET /c HTTP/1.1\r\nConnection: close\r\n\r\n").rest();
    expect(got).toBe(
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nGET /b  " +
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /c  ",
    );
  });

  test("packet boundaries do not change the request", async () => {
    const { open, seen } = await serve(echo);
    const bytes = Buffer.from("POST /x?q HTTP/1.1\r\nA: b\r\nContent-Length: 6\r\n\r\nabcdef");
    const connection = await open();
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 5 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, place] of places.entries()) {
          await connection.packet(bytes.subarray(place, places[index + 1]));
        }
        expect(await connection.response()).toMatch(/POST \/x q abcdef$/);
      }),
      { numRuns: 40 },
    );
    expect(new Set(seen.map((request) => JSON.stringify(request))).size).toBe(1);
  });
});
