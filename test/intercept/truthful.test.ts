import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect as connectPlainly, createServer } from "node:net";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { connect } from "node:tls";
import { MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it, onTestFinished } from "vitest";
import { HARD_REQUESTS, POST, SUMMARY, send } from "./hard-requests.ts";
import { realServer } from "./real-server.ts";

function start(options: MockCloudRecoOptions = {}): MockCloudReco {
  const mock = new MockCloudReco(options);
  onTestFinished(() => mock.stop());
  return mock;
}

/** Sends packets on a connection of its own. Returns what the server sent before it ended the connection. */
const raw = (...packets: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "vws.vuforia.com", port: 443 });
    let received = "";
    socket.on("data", (bytes: Buffer) => {
      received += bytes;
    });
    socket.on("error", reject).on("close", () => resolve(received));
    const send = ([packet, ...rest]: readonly string[]) => {
      if (packet !== undefined) socket.write(packet, "latin1", () => send(rest));
    };
    send(packets);
  });

const HEAD = "POST /targets HTTP/1.1\r\nHost: vws.vuforia.com\r\n";
const WHOLE = `GET /summary HTTP/1.1\r\nHost: vws.vuforia.com\r\n\r\n`;
const UNENDED = "the client stopped within the headers; end them with an empty line";
const CUT_OFF = /; the body was cut off: 3 of 9 bytes arrived$/;

/** What stops within a request, in packets between bars, the statuses of the answers, and what the journal says of each. */
const STOPPING: readonly (readonly [string, readonly number[], ...(string | RegExp)[]])[] = [
  ["GET /x HT", [400], UNENDED],
  ["GET /summary\r\n", [400], UNENDED],
  [HEAD, [400], UNENDED],
  [`\r\n${HEAD}X-A: b`, [400], UNENDED],
  [`${WHOLE}GET /x HT`, [401, 400], /Authorization/, UNENDED],
  [`${WHOLE}\r\n${WHOLE}P`, [401, 401, 400], /Authorization/, /Authorization/, UNENDED],
  [`${HEAD}Content-Length: 3\r\n\r\nabcP`, [401, 400], /Authorization/, UNENDED],
  [`${HEAD}Content-Length: 3\r\n\r\n|abcP`, [401, 400], /Authorization/, UNENDED],
  [`${HEAD}Content-Length: 3\r\n\r\na|bcG|ET /x HT`, [401, 400], /Authorization/, UNENDED],
  [
    `${HEAD}Content-Length: 3\r\n\r\n|abcG|ET${WHOLE.slice(3)}P`,
    [401, 401, 400],
    /Authorization/,
    /Authorization/,
    UNENDED,
  ],
  [`${HEAD}Content-Length: 99999\r\n\r\n${"a".repeat(99_999)}P`, [401, 400], /Authorization/, UNENDED],
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nP`, [401, 400], /Authorization/, UNENDED],
  [
    `${HEAD}Content-Length: 3\r\n\r\n|abcG|ET /summary HTTP/1.1\r\nConnection: close\r\n\r\n`,
    [401, 401],
    /Authorization/,
    /Authorization/,
  ],
  [`${HEAD}Content-Length: 9\r\n\r\nabc`, [401], CUT_OFF],
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`, [401], /3 of an unknown number of bytes/],
  ["CONNECT vws.vuforia.com:443 HTTP/1.1\r\n\r\n", [400], "malformed HTTP/1.1 request"],
];

