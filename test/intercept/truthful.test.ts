import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect as connectPlainly, createServer } from "node:net";
import { connect } from "node:tls";
import got from "got";
import { HttpsProxyAgent } from "https-proxy-agent";
import { MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it, onTestFinished } from "vitest";

const SUMMARY = "https://vws.vuforia.com/summary";

function start(options: MockCloudRecoOptions = {}): MockCloudReco {
  const mock = new MockCloudReco(options);
  onTestFinished(() => mock.stop());
  return mock;
}

/** Sends a request and returns its status and body, or the error's code. */
const send = (url: string, options: https.RequestOptions = {}, body = ""): Promise<string> =>
  new Promise((resolve) => {
    const request = https.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
      response.on("error", (error) => resolve(error.message));
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end(body);
  });

const agentOf = (proxy: string) => new HttpsProxyAgent(proxy);
const POST = { method: "POST" };

/** Requests that nock's interceptor misreads: those that hang in it, end the process, or arrive as others. */
const CASES: readonly (readonly [name: string, ask: () => Promise<string>, expected: RegExp])[] = [
  [
    "one header of 20,000 bytes",
    () => send(SUMMARY, { headers: { "X-Long": "a".repeat(20_000) } }),
    /^400 <html>/,
  ],
  [
    "40 headers of 500 bytes",
    () => {
      const headers = Object.fromEntries([...Array(40).keys()].map((n) => [`X-${n}`, "a".repeat(500)]));
      return send(SUMMARY, { headers });
    },
    /^(400|401|431) /,
  ],
  ...["abc", "1.5", "-1"].map(
    (length) =>
      [
        `Content-Length: ${length}`,
        () => send(SUMMARY, { ...POST, headers: { "Content-Length": length } }, "{}"),
        /^400 <html>/,
      ] as const,
  ),
  ["the method PROPFIND", () => send(SUMMARY, { method: "PROPFIND" }), /^404 /],
  ["the method TRACE", () => send(SUMMARY, { method: "TRACE" }), /^404 /],
  [
    "dots in a path, as they were sent",
    () => send(SUMMARY, { path: "/targets/../summary" }),
    /^ECONNREFUSED$/,
  ],
  ["an escaped path, as it was sent", () => send(SUMMARY, { path: "/targets/%2e%2e" }), /^401 /],
  [
    "got over HTTP/2",
    async () => {
      const { statusCode } = await got(SUMMARY, { http2: true, throwHttpErrors: false, retry: { limit: 0 } });
      return String(statusCode);
    },
    /^401$/,
  ],
  [
    "an agent of agent-base without a port",
    () =>
      send("https://vws.vuforia.com", {
        host: "vws.vuforia.com",
        path: "/summary",
        agent: agentOf("http://127.0.0.1:9"),
      }),
    /^(401 |ECONNREFUSED$)/,
  ],
  [
    "a body of GET",
    () => send(SUMMARY, { method: "GET", headers: { "Content-Length": "3" } }, "abc"),
    /^401 /,
  ],
];

describe.each(["nock", "sockets"] as const)(
  "intercepted by %s, a client is answered as by a server:",
  (intercept) => {
    it.each(CASES)("%s", async (_name, ask, expected) => {
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
      await expect.poll(() => mock.requests).toMatchObject([{ reason: expect.stringContaining("NO_PROXY") }]);
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

    it("requests sent at once when a mock has just stopped, whose connections the agent still keeps", async () => {
      const agent = new https.Agent({ keepAlive: true });
      onTestFinished(() => agent.destroy());
      const many = () => Promise.all(Array.from({ length: 20 }, () => send(SUMMARY, { agent })));
      for (let round = 0; round < 5; round += 1) {
        const mock = start({ intercept });
        expect(new Set((await many()).map((answer) => answer.slice(0, 4)))).toEqual(new Set(["401 "]));
        mock.stop();
      }
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
