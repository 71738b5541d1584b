import { EventEmitter } from "node:events";
import http from "node:http";
import https from "node:https";
import { PassThrough } from "node:stream";
import axios from "axios";
import got from "got";
import { MockCloudReco } from "mock-cloud-reco";
import * as undici7 from "undici";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { ClientRequest } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { undiciVersions } from "./undici-versions.ts";

/** Sends a request and returns the status. */
type Send = (request: ClientRequest) => Promise<number | undefined>;

/** A client that has one or two connections to the service. */
type MakeClient = (origin: string) => Send;

const withAgent = (send: (request: ClientRequest, agent: http.Agent) => Promise<number | undefined>) => {
  const make =
    (options: http.AgentOptions): MakeClient =>
    (origin) => {
      const agent = new (origin.startsWith("https:") ? https : http).Agent(options);
      onTestFinished(() => agent.destroy());
      return (request) => send(request, agent);
    };
  return {
    "that keeps it": make({ keepAlive: true, maxSockets: 1 }),
    "that closes it": make({ keepAlive: false, maxSockets: 1 }),
    "for all hosts": make({ keepAlive: true, maxTotalSockets: 1 }),
  };
};

const AGENTS = {
  "node:https": withAgent(
    ({ url, method, headers, body }, agent) =>
      new Promise((resolve, reject) => {
        https
          .request(url, { method, headers, agent }, (response) =>
            response.resume().once("end", () => resolve(response.statusCode)),
          )
          .on("error", reject)
          .end(body);
      }),
  ),
  axios: withAgent(async ({ url, method, headers, body }, httpsAgent) => {
    const options = { adapter: "http", validateStatus: null, httpsAgent } as const;
    return (await axios.request({ ...options, url, method, headers: { ...headers }, data: body })).status;
  }),
  got: withAgent(async ({ url, method, headers, body }, agent) => {
    const options = { throwHttpErrors: false, retry: { limit: 0 }, agent: { https: agent as https.Agent } };
    const given = { ...options, method: method as "GET", headers, ...(body && { body }) };
    return (await got(url, given)).statusCode;
  }),
};

/** Clients of a version of undici. */
const poolsOf = ({ Agent, Pool, fetch, interceptors, request }: typeof undici7) => {
  const agentOf = () => {
    const dispatcher = new Agent({ connections: 2 });
    onTestFinished(() => dispatcher.destroy());
    return dispatcher;
  };
  const poolOf = (origin: string) => {
    const pool = new Pool(origin, { connections: 1 });
    onTestFinished(() => pool.destroy());
    return pool;
  };
  const parts = ({ method, headers, body, url }: ClientRequest) =>
    ({ method: method as "GET", headers, body: body ?? null, path: new URL(url).pathname }) as const;
  const clients: Readonly<Record<string, MakeClient>> = {
    "a pool": (origin) => {
      const pool = poolOf(origin);
      return async (sent) => {
        const { body, statusCode } = await pool.request(parts(sent));
        await body.dump();
        return statusCode;
      };
    },
    "a pool that streams": (origin) => {
      const pool = poolOf(origin);
      return async (sent) => {
        let status: number | undefined;
        await pool.stream(parts(sent), (answered: { readonly statusCode: number }) => {
          status = answered.statusCode;
          return new PassThrough().resume();
        });
        return status;
      };
    },
    "a composed pool": (origin) => {
      const pool = poolOf(origin).compose(interceptors.redirect({ maxRedirections: 1 }));
      return async (sent) => {
        const { body, statusCode } = await pool.request(parts(sent));
        await body.dump();
        return statusCode;
      };
    },
    "an agent": () => {
      const dispatcher = agentOf();
      return async ({ url, ...sent }) => {
        const { path, ...rest } = parts({ url, ...sent });
        const { body, statusCode } = await request(url, { ...rest, dispatcher });
        await body.dump();
        return statusCode;
      };
    },
    fetch: () => {
      const dispatcher = agentOf();
      return async ({ url, method, headers, body = null }) => {
        const response = await fetch(url, { method, headers, body, dispatcher });
        await response.arrayBuffer();
        return response.status;
      };
    },
  };
  return clients;
};

const globalFetch: MakeClient = () => {
  const dispatcher = new undici7.Agent({ connections: 2 });
  onTestFinished(() => dispatcher.destroy());
  return async ({ url, method, headers, body }) => {
    const given = { method, headers, ...(body && { body: new Uint8Array(body) }), dispatcher };
    // Node's types know only the classes of Node's own undici.
    const response: Response = await Reflect.apply(fetch, undefined, [url, given]);
    await response.arrayBuffer();
    return response.status;
  };
};

const CLIENTS: readonly (readonly [string, MakeClient])[] = [
  ...Object.entries(AGENTS).flatMap(([name, agents]) =>
    Object.entries(agents).map(([which, make]) => [`${name}, with an agent ${which}`, make] as const),
  ),
  ...undiciVersions.flatMap(([name, undici]) =>
    Object.entries(poolsOf(undici)).map(([which, make]) => [`${name}, with ${which}`, make] as const),
  ),
  ["global fetch, with an agent of undici 7", globalFetch],
];

const COUNT = 6;

describe.each(["nock", "sockets"] as const)("a request that waits for a connection: %s", (intercept) => {
  let mock: MockCloudReco;
  beforeEach(() => {
    mock = new MockCloudReco({ intercept });
  });
  afterEach(() => mock.stop());

  test("belongs to the isolated call that made it, also with a handler that requests share", async () => {
    const pool = new undici7.Pool(mock.urls.target, { connections: 1 });
    onTestFinished(() => pool.destroy());
    let ended = () => {};
    const handler: undici7.Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => ended(),
      onResponseError: () => ended(),
    };
    const isolated = async () => {
      const end = new Promise<void>((resolve) => {
        ended = resolve;
      });
      pool.dispatch({ path: "/summary", method: "GET" }, handler);
      await end;
      return mock.requests.length;
    };
    expect(await mock.isolate(isolated)).toBe(1);
    expect(await mock.isolate(isolated)).toBe(1);
  });

  test("lets emitters have a getter that needs their constructor", () => {
    class Store extends EventEmitter {
      readonly #dispatch = () => "dispatched";
      get dispatch() {
        return this.#dispatch;
      }
    }
    expect(new Store().dispatch()).toBe("dispatched");
  });

  describe.each(["cold", "warm", "used with an earlier mock"] as const)("%s", (state) => {
    test.each(CLIENTS)("belongs to the isolated call that made it: %s", async (_, make) => {
      const send = make(mock.urls.target);
      const list = () => {
        const session = new MockSession(mock, mock.addCloudDatabase());
        return send(session.signedTarget({ method: "GET", path: "/targets" }));
      };
      if (state !== "cold") expect(await list()).toBe(200);
      if (state === "used with an earlier mock") {
        mock.stop();
        mock = new MockCloudReco({ intercept });
      }
      const database = mock.addCloudDatabase();
      const session = new MockSession(mock, database);
      const body = { name: "x", width: 1, image: makePng().toString("base64") };
      const add = () => send(session.signedTarget({ method: "POST", path: "/targets", body }));
      const earlier = mock.requests.length;
      const isolated = async () => [await add(), mock.requests.length];
      const all = await Promise.all(Array.from({ length: COUNT }, () => mock.isolate(isolated)));
      expect(all).toEqual(Array(COUNT).fill([201, 1]));
      expect([database.targets, mock.requests.length]).toEqual([[], earlier + COUNT]);
    });
  });
});
