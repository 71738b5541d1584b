import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { MockCloudReco } from "mock-cloud-reco";
import * as undici from "undici";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";
import { MOCKED, REAL, RealService } from "./kept-service.ts";

const ADDRESS = "192.0.2.1";
const SERVICE = "vws.vuforia.com";

/** Addresses that something tried to connect to beneath everything else. Nothing connects to them. */
const attempts: string[] = [];
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const [options] = [args[0]].flat();
  const { host, port } = Object(options);
  if (host !== ADDRESS) return Reflect.apply(connect, this, args);
  attempts.push(`${host}:${port}`);
  Reflect.set(this, "connecting", true);
  // A connection that is not refused fails, after what a client writes at once.
  setImmediate(() => setImmediate(() => this.destroy(new Error(`connected to ${host}`))));
  return this;
};

interface Asked {
  readonly host: string;
  readonly port?: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly servername?: string;
  readonly agent?: undefined;
  readonly createConnection?: () => net.Socket;
}

const OPTIONS = { path: "/summary", agent: false, rejectUnauthorized: false } as const;

const get = (module: typeof http | typeof https, asked: Asked) =>
  new Promise<number | undefined>((resolve, reject) => {
    module
      .get({ ...OPTIONS, ...asked }, (response) => resolve(response.resume().statusCode))
      .on("error", reject);
  });

const viaUndici = async (origin: string) => {
  const dispatcher = new undici.Agent({ connect: { rejectUnauthorized: false } });
  onTestFinished(() => dispatcher.destroy());
  const options = { headers: { host: SERVICE }, dispatcher };
  const { body, statusCode } = await undici.request(`${origin}/summary`, options);
  await body.dump();
  return statusCode;
};

const named = { headers: { host: SERVICE } };
const connected = (socket: net.Socket, event = "secureConnect") => once(socket, event).then(() => MOCKED);

/** Ways to the service at an address and a port, by the names that tell it. */
const BY_HTTPS: Readonly<Record<string, (host: string, port: number) => Promise<unknown>>> = {
  "node:https, with the server name": (host, port) =>
    get(https, { host, port, servername: SERVICE, ...named }),
  "node:https, with Host": (host, port) => get(https, { host, port, ...named }),
  "node:https, with Host but no server name": (host, port) =>
    get(https, { host, port, servername: "", ...named }),
  "node:https, by a connection of its own": (host, port) =>
    get(https, {
      host: SERVICE,
      agent: undefined,
      createConnection: () => tls.connect({ ...OPTIONS, host, port, path: undefined, servername: SERVICE }),
    }),
  undici: (host, port) => viaUndici(`https://${host}:${port}`),
};
const BY_HTTP: Readonly<Record<string, (host: string, port: number) => Promise<unknown>>> = {
  "node:http": (host, port) => get(http, { host, port, ...named }),
  undici: (host, port) => viaUndici(`http://${host}:${port}`),
};

/** Ways whose connection is open when the host becomes known. */
const LATE: Readonly<Record<string, () => Promise<unknown>>> = {
  "Host set later": () =>
    new Promise((_, reject) => {
      const request = http.request({ ...OPTIONS, host: ADDRESS }).on("error", reject);
      request.setHeader("host", SERVICE);
      request.end();
    }),
  "a request of its own": () =>
    new Promise((_, reject) => {
      const socket = net.connect(80, ADDRESS).on("error", reject);
      socket.write(`GET /summary HTTP/1.1\r\nHost: ${SERVICE}\r\n\r\n`);
    }),
  "TLS on a connection, at another port": () =>
    connected(tls.connect({ socket: net.connect(8443, ADDRESS), port: 8443, servername: SERVICE })),
};

afterEach(() => {
  attempts.length = 0;
});

