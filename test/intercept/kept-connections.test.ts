import http from "node:http";
import https from "node:https";
import axios from "axios";
import got from "got";
import * as undici from "undici";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { combinations } from "../support/combinations.ts";
import {
  ca,
  describeWays,
  laterTurns,
  MOCKED,
  REAL,
  RealService,
  type Send,
  viaNode,
} from "./kept-service.ts";

// As without nock, which the import above leaves inactive.
const { fetch: capturedFetch } = globalThis;

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

describeWays(({ nockFirst, started }) => {
  describe.each(combinations(["http", "https"] as const, Object.entries(CLIENTS)))(
    "%s",
    (scheme, [name, make]) => {
      describe(name, () => {
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
            await laterTurns();
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
            await laterTurns();
            expect(await send(`${other.origin}/`)).toBe(REAL);
          }
          mock.stop();
          await laterTurns();
          expect(await send(`${other.origin}/`)).toBe(REAL);
          // With nock active, its agents close connections, as without a mock.
          if (!nockFirst || !/agent|axios|got/.test(name)) expect(other.connections).toHaveLength(1);
        });
      });
    },
  );
});
