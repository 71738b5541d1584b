import { createHook } from "node:async_hooks";
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import { MockCloudReco } from "mock-cloud-reco";
import * as undici from "undici";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";
import { ca, describeWays, MOCKED, REAL, RealService, viaNode } from "./kept-service.ts";
import { undiciVersions } from "./undici-versions.ts";

const BYPASSED =
  /^connect to 127\.0\.0\.1:\d+ bypassed the mock: the connection was opened before the mock started/;

describeWays(({ intercept, nockFirst, started }) => {
  // With nock active, agents do not limit connections, as without a mock.
  if (!nockFirst)
    test("requests that wait for a connection when the mock starts are answered by the mock", async () => {
      const service = await RealService.start("http");
      const { origin } = service;
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      const send = viaNode(http, agent);
      const slow = send(`${origin}/slow`);
      const waiting = send(`${origin}/summary`);
      await service.slowArrived();
      started(origin);
      service.answerSlow();
      expect(await slow).toBe(REAL);
      expect(service.paths).toEqual(["/slow"]);
      expect(await waiting).toBe(MOCKED);
    });

  test("a body that is being sent when the mock starts is sent to the end", async () => {
    const service = await RealService.start("http");
    const { origin } = service;
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const request = http.request(`${origin}/upload`, { agent, method: "POST" });
    const answered = once(request, "response");
    request.write("first");
    while (service.paths.length === 0) await new Promise(setImmediate);
    const mock = started(origin);
    request.end("second");
    const [response] = await answered;
    expect(response.statusCode).toBe(REAL);
    response.resume();
    await once(response, "end");
    expect(await viaNode(http, agent)(`${origin}/summary`)).toBe(MOCKED);
    expect(mock.requests).toHaveLength(1);
  });

  const refusal = async (mock: MockCloudReco, port: number, failed: Promise<unknown>) => {
    expect(messagesOf(await failureOf(failed))[0]).toMatch(BYPASSED);
    expect(mock.requests).toMatchObject([
      {
        method: "CONNECT",
        path: `127.0.0.1:${port}`,
        refusedBy: "transport",
        reason: expect.stringContaining("opened before"),
      },
    ]);
  };

  test("undici without its mark for busy connections sends no later request on one", async () => {
    const service = await RealService.start("http");
    const { origin } = service;
    const connect = undici.buildConnector({});
    const opened: net.Socket[] = [];
    const client = new undici.Client(origin, {
      connect: (options, done) =>
        connect(options, (...[error, socket]) => {
          if (socket === null) return done(error, null);
          opened.push(socket);
          done(null, socket);
        }),
    });
    onTestFinished(() => client.destroy());
    const send = async (path: string) => {
      const { statusCode, body } = await client.request({ method: "GET", path });
      await body.dump();
      return statusCode;
    };
    const slow = send("/slow");
    await service.slowArrived();
    const [socket] = opened;
    const mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "reset");
    Reflect.deleteProperty(Object(socket), Object(mark).valueOf());
    started(origin);
    const queued = send("/summary");
    service.answerSlow();
    expect(await slow).toBe(REAL);
    expect(await queued).toBe(MOCKED);
    expect(service.paths).toEqual(["/slow"]);
    expect(Object.keys(Object(socket))).not.toContain("");
  });

  test.each(["http", "https"] as const)("a raw %s connection is refused", async (scheme) => {
    const service = await RealService.start(scheme);
    const { port } = service;
    const socket =
      scheme === "http" ? net.connect(port, "127.0.0.1") : tls.connect({ port, host: "127.0.0.1", ca });
    await once(socket, scheme === "http" ? "connect" : "secureConnect");
    const mock = started(service.origin);
    const failed = new Promise((resolve, reject) => socket.on("error", reject).on("data", resolve));
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await refusal(mock, port, failed);
    expect(service.paths).toEqual([]);
  });

  test("a raw connection that sends its first bytes in parts, or before it is connected, is refused", async () => {
    const service = await RealService.start("http");
    const corked = net.connect(service.port, "127.0.0.1");
    await once(corked, "connect");
    const connecting = net.connect(service.port, "127.0.0.1");
    const mock = started(service.origin);
    for (const socket of [corked, connecting]) {
      const failed = new Promise((resolve, reject) => socket.on("error", reject).on("data", resolve));
      if (socket === corked) socket.cork();
      socket.write("GET / HTTP/1.1\r\n");
      socket.write("Host: x\r\n\r\n");
      socket.uncork();
      expect(messagesOf(await failureOf(failed)).join()).toContain("opened before");
    }
    expect(mock.requests).toHaveLength(2);
    expect(service.paths).toEqual([]);
  });

  test("a request on a connection that the client holds itself is refused", async () => {
    const service = await RealService.start("http");
    const socket = net.connect(service.port, "127.0.0.1");
    await once(socket, "connect");
    const mock = started(service.origin);
    const failed = new Promise((resolve, reject) => {
      http
        .get({ port: service.port, host: "127.0.0.1", createConnection: () => socket }, resolve)
        .on("error", reject);
    });
    // nock opens a connection of its own instead, and the mock serves it.
    if (nockFirst && intercept === "sockets")
      expect(messagesOf(await failureOf(failed))[0]).toMatch(
        /^correct the path: nothing is served at GET \//,
      );
    else await refusal(mock, service.port, failed);
    expect(service.paths).toEqual([]);
  });

  test("undici with HTTP/2 is refused", async () => {
    const service = await RealService.start("h2");
    const dispatcher = new undici.Agent({ allowH2: true, connect: { ca } });
    onTestFinished(() => dispatcher.destroy());
    const send = async () => {
      const { body, statusCode } = await undici.request(`${service.origin}/summary`, { dispatcher });
      await body.dump();
      return statusCode;
    };
    expect(await send()).toBe(REAL);
    const mock = started(service.origin);
    await refusal(mock, service.port, send());
    expect(service.paths).toEqual(["/summary"]);
  });

  test.each(undiciVersions)(
    "requests of %s with pipelining, behind one from before, are answered",
    async (version, { Client }) => {
      const service = await RealService.start("http");
      const dispatcher = new Client(service.origin, { pipelining: 3 });
      onTestFinished(() => dispatcher.destroy());
      const send = async (path: string) => {
        const { body, statusCode } = await dispatcher.request({ path, method: "GET" });
        await body.dump();
        return statusCode;
      };
      const slow = send("/slow").catch(messagesOf);
      await service.slowArrived();
      const mock = started(service.origin);
      const next = [send("/targets"), send("/summary")];
      service.answerSlow();
      // undici 6 sends the next one at once, whose connection is closed then.
      expect(await slow).toEqual(version === "undici 6" ? [expect.stringMatching(BYPASSED)] : REAL);
      expect(await Promise.all(next)).toEqual([MOCKED, MOCKED]);
      expect(service.paths).toEqual(["/slow"]);
      expect(mock.requests.filter(({ method }) => method === "GET")).toHaveLength(2);
    },
  );

  test.each([
    ["an HTTP/2 session", (session: http2.ClientHttp2Session) => session],
    // As http2-wrapper does.
    [
      "an HTTP/2 session whose client wrapped its function before",
      (session: http2.ClientHttp2Session) => {
        const { request } = session;
        return Object.assign(session, {
          request: (...args: Parameters<typeof request>) => Reflect.apply(request, session, args),
        });
      },
    ],
  ])("%s ends its streams and is refused", async (_what, wrapped) => {
    const service = await RealService.start("h2");
    const session = wrapped(http2.connect(service.origin, { ca }));
    onTestFinished(() => session.destroy());
    await once(session, "connect");
    const slow = session.request({ ":path": "/slow" });
    await service.slowArrived();
    const mock = started(service.origin);
    await refusal(
      mock,
      service.port,
      (async () => await once(session.request({ ":path": "/" }), "response"))(),
    );
    service.answerSlow();
    const [headers] = await once(slow, "response");
    expect(headers[":status"]).toBe(REAL);
    slow.resume();
    await once(session, "close");
    expect(service.paths).toEqual(["/slow"]);
  });
});

test("mocks make no HTTP/2 session each", () => {
  const sessions: number[] = [];
  const hook = createHook({ init: (id, type) => type === "HTTP2SESSION" && sessions.push(id) });
  onTestFinished(() => void hook.disable());
  new MockCloudReco({ intercept: "sockets" }).stop();
  hook.enable();
  for (let cycle = 0; cycle < 3; cycle++) new MockCloudReco({ intercept: "sockets" }).stop();
  expect(sessions).toEqual([]);
});