/** Describes what holds whatever blocks the service. */
function itIsRefused(sentence: RegExp) {
  test.each(Object.entries(BY_HTTP))("is refused by http: %s", async (_, send) => {
    for (const port of [80, 8080])
      expect(messagesOf(await failureOf(send(ADDRESS, port))).join()).toMatch(sentence);
    expect(attempts).toEqual([]);
  });

  test.each(Object.entries(BY_HTTPS))("is refused at another port: %s", async (_, send) => {
    expect(messagesOf(await failureOf(send(ADDRESS, 8443))).join()).toMatch(sentence);
    expect(attempts).toEqual([]);
  });

  test.each(Object.entries(LATE))("is refused, on an open connection: %s", async (_, send) => {
    expect(messagesOf(await failureOf(send())).join()).toMatch(sentence);
    expect(attempts).toHaveLength(1);
  });

  test("is refused on a kept connection to a server with several names", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const service = await RealService.start("http");
    const send = (host: string) =>
      new Promise((resolve, reject) => {
        const options = { host: "service.example", port: service.port, agent, headers: { host } };
        const lookup: net.LookupFunction = (_name, _options, done) =>
          done(null, [{ address: "127.0.0.1", family: 4 }]);
        http
          .get({ ...options, lookup }, (response) =>
            response.resume().once("end", () => resolve(response.statusCode)),
          )
          .on("error", reject);
      });
    expect(await send("shop.example")).toBe(REAL);
    expect(messagesOf(await failureOf(send(SERVICE))).join()).toMatch(sentence);
    expect(service.paths).toHaveLength(1);
  });

  test.each(["127.0.0.1", "localhost", "0.0.0.0"])(
    "may be the name of one's own server at %s",
    async (host) => {
      for (const [scheme, ways] of [
        ["http", BY_HTTP],
        ["https", BY_HTTPS],
      ] as const) {
        const service = await RealService.start(scheme);
        for (const [name, send] of Object.entries(ways))
          expect([name, await send(host, service.port)]).toEqual([name, REAL]);
        expect(service.paths).toHaveLength(Object.keys(ways).length);
      }
    },
  );
}

describe.each(["nock", "sockets"] as const)("beside a mock, the service by address: %s", (intercept) => {
  const started = (options: { readonly targetUrl?: string } = {}) => {
    const mock = new MockCloudReco({ intercept, ...options });
    onTestFinished(() => mock.stop());
    return mock;
  };

  test.each(Object.entries(BY_HTTPS))("is answered by https: %s", async (_, send) => {
    const mock = started();
    expect(await send(ADDRESS, 443)).toBe(MOCKED);
    expect(mock.requests).toHaveLength(1);
    expect(attempts).toEqual([]);
  });

  test.each(Object.entries(BY_HTTP))("is answered by http, if the mock serves that: %s", async (_, send) => {
    const mock = started({ targetUrl: `http://${SERVICE}` });
    expect(await send(ADDRESS, 80)).toBe(MOCKED);
    expect(mock.requests).toHaveLength(1);
    expect(attempts).toEqual([]);
  });

  test("is told apart from others that an agent keeps connections to", async () => {
    const mock = started({ targetUrl: `http://${SERVICE}` });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const send = (host: string) =>
      new Promise((resolve, reject) => {
        http
          .get({ host: ADDRESS, path: "/summary", agent, headers: { host } }, (response) =>
            resolve(response.resume().statusCode),
          )
          .on("error", reject);
      });
    const sent = [SERVICE, "shop.example", SERVICE].map(send);
    const [first, other, last] = await Promise.allSettled(sent);
    expect([first, last]).toEqual(Array(2).fill({ status: "fulfilled", value: MOCKED }));
    expect(other).toMatchObject({ reason: { message: `connected to ${ADDRESS}` } });
    expect(mock.requests).toHaveLength(2);
  });

  describe("which may be other than served,", () => {
    beforeAll(() => {
      const mock = new MockCloudReco({ intercept });
      return () => mock.stop();
    });
    itIsRefused(/bypassed the mock: .*(serves only https:\/\/vws\.vuforia\.com; send the request there)/);
  });
});

describe("with mock-cloud-reco/register alone, the service by address", () => {
  beforeAll(async () => {
    await import("mock-cloud-reco/register");
  });

  itIsRefused(/^connect to vws\.vuforia\.com:\d+ was refused: "mock-cloud-reco\/register".*start a mock/);

  test.each(Object.entries(BY_HTTPS))("is refused by https: %s", async (_, send) => {
    expect(messagesOf(await failureOf(send(ADDRESS, 443))).join()).toMatch(/443 was refused: /);
    expect(attempts).toEqual([]);
  });

  test("is answered once a mock is started", async () => {
    await using mock = new MockCloudReco();
    for (const send of Object.values(BY_HTTPS)) expect(await send(ADDRESS, 443)).toBe(MOCKED);
    expect(mock.requests).toHaveLength(Object.keys(BY_HTTPS).length);
    expect(attempts).toEqual([]);
  });
});
