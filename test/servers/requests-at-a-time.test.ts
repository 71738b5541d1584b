import { describe, expect, test } from "vitest";
import { echo, serve } from "./serving.ts";

describe("a server", () => {
  test("requests of many connections that arrive together begin a few in a turn of the event loop", async () => {
    const { open, seen } = await serve(echo);
    const connections = await Promise.all(Array.from({ length: 200 }, () => open()));
    const sendAll = (round: number) => {
      for (const connection of connections) connection.write(`GET /${round} HTTP/1.1\r\n\r\n`);
    };
    // A connection is accepted in a turn of its own.
    sendAll(1);
    for (const connection of connections) await connection.response();
    sendAll(2);
    let most = 0;
    for (let before = 200; before < 400; before = seen.length) {
      await new Promise(setImmediate);
      most = Math.max(most, seen.length - before);
    }
    expect(most).toBeLessThanOrEqual(16);
    for (const connection of connections) expect(await connection.response()).toContain("GET /2 ");
  });

  test("connections are accepted although others always have requests", async () => {
    const { open, seen } = await serve(echo);
    const busy = await Promise.all(Array.from({ length: 40 }, () => open()));
    for (const connection of busy) connection.write("GET /busy HTTP/1.1\r\n\r\n".repeat(32));
    // Answered as soon as it is accepted: it does not wait for its turn.
    const others = await Promise.all(
      Array.from({ length: 60 }, async () => (await open()).write("no request\r\n\r\n")),
    );
    for (const connection of others) expect(await connection.response()).toMatch(/malformed \? \?$/);
    expect(seen.length).toBeLessThan(300);
    for (const connection of busy)
      for (let got = 0; got < 32; got += 1) expect(await connection.response()).toContain("GET /busy");
  });

  test("requests of one kind leave places for those of another", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const kindOf = ({ path }: { readonly path: string }) => path;
    const { open, seen } = await serve(async (request) => released.then(() => echo(request)), {
      maxRequests: 1,
      kindOf,
    });
    const get = async (path: string) => (await open()).write(`GET ${path} HTTP/1.1\r\n\r\n`);
    const one = await get("/one");
    while (seen.length < 1) await new Promise(setImmediate);
    expect(await (await get("/one")).response()).toMatch(/overloaded GET \/one$/);
    const other = await get("/other");
    while (seen.length < 2) await new Promise(setImmediate);
    release();
    expect([await one.response(), await other.response()]).toEqual([
      expect.stringContaining("GET /one"),
      expect.stringContaining("GET /other"),
    ]);
  });

  test("more requests at a time than it answers are refused, until others are answered", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { open, seen } = await serve(
      async (request) => {
        if (request.path === "/slow") await released;
        return echo(request);
      },
      { maxRequests: 2 },
    );
    const slow = [await open(), await open()].map((connection) =>
      connection.write("GET /slow HTTP/1.1\r\n\r\n"),
    );
    while (seen.length < 2) await new Promise(setImmediate);
    const other = (await open()).write("POST /other HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    expect(await other.response()).toMatch(/overloaded POST \/other$/);
    release();
    for (const connection of slow) expect(await connection.response()).toContain("GET /slow");
    expect(await other.write("GET /again HTTP/1.1\r\n\r\n").response()).toContain("GET /again");
  });
});
