import dns from "node:dns";
import { once } from "node:events";
import http, { type IncomingMessage, type Server } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import { afterEach, beforeAll, beforeEach, describe, onTestFinished } from "vitest";
import { authority, cert, key } from "../support/certificate.ts";

/** Lets names that end with `.example`, and `localhost`, lead to 127.0.0.1, for each test of a file. */
export function resolveExamples(): void {
  beforeAll(() => {
    const { lookup } = dns;
    const resolve = (host: string, options: dns.LookupAllOptions, done: (...args: unknown[]) => void) => {
      if (!/^localhost$|\.example$/.test(host)) return Reflect.apply(lookup, dns, [host, options, done]);
      const addresses = [{ address: "127.0.0.1", family: 4 }];
      return setImmediate(() => (options.all ? done(null, addresses) : done(null, "127.0.0.1", 4)));
    };
    Object.assign(dns, { lookup: resolve });
    return () => Object.assign(dns, { lookup });
  });
}

/** What the real service answers. */
export const REAL = 299;
/** What a mock answers to a request without a signature. */
export const MOCKED = 401;

export const ca = authority;

// Importing nock activates it.
nock.restore();

/** A server that plays the real service: it answers 299, to `/slow` only when told to. */
export class RealService {
  readonly connections: Socket[] = [];
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
    // Longer than a test: no client waits until a server closes the connection.
    if (server instanceof http.Server) server.keepAliveTimeout = 60_000;
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
    return this.originAt("127.0.0.1");
  }

  originAt(host: string): string {
    return `${this.scheme}://${host}:${this.port}`;
  }

  /** Resolves when a request to `/slow` has arrived. */
  async slowArrived(): Promise<void> {
    if (this.waiting.length === 0) await once(this.server, "waiting");
  }

  answerSlow(): void {
    for (const answer of this.waiting.splice(0)) answer();
  }
}

export interface SentOptions {
  readonly body?: string;
}

/** Sends a request and returns the status. */
export type Send = (url: string, options?: SentOptions) => Promise<number | undefined>;

export const viaNode =
  (module: typeof http | typeof https, agent?: http.Agent): Send =>
  (url, { body } = {}) =>
    new Promise((resolve, reject) => {
      const options = { method: body === undefined ? "GET" : "POST", ...(agent && { agent }) };
      module
        .request(url, options, (response) => response.resume().on("end", () => resolve(response.statusCode)))
        .on("error", reject)
        .end(body);
    });

/** Lets clients notice what happened to their connections, some of which they free in a later turn of the event loop. */
export async function laterTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

interface Way {
  readonly nockFirst: boolean;
  readonly intercept: "nock" | "sockets";
  readonly started: (targetUrl: string) => MockCloudReco;
}

/** Describes clients for each mode of interception, without and beside a nock of the user that is active before. */
export function describeWays(define: (way: Way) => void): void {
  const ways = (["nock", "sockets"] as const).flatMap((intercept) =>
    [false, true].map((nockFirst) => ({ intercept, nockFirst })),
  );
  describe.each(ways)("$intercept, the user's nock active before: $nockFirst", ({ intercept, nockFirst }) => {
    beforeEach(() => {
      nock.restore();
      if (nockFirst) nock.activate();
    });
    afterEach(() => {
      nock.cleanAll();
      nock.restore();
    });
    const started = (targetUrl: string) => {
      const mock = new MockCloudReco({ intercept, targetUrl });
      onTestFinished(() => mock.stop());
      return mock;
    };
    define({ nockFirst, intercept, started });
  });
}
