import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { echo, serve, text } from "./serving.ts";

type Answer = Parameters<typeof serve>[0];
type Options = Parameters<typeof serve>[1];

const GET = "GET /waits HTTP/1.1\r\n\r\n";
const WAITS = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nGET /waits  ";

/** A server that answers only when it is told to. */
async function waiting(options: Options = {}, result: Answer = echo) {
  const arrived: { readonly gone: AbortSignal; readonly answer: () => void }[] = [];
  let wake = () => {};
  const { port } = await serve(async (request) => {
    await new Promise<void>((answer) => {
      if (request.gone === undefined) throw new Error("the server does not tell whether the client is gone");
      arrived.push({ gone: request.gone, answer });
      wake();
    });
    return result(request);
  }, options);
  return {
    open: async () => {
      const at = { port, host: "127.0.0.1", allowHalfOpen: true, rejectUnauthorized: false };
      const socket: Socket = options.tls === undefined ? connectTcp(at) : connectTls(at);
      onTestFinished(() => void socket.destroy());
      await once(socket, options.tls === undefined ? "connect" : "secureConnect");
      return socket;
    },
    /** The next request that has arrived. */
    next: async () => {
      for (let request = arrived.shift(); ; request = arrived.shift()) {
        if (request !== undefined) return request;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Resolves when the server has sent a byte, to find out whether the client still waits. */
const probe = (socket: Socket) => new Promise((resolve) => socket.once("data", resolve));

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });

describe.each([
  ["plain", {}],
  ["TLS", { tls: { cert, key } }],
])("over %s, while a request is being answered,", (_name, options) => {
  test("a client that closes its connection is gone", async () => {
    const { open, next } = await waiting(options);
    const socket = await open();
    socket.write(GET);
    const { gone } = await next();
    expect(gone.aborted).toBe(false);
    socket.destroy();
    await aborted(gone);
  });

  test("a client that ends only its side gets its response, byte for byte", async () => {
    const { open, next } = await waiting(options);
    const socket = await open();
    socket.end(GET);
    const received = readText(socket);
    const { gone, answer } = await next();
    await probe(socket);
    await probe(socket);
    expect(gone.aborted).toBe(false);
    answer();
    expect(await received).toBe(WAITS);
  });

  test("a client that ends its side first, and closes later, is gone", async () => {
    const { open, next } = await waiting(options);
    const socket = await open();
    socket.end(GET);
    const { gone } = await next();
    await probe(socket);
    expect(gone.aborted).toBe(false);
    socket.destroy();
    await aborted(gone);
  });
});

test("while a request is being answered, a client that resets its connection is gone", async () => {
  const { open, next } = await waiting();
  const socket = await open();
  socket.write(GET);
  const { gone } = await next();
  socket.resetAndDestroy();
  await aborted(gone);
});

describe("after its end, a client gets exactly", () => {
  test("all responses to pipelined requests", async () => {
    const { open, next } = await waiting();
    const socket = await open();
    socket.end(GET + GET.replace("waits", "again"));
    const received = readText(socket);
    const first = await next();
    await probe(socket);
    first.answer();
    (await next()).answer();
    expect(await received).toBe(WAITS + WAITS.replace("waits", "again"));
  });

  test("a response that is made while it is sent", async () => {
    const stream = () => [Buffer.from("made "), Buffer.from("slowly")];
    const { open, next } = await waiting({}, async () => ({ response: { ...text("made slowly"), stream } }));
    const socket = await open();
    socket.end(GET);
    const received = readText(socket);
    const { answer } = await next();
    await probe(socket);
    answer();
    expect(await received).toBe("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nmade slowly");
  });

  test("a response that ends the connection", async () => {
    const { open, next } = await waiting();
    const socket = await open();
    socket.end(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    const received = readText(socket);
    const { answer } = await next();
    await probe(socket);
    answer();
    expect(await received).toBe(WAITS.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  });
});

test("a client that is known to leave with its end is gone then, and may still read the response", async () => {
  const { open, next } = await waiting({ leavesAtEnd: ({ path }) => path === "/waits" });
  const socket = await open();
  socket.end(GET);
  const received = readText(socket);
  const { gone, answer } = await next();
  await aborted(gone);
  expect(socket.bytesRead).toBe(0);
  answer();
  expect(await received).toBe(WAITS);
});
