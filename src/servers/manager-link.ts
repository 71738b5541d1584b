import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import { realTimers } from "../core/general/real-timers.ts";
import { messageOf } from "../core/general/text.ts";
import { StateUnavailableError } from "../core/store/store.ts";
import {
  FORWARD_PATH,
  type ForwardedRequest,
  type ForwardedResponse,
  OVERLOADED,
  packRequest,
  REFUSED,
  SERVER_HEADER,
  unpackResponse,
} from "./forwarding-messages.ts";

/** Shorter than servers keep idle connections: none is reused as it is closed. */
const IDLE_CONNECTION_MILLISECONDS = 30_000;
const CONNECTING_MILLISECONDS = 1200;
/** A manager that may be delaying an answer is asked for a sign of life this often. */
const ASKING_MILLISECONDS = 10_000;
/** How often it may miss that before it counts as hung. */
const MOST_MISSED = 3;
const MAX_LINE = 300;

/** The target manager holds too many bytes of requests already. */
export class OverloadedError extends Error {}

export interface ManagerAddress {
  /** With a scheme; a path prefix is kept. */
  readonly managerUrl: URL;
  /** A certificate to trust when the manager uses TLS, as PEM text. */
  readonly managerCertificate?: string | undefined;
}

/**
 * Asks the target manager over reused connections. It repeats nothing once a byte was written: the manager may have carried out a
 * request whose connection broke.
 *
 * @param self - this server's role and instance.
 * @returns `ask` throws StateUnavailableError if there is no answer; `close` closes all connections.
 */
export function connectToManager(address: ManagerAddress, self: string) {
  const manager = new ManagerServer(address, self);
  const waiting = new Waiting(() => manager.open({ method: "GET" }));
  const ask = async (settings: string, asked: ForwardedRequest): Promise<ForwardedResponse> => {
    const question = packRequest(settings, asked);
    for (;;) {
      const answered = await send(question, asked, manager, waiting);
      if (answered !== "unsent") return answered;
    }
  };
  return { ask, close: () => manager.close() };
}

/** The manager as HTTP sees it, and the connections that are kept to it. */
class ManagerServer {
  /** Its URL in errors. */
  readonly shown: string;
  /** The event of a socket that can carry a request. */
  readonly connected: "connect" | "secureConnect";
  readonly #path: string;
  readonly #target: RequestOptions;
  readonly #agent: Agent;
  readonly #request: typeof httpRequest;

  constructor(
    { managerUrl: { protocol, hostname, port, pathname, origin }, managerCertificate: ca }: ManagerAddress,
    readonly self: string,
  ) {
    const isSecure = protocol === "https:";
    const kept = { keepAlive: true, timeout: IDLE_CONNECTION_MILLISECONDS };
    this.#agent = isSecure ? new TlsAgent({ ...kept, ...(ca !== undefined && { ca }) }) : new Agent(kept);
    this.#request = isSecure ? httpsRequest : httpRequest;
    this.connected = isSecure ? "secureConnect" : "connect";
    const prefix = pathname.replace(/\/$/, "");
    this.shown = origin + prefix;
    this.#path = prefix + FORWARD_PATH;
    this.#target = { agent: this.#agent, method: "POST", hostname: hostname.replace(/^\[|\]$/g, ""), port };
  }

