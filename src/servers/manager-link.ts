import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import { realTimers } from "../core/general/real-timers.ts";
import { messageOf } from "../core/general/text.ts";
import { StateUnavailableError } from "../core/store/store.ts";
import {
  type Answered,
  type Asked,
  DOOR_PATH,
  OVERLOADED,
  packAsked,
  REFUSED,
  SERVER_HEADER,
  unpackAnswered,
} from "./door-messages.ts";

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
export function connectToManager(
  { managerUrl: baseUrl, managerCertificate: ca }: ManagerAddress,
  self: string,
) {
  const secure = baseUrl.protocol === "https:";
  const kept = { keepAlive: true, timeout: IDLE_CONNECTION_MILLISECONDS };
  const agent = secure ? new TlsAgent({ ...kept, ...(ca !== undefined && { ca }) }) : new Agent(kept);
  const open = secure ? httpsRequest : httpRequest;
  const prefix = baseUrl.pathname.replace(/\/$/, "");
  const shown = baseUrl.origin + prefix;
  const target = {
    agent,
    method: "POST",
    hostname: baseUrl.hostname.replace(/^\[|\]$/g, ""),
    port: baseUrl.port,
  };
  const waiting = new Waiting(() =>
    open({ ...target, method: "GET", path: prefix + DOOR_PATH, headers: { [SERVER_HEADER]: self } }),
  );
  /**
   * Sends a question once. `unsent`: the manager had closed a kept connection before anything was written to it.
   *
   * The answer is not delayed any more when the client is gone.
   */
  const send = (
    [head, body]: ReturnType<typeof packAsked>,
    { malformed, request: { gone } }: Asked,
  ): Promise<Answered | "unsent"> =>
    new Promise((resolve, reject) => {
      const refused = (why: string) => reject(new StateUnavailableError(why));
      let isWritten = false;
      const failed = ({ message, code = message }: Error & { code?: string }) => {
        if (isWritten)
          refused(`the target manager at ${shown} broke off: ${code}; the request may have been carried out`);
        else if (outgoing.reusedSocket) resolve("unsent");
        else refused(`the target manager at ${shown} cannot be reached: ${code}`);
      };
      const headers = { [SERVER_HEADER]: self, "Content-Length": head.length + body.length };
      const path = prefix + DOOR_PATH + (malformed === undefined ? "" : `?${REFUSED}`);
      const outgoing = open({ ...target, path, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        waiting.heard();
        incoming
          .on("data", (chunk: Buffer) => {
            waiting.heard();
            chunks.push(chunk);
          })
          .once("error", failed)
          .once("end", () => {
            const received = Buffer.concat(chunks);
            const other = describeOther(incoming, received, self);
            if (other !== undefined) return refused(`${shown} is not a target manager: ${other}`);
            if (incoming.statusCode === OVERLOADED) return reject(new OverloadedError());
            try {
              if (incoming.statusCode !== 200) throw new Error(received.toString());
              resolve(unpackAnswered(received));
            } catch (error) {
              refused(`the target manager at ${shown} does not understand this server: ${messageOf(error)}`);
            }
          });
      });
      const write = () => {
        if (outgoing.destroyed) return;
        isWritten = true;
        waiting.add(outgoing);
        outgoing.write(head);
        outgoing.end(body);
        const leave = () => outgoing.socket?.end();
        if (gone?.aborted === true) leave();
        gone?.addEventListener("abort", leave);
        outgoing.once("close", () => gone?.removeEventListener("abort", leave));
      };
      outgoing.once("error", failed).once("socket", (socket) => {
        if (!socket.connecting) {
          // Between two turns, the loop notices a closed connection.
          realTimers.setImmediate(() => realTimers.setImmediate(write));
          return;
        }
        const giveUp = () => {
          if (!isWritten) outgoing.destroy(new Error(`no connection in ${CONNECTING_MILLISECONDS / 1000} s`));
        };
        // After a stall of this process, its connection is noticed first.
        const timer = realTimers.setTimeout(() => realTimers.setImmediate(giveUp), CONNECTING_MILLISECONDS);
        socket
          .once(secure ? "secureConnect" : "connect", () => {
            realTimers.clearTimeout(timer);
            write();
          })
          .once("close", () => realTimers.clearTimeout(timer));
      });
    });
  const ask = async (settings: string, asked: Asked): Promise<Answered> => {
    const question = packAsked(settings, asked);
    for (;;) {
      const answered = await send(question, asked);
      if (answered !== "unsent") return answered;
    }
  };
  return { ask, close: () => agent.destroy() };
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
