import { once } from "node:events";
import http, { type IncomingMessage, type Server } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import tls from "node:tls";
import axios from "axios";
import got from "got";
import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import * as undici from "undici";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { generateCertificate } from "../../src/servers/certificate.ts";
import { failureOf, messagesOf } from "./failures.ts";

/** What the real service answers. */
const REAL = 299;
/** What a mock answers to a request without a signature. */
const MOCKED = 401;
const BYPASSED =
  /^connect to 127\.0\.0\.1:\d+ bypassed the mock: the connection was opened before the mock started/;

// Importing nock activates it.
nock.restore();
const { fetch: capturedFetch } = globalThis;
const { key, cert, authority: ca } = generateCertificate();

/** A server that plays the real service: it answers 299, to `/slow` only when told to. */
class RealService {
  readonly connections: net.Socket[] = [];
  /** Paths of the requests that reached it. */
  readonly paths: string[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server | http2.Http2SecureServer,
    private readonly scheme: string,
  ) {
    server.on("request", (request: IncomingMessage, response: http.ServerResponse) => {
      this.paths.push(request.url ?? "");
      request.resume();
      const answer = () => response.writeHead(REAL, { "Content-Type": "text/plain" }).end("real");
      if (request.url === "/slow") {
        this.waiting.push(answer);
        this.server.emit("waiting");
      } else request.once("end", answer);
    });
    server.on("connection", (socket) => this.connections.push(socket));
  }

  static async start(scheme: "http" | "https" | "h2"): Promise<RealService> {
    const server =
      scheme === "http"
        ? http.createServer()
        : scheme === "https"
          ? https.createServer({ key, cert })
          : http2.createSecureServer({ key, cert });
    const service = new RealService(server, scheme === "http" ? "http" : "https");
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      for (const socket of service.connections) socket.destroy();
    });
    return service;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return address.port;
  }

  get origin(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** Resolves when a request to `/slow` has arrived. */
  async slowArrived(): Promise<void> {
    if (this.waiting.length === 0) await once(this.server, "waiting");
  }

  answerSlow(): void {
    for (const answer of this.waiting.splice(0)) answer();
  }
}

interface SentOptions {
  readonly body?: string;
}

/** Sends a request and returns the status. */
type Send = (url: string, options?: SentOptions) => Promise<number | undefined>;

const viaNode =
  (module: typeof http | typeof https, agent?: http.Agent): Send =>
  (url, { body } = {}) =>
    new Promise((resolve, reject) => {
      const options = { method: body === undefined ? "GET" : "POST", ...(agent && { agent }) };
      module
        .request(url, options, (response) => response.resume().on("end", () => resolve(response.statusCode)))
        .on("error", reject)
        .end(body);
    });

const viaFetch =
  (send: typeof fetch): Send =>
  async (url, { body } = {}) => {
    const response = await send(url, body === undefined ? {} : { method: "POST", body });
    await response.arrayBuffer();
    return response.status;
  };

const viaUndici =
  (dispatcher: undici.Dispatcher): Send =>
  async (url, { body } = {}) => {
    onTestFinished(() => dispatcher.destroy());
    const { origin, pathname } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: pathname,
      method: body === undefined ? "GET" : "POST",
      body: body ?? null,
    });
    await response.body.dump();
    return response.statusCode;
  };

const keepAlive = (scheme: string) =>
  scheme === "http" ? new http.Agent({ keepAlive: true }) : new https.Agent({ keepAlive: true, ca });

