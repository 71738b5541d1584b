import http from "node:http";
import https from "node:https";
import axios from "axios";
import got from "got";
import * as undici from "undici";
import { beforeAll, onTestFinished } from "vitest";
import { ca, type Send, viaNode } from "./kept-service.ts";
import { undiciVersions } from "./undici-versions.ts";

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
export const KEEPING_CLIENTS: Readonly<Record<string, (origin: string, scheme: string) => Send>> = {
  ...Object.fromEntries(
    undiciVersions
      .filter(([, module]) => module !== undici)
      .map(([name, { Agent }]) => [`${name}.Agent`, () => viaUndici(new Agent({ connect: { ca } }))]),
  ),
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
      https: { rejectUnauthorized: false },
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

/** Accepts the tests' certificate for every name, also where a client has no option for it. */
export function acceptCertificate(): void {
  beforeAll(() => {
    const rejects = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    return () => {
      if (rejects === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = rejects;
    };
  });
}