  /** Begins a request to its route for API servers. */
  open(
    {
      method = "POST",
      query = "",
      headers,
    }: { method?: string; query?: string; headers?: OutgoingHttpHeaders },
    respond?: (incoming: IncomingMessage) => void,
  ): ClientRequest {
    const path = this.#path + query;
    const own = { [SERVER_HEADER]: this.self, ...headers };
    return this.#request({ ...this.#target, method, path, headers: own }, respond);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Sends a question once. `unsent`: the manager had closed a kept connection before anything was written to it. */
const send = (
  [head, body]: ReturnType<typeof packRequest>,
  { malformed, request: { gone } }: ForwardedRequest,
  manager: ManagerServer,
  waiting: Waiting,
): Promise<ForwardedResponse | "unsent"> =>
  new Promise((resolve, reject) => {
    let isWritten = false;
    const failed = ({ message, code = message }: Error & { code?: string }) => {
      const { shown } = manager;
      if (!isWritten && outgoing.reusedSocket) return resolve("unsent");
      const why = isWritten
        ? `broke off: ${code}; the request may have been carried out`
        : `cannot be reached: ${code}`;
      reject(new StateUnavailableError(`the target manager at ${shown} ${why}`));
    };
    const query = malformed === undefined ? "" : `?${REFUSED}`;
    const headers = { "Content-Length": head.length + body.length };
    const outgoing = manager.open({ query, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      waiting.heard();
      incoming
        .on("data", (chunk: Buffer) => {
          waiting.heard();
          chunks.push(chunk);
        })
        .once("error", failed)
        .once("end", () => {
          try {
            resolve(answerIn(incoming, Buffer.concat(chunks), manager));
          } catch (error) {
            reject(error);
          }
        });
    });
    outgoing.once("error", failed);
    onceConnected(outgoing, manager.connected, () => {
      if (outgoing.destroyed) return;
      isWritten = true;
      waiting.add(outgoing);
      outgoing.write(head);
      outgoing.end(body);
      leaveWhenGone(outgoing, gone);
    });
  });

/** Calls a function once a request's connection can carry it; fails the request if that takes too long. */
function onceConnected(
  outgoing: ClientRequest,
  event: ManagerServer["connected"],
  connected: () => void,
): void {
  outgoing.once("socket", (socket) => {
    if (!socket.connecting) {
      // A kept connection, which the manager may have closed. Between two turns, the loop notices a closed connection.
      realTimers.setImmediate(() => realTimers.setImmediate(connected));
      return;
    }
    let isConnected = false;
    const giveUp = () => {
      if (!isConnected) outgoing.destroy(new Error(`no connection in ${CONNECTING_MILLISECONDS / 1000} s`));
    };
    // After a stall of this process, its connection is noticed first.
    const timer = realTimers.setTimeout(() => realTimers.setImmediate(giveUp), CONNECTING_MILLISECONDS);
    socket
      .once(event, () => {
        isConnected = true;
        realTimers.clearTimeout(timer);
        connected();
      })
      .once("close", () => realTimers.clearTimeout(timer));
  });
}

/** Ends this side of the connection when the client is gone: the manager then delays the answer no more. */
function leaveWhenGone(outgoing: ClientRequest, gone: AbortSignal | undefined): void {
  const leave = () => outgoing.socket?.end();
  if (gone?.aborted === true) leave();
  gone?.addEventListener("abort", leave);
  outgoing.once("close", () => gone?.removeEventListener("abort", leave));
}

/** @throws StateUnavailableError if another server answered, or another version of this one; OverloadedError. */
function answerIn(
  incoming: IncomingMessage,
  received: Buffer,
  { shown, self }: ManagerServer,
): ForwardedResponse {
  const other = describeOther(incoming, received, self);
  if (other !== undefined) throw new StateUnavailableError(`${shown} is not a target manager: ${other}`);
  if (incoming.statusCode === OVERLOADED) throw new OverloadedError();
  try {
    if (incoming.statusCode !== 200) throw new Error(received.toString());
    return unpackResponse(received);
  } catch (error) {
    const why = `does not understand this server: ${messageOf(error)}`;
    throw new StateUnavailableError(`the target manager at ${shown} ${why}`);
  }
}

/** Questions that wait for their answers: as long as the manager shows that it is alive, because it may delay them. */
class Waiting {
  readonly #questions = new Set<ClientRequest>();
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;
  #asked: ClientRequest | undefined;

  /** @param open - begins a request that the manager answers at once. */
  constructor(private readonly open: () => ClientRequest) {}

  add(question: ClientRequest): void {
    this.#questions.add(question);
    this.#timer ??= realTimers.setInterval(() => this.#check(), ASKING_MILLISECONDS);
    question.once("close", () => {
      this.#questions.delete(question);
      if (this.#questions.size === 0) this.#stop();
    });
  }

  /** The manager has sent something. */
  heard(): void {
    this.#missed = 0;
  }

  #check(): void {
    this.#missed += 1;
    if (this.#missed >= MOST_MISSED) {
      const why = `not a byte in ${(MOST_MISSED * ASKING_MILLISECONDS) / 1000} s`;
      for (const question of this.#questions) question.destroy(new Error(why));
    } else
      this.#asked ??= this.open()
        .on("response", (response) => {
          this.heard();
          response.resume();
        })
        .on("error", () => {})
        .once("close", () => {
          this.#asked = undefined;
        })
        .end();
  }

  #stop(): void {
    realTimers.clearInterval(this.#timer);
    this.#timer = undefined;
    this.#missed = 0;
    this.#asked?.destroy();
  }
}

/** Describes the answering server; undefined if it is a target manager. */
function describeOther(
  { statusCode = 0, headers }: IncomingMessage,
  body: Buffer,
  self: string,
): string | undefined {
  const name = headers[SERVER_HEADER.toLowerCase()]?.toString();
  if (name === "target-manager") return undefined;
  if (name === self) return "it is this server itself";
  if (name !== undefined) return `it is a ${name.split(" ", 1)[0]} server`;
  const { location, "content-type": type = "no content type" } = headers;
  if (location !== undefined && statusCode >= 300 && statusCode < 400)
    return `it redirects to ${withoutCredentials(location)}`;
  const [line = ""] = type.startsWith("text/plain") ? body.toString().slice(0, MAX_LINE).split("\n", 1) : [];
  return `it answered ${statusCode} with ${type.split(";", 1)[0]}${line === "" ? "" : `: ${line}`}`;
}

function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location.slice(0, MAX_LINE);
  const { origin, pathname } = new URL(location);
  return (origin + pathname).slice(0, MAX_LINE);
}
