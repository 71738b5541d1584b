import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import { type HeaderList, header, type WireRequest, type WireResponse } from "../core/message.ts";
import { SERVER_HEADER } from "../store/manager/internal-protocol.ts";
import { type ManagerExchange, ManagerUnavailableError } from "../store/manager/manager-client.ts";

/** Shorter than servers keep idle connections, so that none is used in the moment it is closed. */
const IDLE_CONNECTION_MILLISECONDS = 30_000;
const MAX_SOCKETS = 64;
const BROKEN = new Set(["ECONNRESET", "EPIPE"]);
/** A manager at work reports progress twice a second: one that is silent for so long hangs. */
const PATIENCE_MILLISECONDS = 1200;
const MAX_LINE = 300;
/** A limit is this many steps; the process's own stall lasts only one of them. */
const STEPS = 6;

/** The way to a target manager, over connections that are used again. */
export interface ManagerConnection {
  readonly exchange: ManagerExchange;
  /** Ends every connection; requests that wait for an answer fail. */
  close(): void;
}

export interface ManagerConnectionOptions {
  /** Certificate, as PEM text, to trust beside the known ones. */
  readonly ca?: string | undefined;
  /** How the server names itself: its role and instance. */
  readonly self?: string | undefined;
  /** How long the manager may be silent while it has requests, in milliseconds. */
  readonly patienceMilliseconds?: number | undefined;
}

/**
 * Makes the way to the target manager; nothing is sent until the first request.
 *
 * @param baseUrl - with scheme; a path prefix is kept.
 */
export function connectToManager(
  baseUrl: URL,
  { ca, self = "client", patienceMilliseconds = PATIENCE_MILLISECONDS }: ManagerConnectionOptions = {},
): ManagerConnection {
  const secure = baseUrl.protocol === "https:";
  const options = { keepAlive: true, timeout: IDLE_CONNECTION_MILLISECONDS, maxSockets: MAX_SOCKETS };
  const agent = secure ? new TlsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new Agent(options);
  const open = secure ? httpsRequest : httpRequest;
  const shown = baseUrl.origin + baseUrl.pathname.replace(/\/$/, "");
  const away = (why: string) =>
    new ManagerUnavailableError(`the target manager at ${shown} cannot be reached: ${why}`);
  const patience = new Patience(patienceMilliseconds);

  const send = (message: WireRequest, again: boolean): Promise<WireResponse> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = message;
      const outgoing = open(
        {
          agent,
          method,
          hostname: baseUrl.hostname.replace(/^\[|\]$/g, ""),
          port: baseUrl.port,
          path: baseUrl.pathname.replace(/\/$/, "") + path,
          headers: { ...Object.fromEntries(headers), [SERVER_HEADER]: self },
        },
        (incoming) => {
          patience.heard();
          const stranger = strangerIn(incoming, self);
          if (stranger !== undefined) {
            void firstLine(incoming).then((line) => {
              reject(new ManagerUnavailableError(`${shown} is not a target manager: ${stranger}${line}`));
              outgoing.destroy();
            });
            return;
          }
          const chunks: Buffer[] = [];
          incoming
            .on("data", (chunk: Buffer) => {
              patience.heard();
              chunks.push(chunk);
            })
            .once("error", (error) => reject(away(error.message)))
            .once("end", () =>
              resolve({
                status: incoming.statusCode ?? 0,
                headers: pairs(incoming.rawHeaders),
                body: Buffer.concat(chunks),
              }),
            );
        },
      );
      const done = patience.wait(() => outgoing.destroy(new Error(`no answer in ${patience.seconds} s`)));
      outgoing
        .on("information", () => patience.heard())
        .once("close", done)
        .once("error", (error: Error & { code?: string }) => {
          const { code = error.message } = error;
          // A kept connection may belong to a manager that is gone, and its state with it: another may be there now.
          if (outgoing.reusedSocket && !again && BROKEN.has(code)) resolve(send(message, true));
          else reject(away(code));
        })
        .end(body);
    });
  const close = () => {
    patience.end();
    agent.destroy();
  };
  return { exchange: (message) => send(message, false), close };
}

/**
 * Ends requests to a manager from which nothing is heard. A manager that answers other requests is not silent: those that
 * wait for a connection wait on.
 */
class Patience {
  private readonly waiting = new Map<() => void, number>();
  private silentSteps = 0;
  /** Nothing was heard since a request was given up: the next ones, often of the same client's request, wait one step. */
  private hangs = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  get seconds(): number {
    return this.milliseconds / 1000;
  }

  /** Something came from the manager. */
  heard(): void {
    this.silentSteps = 0;
    this.hangs = false;
  }

  /** @returns what to call when the request is over. */
  wait(giveUp: () => void): () => void {
    if (this.waiting.size === 0) this.silentSteps = this.hangs ? STEPS : 0;
    this.waiting.set(giveUp, this.hangs ? STEPS - 1 : 0);
    // Timers run before what was received is read: that comes first.
    this.timer ??= setInterval(() => setImmediate(() => this.step()), this.milliseconds / STEPS);
    return () => {
      this.waiting.delete(giveUp);
      if (this.waiting.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** Ends all requests that wait. */
  end(): void {
    for (const giveUp of this.waiting.keys()) giveUp();
  }

  private step(): void {
    this.silentSteps += 1;
    for (const [giveUp, steps] of this.waiting) {
      this.waiting.set(giveUp, steps + 1);
      if (Math.min(steps + 1, this.silentSteps) < STEPS) continue;
      this.hangs = true;
      giveUp();
    }
  }
}

/** What answered, in words; undefined when it is a target manager. */
function strangerIn(incoming: IncomingMessage, self: string): string | undefined {
  const { statusCode = 0 } = incoming;
  const names = header({ headers: pairs(incoming.rawHeaders) }, SERVER_HEADER);
  if (names?.startsWith("target-manager ") === true) return undefined;
  if (names === self) return "it is this server itself";
  if (names !== undefined) return `it is a ${names.split(" ", 1)[0]} server`;
  const { location, "content-type": type = "no content type" } = incoming.headers;
  if (location !== undefined && statusCode >= 300 && statusCode < 400) {
    return `it redirects to ${withoutCredentials(location)}`;
  }
  return `it answered ${statusCode} with ${type.split(";", 1)[0]}`;
}

/** What a plain text begins with, which often says what is wrong, such as a Host that is not allowed. */
async function firstLine(incoming: IncomingMessage): Promise<string> {
  const { headers } = incoming;
  if (headers["content-type"]?.startsWith("text/plain") !== true) return "";
  if (headers[SERVER_HEADER.toLowerCase()] !== undefined) return "";
  try {
    for await (const chunk of incoming) {
      const [line = ""] = String(chunk).slice(0, MAX_LINE).split("\n", 1);
      return `: ${line}`;
    }
  } catch {
    // The status has to do.
  }
  return "";
}

function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location.slice(0, MAX_LINE);
  const { origin, pathname } = new URL(location);
  return (origin + pathname).slice(0, MAX_LINE);
}

const pairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : []));
