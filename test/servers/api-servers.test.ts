import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { realTimers } from "../../src/core/general/real-timers.ts";
import {
  FORWARD_PATH,
  packRequest,
  packResponse,
  SERVER_HEADER,
} from "../../src/servers/forwarding-messages.ts";
import { connectToManager } from "../../src/servers/manager-link.ts";
import { startTargetManager } from "../../src/servers/target-manager.ts";
import { openApiServer, resolvedBy } from "../support/separate-servers.ts";
import { listen, options, optionsWith, servers, startForEach } from "./three-servers.ts";

startForEach();

/** What answers in the manager's place. */
async function standIn(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
}

/** Sends a request that needs the manager through an API server to it. */
async function askThrough(managerUrl: string): Promise<Response> {
  const server = await openApiServer("target-api", managerUrl, listen, options);
  onTestFinished(() => server.close(0));
  return fetch(`${server.url}/summary`, { headers: { Authorization: "VWS a:b" } });
}

/** Not replaced by fake timers. */
const realImmediate = setImmediate;

const asManager = { [SERVER_HEADER]: "target-manager" };

const EMPTY_ANSWER = packResponse({
  result: { response: { status: 204, headers: [], body: Buffer.alloc(0) } },
  logged: undefined,
});

test("a request whose connection to the manager breaks gets 502, and is not repeated", async () => {
  let arrived = 0;
  const { url } = await standIn((request) => {
    arrived += 1;
    request.socket.destroy();
  });
  const response = await askThrough(url);
  expect(response.status).toBe(502);
  expect(await response.text()).toMatch(
    /^the target manager at \S+ broke off: \w+; the request may have been carried out$/,
  );
  expect(arrived).toBe(1);
});

test("a connection that the manager has closed is replaced, because nothing was written to it", async () => {
  let connections = 0;
  const { server, url } = await standIn((request, response) => {
    request.resume().once("end", () => response.writeHead(200, asManager).end(EMPTY_ANSWER));
  });
  server.on("connection", () => {
    connections += 1;
  });
  const { ask, close } = connectToManager({ managerUrl: new URL(url) }, "query 1");
  onTestFinished(close);
  const request = { method: "GET", path: "/", query: "", headers: [], body: Buffer.alloc(0) };
  const status = async () => (await ask("{}", { role: "query", request })).result.response?.status;
  for (let round = 1; round <= 20; round += 1) {
    expect(await status()).toBe(204);
    server.closeAllConnections();
  }
  expect(connections).toBe(20);
});

test("a connection to the manager that is not there after 1.2 s is given up, and nothing was sent", async () => {
  // It accepts connections, and never answers the handshake.
  const silent = createTcpServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : "";
  const waits = vi.spyOn(realTimers, "setTimeout");
  onTestFinished(() => waits.mockRestore());
  const connected = new Promise((resolve) => silent.once("connection", resolve));
  let text: string | undefined;
  const asking = askThrough(`https://127.0.0.1:${port}`).then(async (response) => {
    text = await response.text();
    return response.status;
  });
  await connected;
  const ends = waits.mock.calls.filter(([, milliseconds]) => milliseconds === 1200);
  expect([ends.length, text]).toEqual([1, undefined]);
  for (const [giveUp] of ends) giveUp();
  expect(await asking).toBe(502);
  expect(text).toBe(
    `the target manager at https://127.0.0.1:${port} cannot be reached: no connection in 1.2 s`,
  );
});

/** Captures what an API server does every ten seconds while it waits for the manager. */
function watchedApiServers() {
  const begun = vi.spyOn(realTimers, "setInterval");
  onTestFinished(() => begun.mockRestore());
  return () => begun.mock.calls.flatMap(([act, milliseconds]) => (milliseconds === 10_000 ? [act] : []));
}