/** The clients, made before the mock starts. */
const CLIENTS: Readonly<Record<string, (origin: string, scheme: string) => Send>> = {
  "the global agent": (_, scheme) => viaNode(scheme === "http" ? http : https),
  "a keep-alive agent": (_, scheme) => viaNode(scheme === "http" ? http : https, keepAlive(scheme)),
  "an agent with one connection": (_, scheme) =>
    viaNode(
      scheme === "http" ? http : https,
      scheme === "http"
        ? new http.Agent({ keepAlive: true, maxSockets: 1 })
        : new https.Agent({ keepAlive: true, maxSockets: 1, ca }),
    ),
  axios: (_, scheme) => {
    const agent = keepAlive(scheme);
    const client = axios.create({
      httpAgent: agent,
      httpsAgent: agent,
      validateStatus: null,
      adapter: "http",
    });
    return async (url, { body } = {}) =>
      (await (body === undefined ? client.get(url) : client.post(url, body))).status;
  },
  got: (_, scheme) => {
    const agent = keepAlive(scheme);
    const client = got.extend({
      agent: { http: agent, ...(agent instanceof https.Agent && { https: agent }) },
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
    return async (url, { body } = {}) =>
      (await (body === undefined ? client.get(url) : client.post(url, { body }))).statusCode;
  },
  "the global fetch": () => viaFetch((...args) => fetch(...args)),
  "a captured fetch": () => viaFetch(capturedFetch),
  "undici.Client": (origin) => viaUndici(new undici.Client(origin, { connect: { ca } })),
  "undici.Pool": (origin) => viaUndici(new undici.Pool(origin, { connect: { ca } })),
  "undici.Pool with one connection": (origin) =>
    viaUndici(new undici.Pool(origin, { connections: 1, connect: { ca } })),
  "undici.Agent": () => viaUndici(new undici.Agent({ connect: { ca } })),
  "undici.fetch": () => {
    const dispatcher = new undici.Agent({ connect: { ca } });
    onTestFinished(() => dispatcher.destroy());
    return async (url, { body } = {}) => {
      const response = await undici.fetch(
        url,
        body === undefined ? { dispatcher } : { method: "POST", body, dispatcher },
      );
      await response.arrayBuffer();
      return response.status;
    };
  },
};

/** The certificate is made by itself; the global clients have no option for it. */
let rejects: string | undefined;
beforeAll(() => {
  rejects = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  return () => {
    if (rejects === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = rejects;
  };
});

const WAYS = [
  { intercept: "nock", nockFirst: false },
  { intercept: "nock", nockFirst: true },
  { intercept: "sockets", nockFirst: false },
  { intercept: "sockets", nockFirst: true },
] as const;

describe.each(WAYS)("$intercept, the user's nock active before: $nockFirst", ({ intercept, nockFirst }) => {
  const started = (targetUrl: string) => {
    const mock = new MockCloudReco({ intercept, targetUrl });
    onTestFinished(() => mock.stop());
    return mock;
  };
  beforeEach(() => {
    nock.restore();
    if (nockFirst) nock.activate();
  });
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  describe.each(["http", "https"] as const)("%s", (scheme) => {
    describe.each(Object.entries(CLIENTS))("%s", (name, make) => {
      test("with idle connections is answered by each mock, and by the real service afterwards", async () => {
        const service = await RealService.start(scheme);
        const { origin } = service;
        const send = make(origin, scheme);
        const parallel = () => Promise.all([1, 2, 3].map(() => send(`${origin}/summary`)));
        for (const round of [1, 2]) {
          expect(await parallel()).toEqual([REAL, REAL, REAL]);
          const reached = service.paths.length;
          const mock = started(origin);
          expect(await parallel()).toEqual([MOCKED, MOCKED, MOCKED]);
          expect(await send(`${origin}/targets`, { body: "posted" })).toBe(MOCKED);
          expect(await send(`${origin}/summary`), `round ${round}`).toBe(MOCKED);
          expect(service.paths.length).toBe(reached);
          expect(mock.requests).toHaveLength(5);
          mock.stop();
          await setTimeout(2);
        }
        expect(await send(`${origin}/summary`)).toBe(REAL);
      });

      test("in the middle of a request gets the real answer, and its connection is not used after it", async () => {
        const service = await RealService.start(scheme);
        const { origin } = service;
        const send = make(origin, scheme);
        expect(await send(`${origin}/summary`)).toBe(REAL);
        const slow = send(`${origin}/slow`);
        await service.slowArrived();
        const mock = started(origin);
        const queued = send(`${origin}/targets`, { body: "posted" });
        service.answerSlow();
        expect(await slow).toBe(REAL);
        expect(await queued).toBe(MOCKED);
        expect(await send(`${origin}/summary`)).toBe(MOCKED);
        expect(service.paths).toEqual(["/summary", "/slow"]);
        expect(mock.requests.map(({ path }) => path)).toEqual(["/targets", "/summary"]);
      });

      test("keeps its connections to other origins", async () => {
        const service = await RealService.start(scheme);
        const other = await RealService.start(scheme);
        const send = make(other.origin, scheme);
        expect(await send(`${other.origin}/`)).toBe(REAL);
        const mock = started(service.origin);
        for (const _again of [1, 2, 3]) {
          // undici frees a connection in a later turn.
          await setTimeout(2);
          expect(await send(`${other.origin}/`)).toBe(REAL);
        }
        mock.stop();
        await setTimeout(2);
        expect(await send(`${other.origin}/`)).toBe(REAL);
        // With nock active, its agents close connections, as without a mock.
        if (!nockFirst || !/agent|axios|got/.test(name)) expect(other.connections).toHaveLength(1);
      });
    });
  });

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
    await refusal(mock, service.port, failed);
    expect(service.paths).toEqual([]);
  });

  test("undici with HTTP/2 is refused", async () => {
    const service = await RealService.start("h2");
    const send = viaUndici(new undici.Agent({ allowH2: true, connect: { ca } }));
    expect(await send(`${service.origin}/summary`)).toBe(REAL);
    const mock = started(service.origin);
    await refusal(mock, service.port, send(`${service.origin}/summary`));
    expect(service.paths).toEqual(["/summary"]);
  });

  test("an HTTP/2 session ends its streams and is refused", async () => {
    const service = await RealService.start("h2");
    const session = http2.connect(service.origin, { ca });
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
