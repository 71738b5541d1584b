import { beforeAll, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";

const [major = 0] = process.versions.node.split(".").map(Number);

beforeAll(() => copySamples("clients"));

it.each(["nock", "sockets"])(
  "every client is answered, although it took its functions before the mock started: %s",
  async (intercept) => {
    const { code, printed } = await runNode("clients", ["clients.mjs", intercept]);
    expect(code, printed).toBe(0);
    const results: Record<string, unknown> = JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(Object.entries(results).filter(([, status]) => status !== 401)).toEqual([]);
    expect(Object.keys(results)).toHaveLength(major >= 22 ? 13 : 10);
  },
);

it.each(["nock", "sockets"])("needle with a proxy is told how to go without: %s", async (intercept) => {
  const advice = expect.stringContaining("the client used a proxy; exclude the host with NO_PROXY");
  const proxy = "http://127.0.0.1:9";
  for (const [args, environment] of [
    [[proxy], {}],
    [[], { HTTPS_PROXY: proxy, https_proxy: proxy }],
  ] as const) {
    const { code, printed } = await runNode("clients", ["needle-proxy.mjs", intercept, ...args], environment);
    expect(code, printed).toBe(0);
    expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual([advice, advice]);
  }
});

it.each(["nock", "sockets"])(
  "clients with a proxy that is down, or silent, are answered: %s",
  async (intercept) => {
    const proxy = "http://127.0.0.1:9";
    const environment = { HTTPS_PROXY: proxy, https_proxy: proxy, NODE_USE_ENV_PROXY: "1" };
    const { code, printed } = await runNode("clients", ["down-proxy.mjs", intercept], environment);
    expect(code, printed).toBe(0);
    const { statuses, connections } = JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(Object.entries(statuses).filter(([, status]) => status !== 401)).toEqual([]);
    expect(Object.keys(statuses)).toHaveLength(major >= 22 ? 12 : 11);
    expect(connections).toBe(0);
  },
);

it.each([
  ["nock", "neutral"],
  ["sockets", "vuforia"],
])(
  "libraries for OAuth 2.0 that form-encode id and secret get tokens: %s, %s",
  async (intercept, profile) => {
    const { code, printed } = await runNode("clients", ["oauth.mjs", intercept, profile]);
    expect(code, printed).toBe(0);
    const results = JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(results).toEqual({
      "openid-client": [21, "invalid_client"],
      oauth4webapi: [21, "invalid_client"],
    });
  },
);