test("a manager that sends no byte for 30 s is given up, for all requests that wait for it", async () => {
  const actions = watchedApiServers();
  let arrived = 0;
  let wake = () => {};
  const { url } = await standIn(() => {
    arrived += 1;
    wake();
  });
  const arrivedIs = async (count: number) => {
    while (arrived < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const server = await openApiServer("target-api", url, listen, options);
  onTestFinished(() => server.close(0));
  const ask = () => fetch(`${server.url}/summary`, { headers: { Authorization: "VWS a:b" } });
  const asking = [ask(), ask()];
  await arrivedIs(2);
  const [tenSeconds = () => {}, ...others] = actions();
  expect(others).toEqual([]);
  tenSeconds();
  await arrivedIs(3);
  tenSeconds();
  tenSeconds();
  for (const response of await Promise.all(asking)) {
    expect(response.status).toBe(502);
    expect(await response.text()).toBe(
      `the target manager at ${url} broke off: not a byte in 30 s; the request may have been carried out`,
    );
  }
  // The next one waits as long.
  const next = ask();
  await arrivedIs(4);
  for (const act of actions().slice(1)) for (const _ of [1, 2, 3]) act();
  expect((await next).status).toBe(502);
});

test("a manager that delays an answer, but shows that it is alive, is not given up", async () => {
  const actions = watchedApiServers();
  let wake = () => {};
  const { url } = await standIn((request, response) => {
    if (request.method === "GET")
      response
        .once("close", () => wake())
        .writeHead(404, asManager)
        .end();
    else request.resume().once("end", () => wake());
    if (request.method === "POST") answer = () => response.writeHead(200, asManager).end(EMPTY_ANSWER);
  });
  let answer = () => {};
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const question = next();
  const asking = askThrough(url);
  await question;
  for (let round = 0; round < 20; round += 1) {
    const asked = next();
    for (const act of actions()) act();
    await asked;
    for (let turn = 0; turn < 5; turn += 1) await new Promise(realImmediate);
  }
  answer();
  expect((await asking).status).toBe(204);
});

test("an answer of the manager is awaited however long it takes", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const slow = optionsWith({
    delay: () => {
      arrived();
      return released;
    },
  });
  const setup = { listen, options: slow("http://localhost"), resolveApiServer: resolvedBy(slow) };
  const manager = await startTargetManager(setup);
  onTestFinished(() => manager.close(0));
  const server = await openApiServer("target-api", manager.url, listen, slow);
  onTestFinished(() => server.close(0));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isAnswered = false;
  const asking = fetch(`${server.url}/summary`, { headers: { Authorization: "VWS a:b" } }).then(
    (response) => {
      isAnswered = true;
      return response.status;
    },
  );
  await arrival;
  // Longer than any limit of node:http, and in steps, so that limits that follow each other pass too.
  for (let minute = 0; minute < 60; minute += 1) {
    vi.advanceTimersByTime(60_000);
    await new Promise(realImmediate);
  }
  expect(isAnswered).toBe(false);
  release();
  expect(await asking).toBe(400);
});

test("a manager without memory left makes the API server say that it is overloaded", async () => {
  const { url } = await standIn((_request, response) => response.writeHead(503, asManager).end("overloaded"));
  const response = await askThrough(url);
  expect(response.status).toBe(503);
  expect(await response.text()).not.toMatch(/target manager/);
});

test("a connection that was made while this process stalled is used", async () => {
  const { setTimeout } = realTimers;
  const stalls = vi.spyOn(realTimers, "setTimeout").mockImplementation((act, milliseconds) => {
    if (milliseconds !== 1200) return setTimeout(act, milliseconds);
    const timer = setTimeout(act, 1);
    for (const start = performance.now(); performance.now() - start < 5; );
    return timer;
  });
  onTestFinished(() => stalls.mockRestore());
  expect(
    (await fetch(`${servers.target.url}/targets`, { headers: { Authorization: "VWS a:b" } })).status,
  ).toBe(400);
  expect(stalls.mock.calls.filter(([, milliseconds]) => milliseconds === 1200)).toHaveLength(1);
});

test("the route for API servers is closed to web pages, and refuses what is no question", async () => {
  const route = `${servers.manager.url}${FORWARD_PATH}`;
  const post = (headers: Record<string, string>, body: string) =>
    fetch(route, { method: "POST", headers, body });
  expect((await post({ Origin: "https://page.example" }, "")).status).toBe(403);
  expect((await post({}, "")).status).toBe(400);
  const text = JSON.stringify({ settings: "secret" });
  const length = String.fromCharCode(0, 0, 0, text.length);
  const refused = await post({}, length + text);
  expect(refused.status).toBe(400);
  expect(await refused.text()).not.toMatch(/secret/);
  expect((await fetch(route)).status).toBe(404);
});

test("a manager keeps no settings of more than 65,536 characters, and reads no head of more than 2 MiB", async () => {
  const ask = async (settings: string, path = "/summary") => {
    const request = { method: "GET", path, query: "", headers: [], body: Buffer.alloc(0) };
    const body = Buffer.concat(packRequest(settings, { role: "target-api", request }));
    const response = await fetch(servers.manager.url + FORWARD_PATH, { method: "POST", body });
    return [response.status, await response.text()];
  };
  const own = JSON.stringify({ serviceBaseUrl: servers.target.url });
  expect((await ask(own.padEnd(65_536)))[0]).toBe(200);
  expect(await ask(own.padEnd(65_537))).toEqual([
    400,
    "request.settings: expected text of at most 65536 characters; got other text",
  ]);
  expect((await ask(own, `/${"a".repeat(2_000_000)}`))[0]).toBe(200);
  expect(await ask(own, `/${"a".repeat(2_100_000)}`)).toEqual([
    400,
    expect.stringMatching(/^request: expected a head of at most 2097152 bytes; got 2100\d{3}$/),
  ]);
});
