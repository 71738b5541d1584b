import { describe, expect, test } from "vitest";
import type { RawConnection } from "./raw-connection.ts";
import { echo, serve, text } from "./serving.ts";

describe("connections", () => {
  test("one connection answers many requests in order, also pipelined ones", async () => {
    const { open } = await serve(async (request) => {
      // The first request takes longest.
      for (let turn = 0; turn < (request.path === "/1" ? 20 : 0); turn += 1) await new Promise(setImmediate);
      return echo(request);
    });
    const connection = (await open()).write("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
    expect(await connection.response()).toMatch(/GET \/1 /);
    expect(await connection.response()).toMatch(/GET \/2 /);
    connection.write("GET /3 HTTP/1.1\r\n\r\n");
    expect(await connection.response()).toMatch(/GET \/3 /);
  });

  test("pipelined requests are answered one after the other", async () => {
    let [running, most] = [0, 0];
    const { open, seen } = await serve(async (request) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return echo(request);
    });
    const connection = await open();
    for (let sent = 0; sent < 200; sent += 1) connection.write(`GET /${sent} HTTP/1.1\r\n\r\n`);
    for (let got = 0; got < 200; got += 1) expect(await connection.response()).toContain(`GET /${got} `);
    expect({ most, count: seen.length }).toEqual({ most: 1, count: 200 });
  });

  describe("valid requests before a malformed one are answered, and then it:", () => {
    const WHOLE = "GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 4\r\n\r\n\r\n\r\n";
    const MALFORMED = [
      ["a broken header line", "GET /3 HTTP/1.1\r\nbroken\r\n\r\n", "malformed GET /3"],
      ["a Content-Length", "POST /3 HTTP/1.1\r\nContent-Length: x\r\n\r\n", "contentLength POST /3"],
      ["long headers", `GET /3 HTTP/1.1\r\nLong: ${"v".repeat(300_000)}\r\n\r\n`, "headersTooLarge"],
      ["another protocol", "\0\0\0\0", "malformed"],
      ["CONNECT", "CONNECT x:443 HTTP/1.1\r\n\r\n", "malformed CONNECT x:443"],
      ["an unended head", "GET /3 HT", "unended"],
    ] as const;
    const packets = [
      ["in one packet", async (_: RawConnection) => {}],
      ["in packets", (connection: RawConnection) => connection.packet("")],
    ] as const;
    const kept = async ({ path }: { readonly path: string }) => {
      await new Promise(setImmediate);
      return { response: text(path, [["Connection", "keep-alive"]]) };
    };

    test.each(MALFORMED.flatMap((one) => packets.map((way) => [...one, ...way] as const)))(
      "%s",
      async (_, malformed, refused, _how, between) => {
        const { open, seen } = await serve(kept);
        const connection = await open();
        connection.write(WHOLE);
        await between(connection);
        connection.write(malformed);
        if (refused === "unended") connection.halfClose();
        for (const path of ["/1", "/2"])
          expect(await connection.response()).toBe(
            `HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n${path}`,
          );
        const last = await connection.response();
        expect(last).toContain("\r\nConnection: close\r\n");
        expect(last).toContain(`\r\n\r\n${refused}`);
        expect(await connection.rest()).toBe("");
        expect(seen.map(({ path }) => path)).toEqual(["/1", "/2"]);
      },
    );

    test("a chunked body, with the bytes before its fault", async () => {
      const { open } = await serve(echo);
      const chunked = "POST /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nfault";
      const connection = (await open()).write(WHOLE, chunked);
      for (const path of ["/1", "/2"]) expect(await connection.response()).toContain(path);
      expect(await connection.rest()).toMatch(/\r\nConnection: close\r\n\r\nPOST \/3 {2}abc$/);
    });
  });

  test("a response that ends its connection says so once, whatever it said before", async () => {
    const { open } = await serve(async () => ({ response: text("a", [["connection", "keep-alive"]]) }));
    const got = await (await open()).write("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").rest();
    expect(got).toBe("HTTP/1.1 200 OK\r\nconnection: close\r\nContent-Length: 1\r\n\r\na");
  });

  test("other connections are answered between pipelined requests that arrived together", async () => {
    const { open, seen } = await serve(echo);
    const [many, other] = [await open(), await open()];
    await many.packet("GET /many HTTP/1.1\r\n\r\n".repeat(1000));
    await other.write("GET /other HTTP/1.1\r\n\r\n").response();
    expect(seen.length).toBeLessThan(1000);
    for (let got = 0; got < 1000; got += 1) await many.response();
    expect(seen.length).toBe(1001);
  });

  test("a request after the last one of a connection is neither executed nor answered", async () => {
    const { open, seen } = await serve(async (request) => {
      await new Promise(setImmediate);
      return { response: text(request.path, [["Connection", "close"]]) };
    });
    const got = await (await open()).write("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n").rest();
    expect(got).toMatch(/\/1$/);
    expect(seen.map(({ path }) => path)).toEqual(["/1"]);
  });

  test.each([
    ["HTTP/1.0", ""],
    ["HTTP/1.1", "Connection: close\r\n"],
  ])("is closed, with Connection: close, for a client that asks for it: %s %s", async (version, header) => {
    const { open } = await serve(async () => ({ response: text("x", [["Connection", "keep-alive"]]) }));
    const got = await (await open()).write(`GET / ${version}\r\n${header}\r\n`).rest();
    expect(got).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
  });

  test("stays open for an HTTP/1.0 client that asks for it", async () => {
    const { open } = await serve(echo);
    const connection = await open();
    for (let turn = 0; turn < 2; turn += 1) {
      connection.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      expect(await connection.response()).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });

  test("Expect: 100-continue is answered with 100 before the body", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write(
      "POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
    );
    expect(await connection.response()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect(await connection.write("ok").response()).toMatch(/POST \/x {2}ok$/);
  });

  test("any other expectation is ignored", async () => {
    const { open } = await serve(echo);
    const connection = (await open()).write("GET /x HTTP/1.1\r\nExpect: miracles\r\n\r\n");
    expect(await connection.response()).toMatch(/GET \/x/);
  });

  test("a client that closes its side after its request gets the response", async () => {
    const { open } = await serve(async (request) => {
      await new Promise(setImmediate);
      return echo(request);
    });
    const connection = (await open()).write("GET /x HTTP/1.1\r\n\r\n").halfClose();
    expect(await connection.rest()).toMatch(/GET \/x/);
  });

  test("a connection error cuts the connection without a byte", async () => {
    for (const kind of ["reset", "refused"] as const) {
      const { open } = await serve(async () => ({ connectionError: { kind, message: "configured" } }));
      expect(await (await open()).write("GET /x HTTP/1.1\r\n\r\n").rest()).toBe("");
    }
  });

  test("a handler that throws cuts the connection, and the server keeps running", async () => {
    const { open } = await serve(async (request) => {
      if (request.path === "/bad") throw new Error("bug");
      return echo(request);
    });
    expect(await (await open()).write("GET /bad HTTP/1.1\r\n\r\n").rest()).toBe("");
    expect(await (await open()).write("GET /good HTTP/1.1\r\n\r\n").response()).toMatch(/good/);
  });

  test("a client that disconnects before its request is complete does not affect others", async () => {
    const { open } = await serve(echo);
    const gone = await open();
    await gone.packet("POST /gone HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
    gone.socket.resetAndDestroy();
    expect(await (await open()).write("GET /next HTTP/1.1\r\n\r\n").response()).toMatch(/next/);
  });

  test("a client that disconnects before its response does not affect others", async () => {
    let release = () => {};
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const { open } = await serve(async (request) => {
      if (request.path === "/slow") {
        running();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return echo(request);
    });
    const gone = await open();
    gone.write("GET /slow HTTP/1.1\r\n\r\n");
    await started;
    gone.socket.resetAndDestroy();
    const other = (await open()).write("GET /next HTTP/1.1\r\n\r\n");
    expect(await other.response()).toMatch(/next/);
    release();
    expect(await other.write("GET /more HTTP/1.1\r\n\r\n").response()).toMatch(/more/);
  });

  test("the body of a client that disconnected before its response no longer takes memory", async () => {
    let release = () => {};
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const limits = { maxTotalBytes: 1000 };
    const { open } = await serve(
      async (request) => {
        if (request.path !== "/slow") return echo(request);
        running();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return echo(request);
      },
      { limits },
    );
    const body = "a".repeat(600);
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nContent-Length: 600\r\n\r\n${body}`;
    const gone = (await open()).write(post("/slow"));
    await started;
    expect(await (await open()).write(post("/next")).response()).toMatch(/overloaded POST \/next$/);
    gone.socket.resetAndDestroy();
    await (await open()).write("GET /other HTTP/1.1\r\n\r\n").response();
    release();
    await new Promise(setImmediate);
    expect(await (await open()).write(post("/next")).response()).toMatch(/aaa$/);
  });
});
