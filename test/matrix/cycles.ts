import { channel } from "node:diagnostics_channel";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { MockCloudReco } from "../../src/index.ts";

/*
 * Starts and stops mocks of every mode beside other interceptors of the same process, in every order in which all of them end
 * cleanly; prints what stays patched, and how the heap grows. `node --expose-gc --import tsx test/matrix/cycles.ts [COUNT [NEIGHBOUR]]`
 */

interface Neighbour {
  start(): void;
  stop(): void;
}

const [major = 0] = process.versions.node.split(".").map(Number);
const [, , given, only] = process.argv;
const count = Number(given ?? 30_000);

async function nockOf(name: string): Promise<Neighbour> {
  const { default: nock } = await import(name);
  nock.restore();
  return {
    start() {
      if (!nock.isActive()) nock.activate();
      nock("https://theirs.example").persist().get("/").reply(200, "theirs");
    },
    stop() {
      nock.cleanAll();
      nock.restore();
    },
  };
}

async function mswOf(name: string): Promise<Neighbour> {
  const { http: msw, HttpResponse } = await import(name);
  const { setupServer } = await import(`${name}/node`);
  const server = setupServer(msw.get("https://theirs.example/", () => new HttpResponse("theirs")));
  return { start: () => server.listen({ onUnhandledRequest: "bypass" }), stop: () => server.close() };
}

const CHANNELS = [
  ...["created", "start", "error"].map((name) => `http.client.request.${name}`),
  "http.client.response.finish",
  ...["request:create", "request:headers", "request:error", "client:sendHeaders", "client:connected"].map(
    (name) => `undici:${name}`,
  ),
  "net.client.socket",
];

/** What interceptors patch: every property of these objects, whether channels have subscribers, and the listeners of the process. */
function patchable(): Map<string, unknown> {
  const owners: Readonly<Record<string, object>> = { globalThis, http, https, http2, net, tls, process };
  const { Agent, ClientRequest, OutgoingMessage, IncomingMessage, ServerResponse } = http;
  const classes: readonly { readonly name: string; readonly prototype: object }[] = [
    ...[Agent, https.Agent, ClientRequest, OutgoingMessage, IncomingMessage, ServerResponse],
    ...[net.Socket, net.Server, tls.TLSSocket, Headers, Request, Response, AbortSignal, ReadableStream],
  ];
  const found = new Map<string, unknown>();
  const add = (name: string, owner: object) => {
    for (const key of Reflect.ownKeys(owner)) {
      const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(owner, key) ?? {};
      found.set(`${name}.${String(key)}`, get ?? value);
      found.set(`${name}.${String(key)} (set)`, set);
      found.set(`${name}.${String(key)} (flags)`, JSON.stringify(flags));
    }
  };
  for (const [name, owner] of Object.entries(owners)) add(name, owner);
  for (const each of classes) {
    add(each.name, each);
    add(`${each.name}.prototype`, each.prototype);
  }
  for (const name of CHANNELS) found.set(`channel ${name}`, channel(name).hasSubscribers);
  for (const name of process.eventNames())
    found.set(`listeners of ${String(name)}`, process.listenerCount(name));
  return found;
}

const VARYING = /^process\.(_exiting|exitCode|debugPort|title|_events|_eventsCount|domain)/;

function differences(before: ReadonlyMap<string, unknown>): string[] {
  const after = patchable();
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !VARYING.test(name) && !Object.is(before.get(name), after.get(name)),
  );
}

const viaHttps = (url: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    https.get(url, (response) => response.resume().on("end", resolve)).on("error", reject);
  });
const viaFetch = async (url: string): Promise<unknown> => (await fetch(url)).arrayBuffer();
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function heap(): Promise<number> {
  await turn();
  for (let round = 0; round < 4; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const all: (Neighbour & { readonly name: string })[] = [{ name: "nothing", start() {}, stop() {} }];
for (const name of ["nock-13", "nock", ...(major >= 22 ? ["nock-15"] : [])])
  all.push({ name, ...(await nockOf(name)) });
for (const name of ["msw", ...(major >= 22 ? ["msw-3"] : [])]) all.push({ name, ...(await mswOf(name)) });

const neighbours = all.filter(({ name }) => only === undefined || name === only);

// Node defines it as a property of another kind when it is first used.
Reflect.get(globalThis, "AbortController");

const MODES = ["nock", "sockets", false] as const;
const before = patchable();
const found = new Map<string, readonly string[]>();
const heaps: number[] = [];
for (let cycle = 0; cycle < count; cycle += 1) {
  if (cycle % Math.ceil(count / 10) === 0) heaps.push(await heap());
  const neighbour = neighbours[cycle % neighbours.length];
  const intercept = MODES[Math.floor(cycle / neighbours.length) % MODES.length];
  const isTheirsFirst = Math.floor(cycle / neighbours.length / MODES.length) % 2 === 0;
  if (neighbour === undefined || intercept === undefined) throw new Error("no such cycle");
  // MSW and nock leave each other's patches, with and without a mock.
  if (intercept === "nock" && neighbour.name.startsWith("msw")) continue;
  const note = (what: string, about: readonly string[]) => {
    const key = `${what}: ${neighbour.name} ${isTheirsFirst ? "before" : "after"} ${String(intercept)}`;
    if (about.length > 0 && !found.has(key)) found.set(key, about);
  };
  if (isTheirsFirst) neighbour.start();
  const mock = new MockCloudReco({ intercept, journalCapacity: 1 });
  if (!isTheirsFirst) neighbour.start();
  const url = `${mock.urls.target}/summary`;
  const send = intercept === false ? mock.fetch : Math.floor(cycle / 7) % 2 === 0 ? viaFetch : viaHttps;
  await send(url).catch((error: unknown) => note("failed", [String(error)]));
  // With nock the later one first, otherwise in any order.
  if (intercept === "nock" ? isTheirsFirst : cycle % 2 === 0) mock.stop();
  neighbour.stop();
  mock.stop();
  await turn();
  note("left", differences(before));
}
console.log(JSON.stringify({ found: Object.fromEntries(found), heaps }));
process.exit(found.size > 0 ? 1 : 0);