describe.each(["nock", "sockets"] as const)(
  "intercepted by %s, a client is answered as by a server:",
  (intercept) => {
    it.each(HARD_REQUESTS)("%s", async (_name, ask, expected) => {
      const mock = start({ intercept });
      expect(await ask()).toMatch(expected);
      expect(mock.requests).toHaveLength(1);
    });

    it("a request for a proxy, which is told how to go without", async () => {
      const mock = start({ intercept });
      const failure = await new Promise<string>((resolve) => {
        const request = http.request({ host: "127.0.0.1", port: 9, path: SUMMARY });
        request.on("error", ({ message }) => resolve(message)).end();
      });
      expect(failure).toMatch(/bypassed the mock: the client used a proxy; exclude the host with NO_PROXY/);
      while (mock.requests.length === 0) await turn();
      expect(mock.requests).toMatchObject([{ reason: expect.stringContaining("NO_PROXY") }]);
    });

    it("`Expect: 100-continue`, twice on one connection", async () => {
      const mock = start({ intercept });
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      for (const body of ["first", "second"]) {
        const status = await new Promise((resolve, reject) => {
          const headers = { Expect: "100-continue", "Content-Length": body.length };
          const request = https.request(
            "https://vws.vuforia.com/targets",
            { ...POST, agent, headers },
            (response) => {
              response.resume().on("end", () => resolve(response.statusCode));
            },
          );
          request.on("error", reject).on("continue", () => request.end(body));
          request.flushHeaders();
        });
        expect(status).toBe(401);
      }
      expect(mock.requests).toHaveLength(2);
    });

    it("a client that stops within a request, soon", async () => {
      const mock = start({ intercept });
      const received = await Promise.all(
        STOPPING.map(async ([sent]) => {
          const answers = await raw(...sent.split("|"));
          return [...answers.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status));
        }),
      );
      expect(received).toEqual(STOPPING.map(([, statuses]) => statuses));
      const expected = STOPPING.flatMap(([, , ...reasons]) => reasons);
      expect(mock.requests).toHaveLength(expected.length);
      for (const reason of expected)
        expect(mock.requests.map((entry) => entry.reason)).toContainEqual(expect.stringMatching(reason));
    });

    it("a client that stops within a request behind one whose answer is late", async () => {
      const mock = start({ intercept });
      mock.addFault({ operation: "databaseSummary", delaySeconds: 1 });
      expect(await raw(`${WHOLE}GET /x HT`)).toMatch(/^HTTP\/1.1 401 .*HTTP\/1.1 400 /s);
      expect(mock.requests).toMatchObject([{}, { reason: UNENDED }]);
    });

    it("a client that pauses while it sends a body, whole", async () => {
      const mock = start({ intercept });
      const url = "https://vws.vuforia.com/targets";
      const rest: (() => void)[] = [];
      async function* body() {
        yield Buffer.from("begun, ");
        await new Promise<void>((resolve) => rest.push(resolve));
        yield Buffer.from("ended");
      }
      const stream: RequestInit & { duplex: "half" } = {
        ...POST,
        duplex: "half",
        body: Readable.toWeb(Readable.from(body())) as ReadableStream,
      };
      const statuses = [
        new Promise<unknown>((resolve, reject) => {
          const request = https.request(url, POST, (response) => {
            response.resume().on("end", () => resolve(response.statusCode));
          });
          request.on("error", reject).write("begun, ");
          rest.push(() => request.end("ended"));
        }),
        fetch(url, stream).then(({ status }) => status),
      ];
      while (rest.length < 2) await turn();
      // Another client, which stops altogether, is answered meanwhile.
      expect(await raw("GET /x HT")).toMatch(/^HTTP\/1.1 400 /);
      for (const resume of rest) resume();
      expect(await Promise.all(statuses)).toEqual([401, 401]);
      const bodies = mock.requests.map(({ request }) => request.body.text);
      expect(bodies.sort()).toEqual(["", "begun, ended", "begun, ended"]);
      expect(mock.requests.map(({ reason }) => reason).join()).not.toContain("cut off");
    });

    it("OPTIONS *, which mocks refuse as they refuse unknown paths", async () => {
      const mock = start({ intercept });
      expect(await send(SUMMARY, { method: "OPTIONS", path: "*" })).toBe("ECONNREFUSED");
      expect(mock.requests).toMatchObject([
        { reason: expect.stringContaining("nothing is served at OPTIONS *") },
      ]);
    });

    it("a path that is not under the base URL, which the journal has", async () => {
      const mock = start({ intercept, targetUrl: "https://vws.vuforia.com/vws" });
      expect(await send(SUMMARY)).toBe("ECONNREFUSED");
      const reason = `No mock serves GET ${SUMMARY}, only https://vws.vuforia.com/vws`;
      expect(mock.requests).toMatchObject([{ reason }]);
    });

    it("a connection whose bytes arrive one by one", async () => {
      const mock = start({ intercept });
      const socket = connect({ host: "vws.vuforia.com", port: 443 });
      const received = new Promise<string>((resolve, reject) => {
        socket.on("data", (bytes: Buffer) => resolve(bytes.toString())).on("error", reject);
      });
      for (const character of "GET /summary HTTP/1.1\r\nHost: vws.vuforia.com\r\n\r\n")
        socket.write(character);
      expect(await received).toMatch(/^HTTP\/1\.1 401 /);
      socket.destroy();
      expect(mock.requests).toHaveLength(1);
    });
  },
);

