import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import * as undici from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { header } from "../support/values.ts";
import { failureOf, messagesOf } from "./failures.ts";
import { REAL, RealService } from "./kept-service.ts";
import { mock } from "./mocks.ts";
import { undiciVersions } from "./undici-versions.ts";

// Taken before any mock, from the modules: Vitest looks named imports up whenever they are used.
const { connect: keptConnect } = net;
const { connect: keptTlsConnect } = tls;
const ADDRESS = "127.0.0.1";
const NAME = "service.example";
const WAYS = ["nock", "sockets"] as const;

describe.each(undiciVersions)(
  "a client of %s that looks the host up by itself",
  (_, { Agent, fetch, getGlobalDispatcher, interceptors, request, setGlobalDispatcher }) => {
    const lookingUp = (address: string, agent: undici.Dispatcher = new Agent()) => {
      onTestFinished(() => agent.destroy());
      return agent.compose(
        interceptors.dns({ lookup: (_, __, done) => done(null, [{ address, family: 4, ttl: 60_000 }]) }),
      );
    };

    describe.each(["http", "https"])("by %s", (scheme) => {
      const host = `${scheme}://service.example`;

      test.each(WAYS)("is answered: %s", async (intercept) => {
        const { requests } = mock({ intercept, baseUrl: host, unhandledRequests: "error" });
        const dispatcher = lookingUp("203.0.113.1");
        const sent = Array.from({ length: 3 }, () => request(`${host}/x`, { dispatcher }));
        for (const { body } of await Promise.all(sent)) expect(await body.text()).toBe("ours");
        expect(await (await fetch(`${host}/x`, { dispatcher })).text()).toBe("ours");
        expect(requests.map((one) => header(one, "host"))).toEqual(Array(4).fill("service.example"));
      });

      test.each(WAYS)("is answered, composed with the global dispatcher: %s", async (intercept) => {
        const before = getGlobalDispatcher();
        onTestFinished(() => setGlobalDispatcher(before));
        setGlobalDispatcher(new Agent());
        const { requests } = mock({ intercept, baseUrl: host, unhandledRequests: "error" });
        const dispatcher = lookingUp("203.0.113.1", getGlobalDispatcher());
        expect(await (await request(`${host}/x`, { dispatcher })).body.text()).toBe("ours");
        expect(requests).toHaveLength(1);
      });
    });

    test.each(WAYS)("and has connections from before the mock, does not use them: %s", async (intercept) => {
      const service = await RealService.start("http");
      const host = `http://service.example:${service.port}`;
      const dispatcher = lookingUp("127.0.0.1");
      const send = async () => {
        const { body, statusCode } = await request(`${host}/x`, { dispatcher });
        await body.dump();
        return statusCode;
      };
      expect(await send()).toBe(REAL);
      const { requests } = mock({ intercept, baseUrl: host });
      expect([await send(), await send()]).toEqual([200, 200]);
      expect([service.paths.length, requests.length]).toEqual([1, 2]);
    });

    test("is told apart from one that sends a served name to a server of its own", async () => {
      const service = await RealService.start("http");
      const { requests } = mock({ baseUrl: "http://service.example" });
      const headers = { host: "service.example" };
      const dispatcher = new Agent();
      onTestFinished(() => dispatcher.destroy());
      for (const path of ["/x", "/kept"]) {
        const { body, statusCode } = await request(service.origin + path, { headers, dispatcher });
        await body.dump();
        expect([statusCode, requests.length]).toEqual([REAL, 0]);
      }
    });
  },
);

/** Asks for `/x` on connections that a function opens. */
const viaNode = (module: typeof http | typeof https, open: () => net.Socket) =>
  new Promise((resolve, reject) => {
    const options = { host: NAME, path: "/x", createConnection: open };
    module.get(options, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
const tlsOptions = { servername: NAME, rejectUnauthorized: false };

/** Clients that connect to the address, by functions that they may have taken before. */
const BY_ADDRESS: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
  "https, with a captured tls.connect": (port) =>
    viaNode(https, () => keptTlsConnect({ host: ADDRESS, port, ...tlsOptions })),
  "https, with a captured tls.connect on a captured connection": (port) =>
    viaNode(https, () => keptTlsConnect({ socket: keptConnect(port, ADDRESS), ...tlsOptions })),
  "https, with tls.connect on a connection": (port) =>
    viaNode(https, () => tls.connect({ socket: net.connect(port, ADDRESS), ...tlsOptions })),
  "https, in undici": (port) => {
    const dispatcher = new undici.Agent({
      connect: (_, done) => {
        const socket = keptTlsConnect({ socket: keptConnect(port, ADDRESS), ...tlsOptions });
        socket.once("secureConnect", () => done(null, socket)).once("error", (error) => done(error, null));
      },
    });
    onTestFinished(() => dispatcher.destroy());
    return undici
      .request(`https://${NAME}:${port}/x`, { dispatcher })
      .then(({ body, statusCode }) => body.dump().then(() => statusCode));
  },
  "http, with a Host that is set late": (port) =>
    new Promise((resolve, reject) => {
      const asked = http.request({ host: ADDRESS, port, path: "/x", agent: false }, (response) =>
        resolve(response.resume().statusCode),
      );
      asked.setHeader("Host", `${NAME}:${port}`);
      asked.on("error", reject).end();
    }),
};

describe.each(WAYS)("a client that connects to the address of a served host: %s", (intercept) => {
  test.each(Object.entries(BY_ADDRESS))("is refused: %s", async (name, send) => {
    const scheme = name.startsWith("https") ? "https" : "http";
    const service = await RealService.start(scheme);
    expect(await send(service.port)).toBe(REAL);
    mock({ intercept, baseUrl: `${scheme}://${NAME}:${service.port}` });
    expect(messagesOf(await failureOf(send(service.port))).join()).toMatch(
      /connect to service\.example:\d+ bypassed the mock: /,
    );
    expect(service.paths).toEqual(["/x"]);
  });
});
