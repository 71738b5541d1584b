import { channel } from "node:diagnostics_channel";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MockCloudReco } from "../../src/index.ts";

/*
 * Starts and stops mocks of every mode beside other interceptors of the same process, in every order in which all of them end
 * cleanly; prints what stays patched, and how the heap grows: `node --import tsx test/matrix/cycles.ts [COUNT [MODE [NEIGHBOUR]]]`.
 * The mode "none" starts no mock, so that it tells what the neighbours keep.
 */

// What is kept is counted in bytes: machine code, which V8 makes for hours, takes several hundred bytes for each cycle of any program.
for (const flag of ["--no-opt", "--no-maglev", "--no-sparkplug", "--no-flush-bytecode", "--expose-gc"])
  setFlagsFromString(flag);
const collectGarbage = runInNewContext("gc");

interface Neighbour {
  start(): void;
  stop(): void;
}

const [major = 0] = process.versions.node.split(".").map(Number);
const [, , given, onlyMode, onlyNeighbour] = process.argv;
const count = Number(given ?? 30_000);
/** How often the heap is measured. */
const SAMPLES = 20;
/** Cycles after which everything has been beside everything else, in every order. */
const ALL_ORDERS = 1000;

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

/** The last one is where Node 20 and 22 note which asynchronous context a turn of the event loop belongs to. */
const VARYING =
  /^process\.(_exiting|exitCode|debugPort|title|_events|_eventsCount|domain|Symbol\(kResourceStore\))/;

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
  for (let round = 0; round < 4; round += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}

const all: (Neighbour & { readonly name: string })[] = [{ name: "nothing", start() {}, stop() {} }];
for (const name of ["nock-13", "nock", ...(major >= 22 ? ["nock-15"] : [])])
  all.push({ name, ...(await nockOf(name)) });
for (const name of ["msw", ...(major >= 22 ? ["msw-3"] : [])]) all.push({ name, ...(await mswOf(name)) });

const isChosen = (name: string, only = "all") => only === name || (only === "all" && name !== "none");
const neighbours = all.filter(({ name }) => isChosen(name, onlyNeighbour));

// Node defines it as a property of another kind when it is first used.
Reflect.get(globalThis, "AbortController");

/** Starts one or more mocks. Returns the one to ask, if any, and what stops them. */
const MODES: Readonly<Record<string, () => { readonly asked?: MockCloudReco; stop(): void }>> = {
  nock: () => alone(new MockCloudReco({ journalCapacity: 1 })),
  sockets: () => alone(new MockCloudReco({ intercept: "sockets", journalCapacity: 1 })),
  "mock.fetch": () => alone(new MockCloudReco({ intercept: false, journalCapacity: 1 })),
  overlapping: () => {
    const first = new MockCloudReco({ intercept: "sockets", journalCapacity: 1 });
    const second = new MockCloudReco({ journalCapacity: 1 });
    first.stop();
    const third = new MockCloudReco({ intercept: "sockets", journalCapacity: 1 });
    const stop = () => {
      for (const mock of [second, third]) mock.stop();
    };
    return { asked: second, stop };
  },
  none: () => ({ stop() {} }),
};
const alone = (asked: MockCloudReco) => ({ asked, stop: () => asked.stop() });
const modes = Object.keys(MODES).filter((name) => isChosen(name, onlyMode));

const before = patchable();
const found = new Map<string, readonly string[]>();
const heaps: number[] = [];
for (let cycle = 0; cycle < count; cycle += 1) {
  if (cycle % Math.ceil(count / SAMPLES) === 0) heaps.push(await heap());
  const neighbour = neighbours[cycle % neighbours.length];
  const mode = modes[Math.floor(cycle / neighbours.length) % modes.length];
  const isTheirsFirst = Math.floor(cycle / neighbours.length / modes.length) % 2 === 0;
  const isFetch = Math.floor(cycle / neighbours.length / modes.length / 2) % 2 === 0;
  const start = MODES[mode ?? ""];
  if (neighbour === undefined || start === undefined) throw new Error("no such cycle");
  const usesNock = mode === "nock" || mode === "overlapping";
  // MSW and nock leave each other's patches, with and without a mock.
  if (usesNock && neighbour.name.startsWith("msw")) continue;
  const note = (what: string, about: readonly string[]) => {
    const key = `${what}: ${neighbour.name} ${isTheirsFirst ? "before" : "after"} ${mode}`;
    if (about.length > 0 && !found.has(key)) found.set(key, about);
  };
  if (isTheirsFirst) neighbour.start();
  const { asked, stop } = start();
  if (!isTheirsFirst) neighbour.start();
  const seesFetch = asked !== undefined || neighbour.name !== "nock-13";
  const globally = isFetch && seesFetch ? viaFetch : viaHttps;
  const send = (mode === "mock.fetch" && asked?.fetch) || globally;
  const url = asked !== undefined ? `${asked.urls.target}/summary` : "https://theirs.example/";
  if (asked !== undefined || neighbour.name !== "nothing")
    await send(url).catch((error: unknown) => note("failed", [String(error)]));
  // With nock the later one first, otherwise in any order.
  if (usesNock ? isTheirsFirst : cycle % 2 === 0) stop();
  neighbour.stop();
  stop();
  await turn();
  // What is left stays, so that later it is enough to look now and then.
  if (cycle < ALL_ORDERS || cycle % 97 === 0) note("left", differences(before));
}
heaps.push(await heap());
// From the least of one part to that of the next, because caches grow and shrink. The first part is what is made only once.
const PART = 0.4;
const least = (part: number) => Math.min(...heaps.slice(...[part, part + PART].map((end) => end * SAMPLES)));
const bytesPerCycle = (least(1 - PART) - least(1 - 2 * PART)) / (PART * count);
console.log(
  JSON.stringify({ found: Object.fromEntries(found), bytesPerCycle: Math.round(bytesPerCycle), heaps }),
);
process.exit(found.size > 0 ? 1 : 0);