describe("fetch in the default mode, as at the sockets,", () => {
  const refused = async (init: RequestInit, url = SUMMARY): Promise<unknown> => {
    const error: unknown = await fetch(url, init).catch((reason: unknown) => reason);
    if (!(error instanceof Error) || !(error.cause instanceof Error)) return "sent";
    return [error.constructor.name, error.message, Reflect.get(error.cause, "code"), error.cause.message];
  };

  it.each<RequestInit>([
    { headers: { Expect: "100-continue" } },
    { ...POST, body: "{}", headers: { "Content-Length": "3" } },
    { ...POST, body: "{}", headers: { "Content-Length": "abc" } },
    { headers: { "Transfer-Encoding": "chunked" } },
    { headers: { Connection: "upgrade" } },
    { headers: { "Keep-Alive": "5" } },
  ])("refuses %j as without a mock", async (init) => {
    const isSent = (await refused(init, await realServer())) === "sent";
    const results = [];
    for (const intercept of ["nock", "sockets"] as const) {
      using mock = new MockCloudReco({ intercept });
      results.push([await refused(init), mock.requests.length]);
    }
    const failure = ["TypeError", "fetch failed", expect.any(String), expect.any(String)];
    // Node 24 leaves out a header `Connection` that it refused before.
    expect(results[0]).toEqual(isSent ? ["sent", 1] : [failure, 0]);
    expect(results[0]).toEqual(results[1]);
  });

  it("refuses a Content-Length that is too small, on which Node's own hangs", async () => {
    const mock = start();
    expect(await refused({ ...POST, body: "{}", headers: { "Content-Length": "1" } })).toEqual([
      "TypeError",
      "fetch failed",
      "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
      "Request body length does not match content-length header",
    ]);
    expect(mock.requests).toEqual([]);
  });

  it("nests the error of a connection", async () => {
    const results = [];
    for (const intercept of ["nock", "sockets"] as const) {
      using mock = new MockCloudReco({ intercept });
      mock.addFault({ api: "target", resetConnection: true });
      results.push(await refused({}));
    }
    expect(results[0]).toEqual(["TypeError", "fetch failed", "ECONNRESET", expect.any(String)]);
    expect(results[0]).toEqual(results[1]);
  });

  it("lets nobody change the headers of a response", async () => {
    start();
    const { headers } = await fetch(SUMMARY);
    expect(() => headers.set("x", "y")).toThrow("immutable");
    expect(new Headers(headers).get("content-type")).toBe("application/json");
  });

  it("gives copies of responses what it gives responses", async () => {
    start();
    const copy = (await fetch(SUMMARY)).clone().clone();
    expect(copy).toMatchObject({ status: 401, type: "basic", url: SUMMARY });
    expect(await copy.text()).toContain("AuthenticationFailure");
  });
});

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

it("requests of a class that extends ClientRequest are instances of it", async () => {
  start();
  class Own extends http.ClientRequest {}
  const request = new Own({
    host: "vws.vuforia.com",
    path: "/summary",
    protocol: "https:",
    port: 443,
    agent: https.globalAgent,
  });
  request.on("error", () => {}).end();
  expect(request).toBeInstanceOf(Own);
  expect(request).toBeInstanceOf(http.ClientRequest);
  const plain = https.get(SUMMARY, (response) => response.resume()).on("error", () => {});
  expect(plain).toBeInstanceOf(http.ClientRequest);
  expect(plain).not.toBeInstanceOf(Own);
  expect({}).not.toBeInstanceOf(http.ClientRequest);
  const [response] = await new Promise<http.IncomingMessage[]>((resolve) => {
    request.on("response", (message) => resolve([message]));
  });
  response?.resume();
  expect(response?.statusCode).toBe(401);
});

it("fetch's own headers arrive, and its response is as that of a server", async () => {
  const mock = start();
  const response = await fetch(`${SUMMARY}#part`);
  expect(response).toMatchObject({ status: 401, type: "basic", redirected: false, url: SUMMARY });
  const headers = mock.requests[0]?.request.headers;
  expect(Object.keys(headers ?? {})).toEqual(
    expect.arrayContaining(["host", "user-agent", "accept", "accept-encoding"]),
  );
});

it("a method that no server reads is refused by fetch as by node:http", async () => {
  const mock = start();
  const { status } = await fetch(SUMMARY, { method: "FOO" });
  expect([status, mock.requests.length]).toEqual([400, 1]);
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
    const socket = connectPlainly(port, "127.0.0.1");
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
