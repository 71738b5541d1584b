import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { consistent } from "../core/apis/targets-view.ts";
import { MovableClock, systemClock } from "../core/emulator/clock.ts";
import { Faults } from "../core/emulator/faults.ts";
import { Journal } from "../core/emulator/journal.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { authorizationHeader, rfc1123Date } from "../core/emulator/signing.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { acceptedConnections } from "../core/general/scheduling.ts";
import { HttpServer } from "../core/http/http-server.ts";
import { type CloudDatabase, newCloudDatabase } from "../core/schema/cloud-database.ts";
import * as changes from "../core/store/changes.ts";
import { MemoryStore } from "../core/store/memory-store.ts";
import { type ApiServerOptions, answerForwardedRequest } from "./forwarding-route.ts";
import { requestLog } from "./log.ts";

/**
 * The first one takes as long as the next eight. At about the tenth call of a function, V8 prepares to make it fast, which a client's
 * requests would wait for if these ended there. With these, Node 20's next collection of garbage falls into a client's first request:
 * later ones would take twice their time with it.
 */
const FIRST_REQUESTS = 36;
/** Sent at once, after the first: hardly any client waits yet, and a turn of the event loop for each would take half as long again. */
const AT_ONCE = 10;
/**
 * If they have taken this part of the start's own processor time, no more are sent before the URLs are printed. Usually all of them take
 * about as much, on a slow or busy machine too.
 */
const MOST_OF_START = 0.3;
/** From then on, further ones make the next hardly faster. */
const REQUESTS = 30;
const LOOPBACK = "127.0.0.1";
/** Where nothing answers there, servers start without being warm. */
const MOST_WAIT_MILLISECONDS = 1000;
/** A client that has waited for the servers is answered first. */
const DELAY_MILLISECONDS = 20;

/** Answers some requests of its own, before clients know the servers' URLs. A failure is left to the first request. */
export async function warmUpBriefly(options: ApiServerOptions): Promise<void> {
  const hasNoClient = noClientSince();
  const most = processorTime() * (1 + MOST_OF_START);
  const isInTime = () => hasNoClient() && processorTime() < most;
  await warmUp(options, isInTime, FIRST_REQUESTS, AT_ONCE).catch(() => {});
}

/** Microseconds, since the process started. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Soon answers requests of its own, on a state of their own, one in a turn of the event loop: the first ones of a process take many
 * times as long as later ones. A client that connects meanwhile ends it: its requests would wait, and warm the servers up as well.
 * For servers that last: a test sends too few requests to make up for it. A failure is left to the first request.
 *
 * @returns what ends it.
 */
export function warmUpSoon(options: ApiServerOptions): () => void {
  const hasNoClient = noClientSince();
  let isEnded = false;
  const isIdle = () => !isEnded && hasNoClient();
  const warm = () => {
    if (isIdle()) warmUp(options, isIdle).catch(() => {});
  };
  const timer = realTimers.setTimeout(warm, DELAY_MILLISECONDS);
  timer.unref();
  return () => {
    isEnded = true;
    realTimers.clearTimeout(timer);
  };
}

/** Returns a function that tells whether no client has connected since. */
export function noClientSince(): () => boolean {
  const before = acceptedConnections();
  return () => acceptedConnections() === before;
}

/**
 * @param isIdle - asked before requests are sent: false ends it.
 * @param atOnce - how many are sent together. Default: one in a turn of the event loop.
 * @returns how many requests it answered.
 * @throws if a request does not succeed.
 */
export async function warmUp(
  { profile, answerOptions }: ApiServerOptions,
  isIdle: () => boolean,
  most = REQUESTS,
  atOnce = 1,
): Promise<number> {
  const store = new MemoryStore(() => Promise.reject(new Error("no image is added")));
  const database = newCloudDatabase({}, systemRandom);
  await store.run(changes.createDatabase(database));
  const journal = new Journal(most);
  const services = {
    ...{ store, journal, profile },
    answerOptions: { ...answerOptions, responseDelaySeconds: 0 },
    clock: new MovableClock(systemClock),
    random: systemRandom,
    faults: new Faults([]),
    consistency: consistent,
  };
  const log = requestLog("target-api", "info", { write: () => {} });
  const server = new HttpServer({
    answer: async (request) => {
      const { result, logged } = await answerForwardedRequest({ role: "target-api", request }, services);
      if (logged !== undefined) log(logged);
      return result;
    },
    answerMalformed: () => Promise.reject(new Error("no request is malformed")),
  });
  return sendRequests(server, (client) => sendThrough(client, summaryOf(database), isIdle, most, atOnce));
}

/** Over a real connection, but not one of a server that clients know: it has other code than one in memory. */
async function sendRequests(server: HttpServer, send: (client: Socket) => Promise<number>): Promise<number> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.adopt(socket));
  try {
    await once(listener.listen(0, LOOPBACK), "listening");
    const address = listener.address();
    if (typeof address !== "object" || address === null) throw new Error("the listener has no port");
    const client = connect({ host: LOOPBACK, port: address.port, noDelay: true });
    try {
      return await send(client);
    } finally {
      client.destroy();
    }
  } finally {
    listener.close();
    await server.kill();
  }
}

async function sendThrough(
  client: Socket,
  request: string,
  isIdle: () => boolean,
  most: number,
  atOnce: number,
): Promise<number> {
  // The server closes it when it fails. There is no response to wait for then.
  const closed = new AbortController();
  client
    .once("close", () => closed.abort())
    .on("error", () => {})
    .setTimeout(MOST_WAIT_MILLISECONDS, () => client.destroy());
  let answered = 0;
  while (answered < most) {
    await new Promise<void>((resolve) => realTimers.setImmediate(resolve));
    if (!isIdle()) return answered;
    const count = answered === 0 ? 1 : Math.min(atOnce, most - answered);
    client.write(request.repeat(count));
    for (let [received, statuses] = ["", 0]; statuses < count; ) {
      const [chunk]: unknown[] = await once(client, "data", { signal: closed.signal });
      received += `${chunk}`;
      const found = received.match(/HTTP\/1\.1 \d{3}/g) ?? [];
      if (found.some((status) => status !== "HTTP/1.1 200"))
        throw new Error(`the servers answered: ${received}`);
      statuses = found.length;
    }
    answered += count;
  }
  return answered;
}

function summaryOf({ serverAccessKey: accessKey, serverSecretKey: secretKey }: CloudDatabase): string {
  const [method, path, date] = ["GET", "/summary", rfc1123Date()];
  const authorization = authorizationHeader({ accessKey, secretKey, method, path, date });
  const head = ["Host: localhost", `Date: ${date}`, `Authorization: ${authorization}`];
  return [`${method} ${path} HTTP/1.1`, ...head, "", ""].join("\r\n");
}
