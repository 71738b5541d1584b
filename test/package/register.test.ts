import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { copySamples, inModules, runNode } from "./run.ts";

beforeAll(async () => {
  await copySamples("register");
  await copySamples("setup-files");
});

const REFUSED = expect.stringMatching(
  /^connect to vws\.vuforia\.com:443 was refused: "mock-cloud-reco\/register" blocks the real service; start a mock first/,
);

describe("mock-cloud-reco/register", () => {
  it.each(firstOf(["--import", "--require"], 1))(
    "blocks the service unless a mock answers: %s",
    async (flag) => {
      const { code, printed } = await runNode("register", [flag, "mock-cloud-reco/register", "captured.mjs"]);
      expect(code, printed).toBe(0);
      const [before, during, after] = JSON.parse(printed);
      expect(before).toEqual([REFUSED, REFUSED, REFUSED]);
      expect(during.slice(0, 2)).toEqual([401, 401]);
      // Loaded first, register replaces no function that was captured later: this one leads to the mock.
      expect(during[2]).toBe("connected");
      expect(after).toEqual([REFUSED, REFUSED, REFUSED]);
    },
  );

  it("lets a mock block HTTP/2 sessions of a module that was loaded after it", async () => {
    const { code, printed } = await runNode("register", [
      "--import",
      "mock-cloud-reco/register",
      "late-http2.mjs",
    ]);
    expect(code, printed).toBe(0);
    const blocked = expect.stringMatching(/^GET http:\/\/localhost:\d+\/: no mock serves this host/);
    expect(JSON.parse(printed)).toEqual([200, blocked, 200]);
  });

  it("blocks the service in worker threads and processes that this one starts", async () => {
    // Threads refuse the first flag.
    const flags = ["--expose-gc", "--no-warnings", "--import", "mock-cloud-reco/register"];
    const { code, printed } = await runNode("register", [...flags, "descendants.mjs"]);
    expect(code, printed).toBe(0);
    const { here, ...elsewhere } = JSON.parse(printed);
    expect(here).toBe(401);
    expect(Object.keys(elsewhere)).toHaveLength(7);
    const refused = expect.stringMatching(/^connect to vws.*in this thread too; .*startServers\(\)/);
    for (const [way, told] of Object.entries(elsewhere)) expect([way, told]).toEqual([way, refused]);
  });

  const oneWorker = ["--maxWorkers=1", "--no-isolate"];
  const RUNS: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "Vitest, with both files in one realm",
      [inModules("vitest/vitest.mjs"), "run", ...oneWorker],
      /Tests +2 passed/,
    ],
    [
      "Jest, with both files in one worker",
      [inModules("jest/bin/jest.js"), "--runInBand"],
      /Tests: +2 passed, 2 total/,
    ],
    ["Vitest", [inModules("vitest/vitest.mjs"), "run"], /Tests +2 passed \(2\)/],
  ];
  it.each(firstOf(RUNS, 1))("blocks the service as a setup file of %s", async (_, args, counts) => {
    const { code, printed } = await runNode("setup-files", args);
    expect(code, printed).toBe(0);
    expect(printed).toMatch(counts);
  });
});

/** Whether this version of Node can take a proxy from the environment. */
const readsProxies = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");

it.skipIf(!readsProxies)("NODE_USE_ENV_PROXY does not lead around the mock", async () => {
  const received: unknown[] = [];
  const server = createServer().on("connect", ({ url }, socket) => {
    received.push(url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const proxy = `http://127.0.0.1:${address.port}`;
  const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  const { code, printed } = await runNode("register", ["proxied.mjs"], env);
  expect(code, printed).toBe(0);
  // Node 22 warns first that this is experimental.
  expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual([401, 401, 401, 401]);
  expect(received).toEqual([]);
});
