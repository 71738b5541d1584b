import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { connect } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { start } from "./started.ts";
import { POST, SUMMARY, send, UNUSUAL_REQUESTS } from "./unusual-requests.ts";

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
const UNENDED = "end the headers with an empty line: the client stopped within them";
const CUT_OFF = /; send the whole body: 3 of 9 bytes arrived$/;

/** What stops within a request, in packets between bars, the statuses of the answers, and what the journal says of each. */
const STOPPING: readonly (readonly [string, readonly number[], ...(string | RegExp)[]])[] = [
  ["GET /x HT", [400], UNENDED],
  ["GET /summary\r\n", [400], UNENDED],
  [HEAD, [400], UNENDED],
  [`\r\n${HEAD}X-A: b`, [400], UNENDED],
  [`${WHOLE}GET /x HT`, [401, 400], /Authorization/, UNENDED],
  [`${WHOLE}\r\n${WHOLE}P`, [401, 401, 400], /Authorization/, /Authorization/, UNENDED],
  [
    `${WHOLE}${WHOLE}GET /x HTTP/1.1\r\nbroken\r\n\r\n`,
    [401, 401, 400],
    /Authorization/,
    /Authorization/,
    "malformed HTTP/1.1 request",
  ],
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
    it.each(UNUSUAL_REQUESTS)("%s", async (_name, ask, expected) => {
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
      expect(mock.requests).toMatchObject([{}, { reason: expect.stringContaining(UNENDED) }]);
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

    it("a malformed request, by the API under whose base URL it is", async () => {
      const [targetUrl, queryUrl] = ["https://vws.vuforia.com/longer", "https://vws.vuforia.com/q"];
      const mock = start({ intercept, targetUrl, queryUrl });
      const head = "POST /q/v1/query HTTP/1.1\r\nHost: vws.vuforia.com\r\nContent-Length: abc\r\n\r\n";
      expect(await raw(head)).toMatch(/^HTTP\/1.1 400 /);
      expect(mock.requests).toMatchObject([{ api: "query", path: "/v1/query" }]);
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
