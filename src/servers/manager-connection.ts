import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import type { WireRequest, WireResponse } from "../emulator/message.ts";
import { StateUnavailableError } from "../store/backing.ts";
import type { ManagerExchange } from "../store/manager/manager-client.ts";
import { RUN_HEADER, SERVER_HEADER } from "../store/manager/protocol.ts";
import { headerPairs } from "./http/http-messages.ts";

/** Shorter than servers keep idle connections open, so that none is reused just as it is closed. */
const IDLE_CONNECTION_MILLISECONDS = 30_000;
const MAX_SOCKETS = 64;
/** Codes of connections that broke, possibly after the manager had received the request. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "HPE_INVALID_EOF_STATE"]);
/** A busy manager reports progress twice a second, so a manager that is silent for this long hangs. */
const TIME_LIMIT_MILLISECONDS = 1200;
const MAX_LINE = 300;
/** The time limit is counted in this many steps, and a stall of this process counts as one step. */
const STEPS = 6;

/** The address of the target manager that keeps the state. */
export interface ManagerAddress {
  /** With a scheme; a path prefix is kept. */
  readonly managerUrl: URL;
  /** A certificate to trust when the manager uses TLS, as PEM text. */
  readonly managerCertificate?: string | undefined;
  /** How long the manager may be silent while requests are pending, in milliseconds. */
  readonly managerTimeLimitMilliseconds?: number | undefined;
}

/**
 * Prepares to send requests to the target manager over reused connections; nothing is sent before the first request.
 *
 * @param self - how this server identifies itself: its role and instance.
 * @returns `close` closes every connection; pending requests fail.
 */
export function connectToManager(
  { managerUrl: baseUrl, managerCertificate: ca, managerTimeLimitMilliseconds }: ManagerAddress,
  self = "client",
): { readonly exchange: ManagerExchange; close(): void } {
  const secure = baseUrl.protocol === "https:";
  const options = { keepAlive: true, timeout: IDLE_CONNECTION_MILLISECONDS, maxSockets: MAX_SOCKETS };
  const agent = secure ? new TlsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new Agent(options);
  const open = secure ? httpsRequest : httpRequest;
  const prefix = baseUrl.pathname.replace(/\/$/, "");
  const shown = baseUrl.origin + prefix;
  const unreachable = (why: string) =>
    new StateUnavailableError(`the target manager at ${shown} cannot be reached: ${why}`);
  const timeLimit = new TimeLimit(managerTimeLimitMilliseconds ?? TIME_LIMIT_MILLISECONDS);

  let run: string | undefined;
  /** @param firstRun - the run of the manager that may have received the request before. */
  const send = (message: WireRequest, isRepeated = false, firstRun = run): Promise<WireResponse> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = message;
      const outgoing = open(
        {
          agent,
          method,
          hostname: baseUrl.hostname.replace(/^\[|\]$/g, ""),
          port: baseUrl.port,
          path: prefix + path,
          headers: {
            ...Object.fromEntries(headers),
            [SERVER_HEADER]: self,
            ...(isRepeated && firstRun !== undefined && { [RUN_HEADER]: firstRun }),
          },
        },
        (incoming) => {
          timeLimit.heard();
          const other = describeOther(incoming, self);
          if (other !== undefined) {
            void firstLine(incoming).then((line) => {
              reject(new StateUnavailableError(`${shown} is not a target manager: ${other}${line}`));
              outgoing.destroy();
            });
            return;
          }
          run = nameOf(incoming)?.slice(MANAGER.length);
          const chunks: Buffer[] = [];
          incoming
            .on("data", (chunk: Buffer) => {
              timeLimit.heard();
              chunks.push(chunk);
            })
            .once("error", failed)
            .once("end", () =>
              resolve({
                status: incoming.statusCode ?? 0,
                headers: headerPairs(incoming.rawHeaders),
                body: Buffer.concat(chunks),
              }),
            );
        },
      );
      // Also on the first use of a connection, which a proxy may have closed. The manager makes a change only once.
      const failed = ({ message: said, code = said }: Error & { code?: string }) => {
        if (!isRepeated && BROKEN.has(code)) resolve(send(message, true, firstRun));
        else reject(unreachable(code));
      };
      const done = timeLimit.wait(() => outgoing.destroy(new Error(`no answer in ${timeLimit.seconds} s`)));
      outgoing
        .on("information", () => timeLimit.heard())
        .once("close", done)
        .once("error", failed)
        .end(body);
    });
  const close = () => {
    timeLimit.end();
    agent.destroy();
  };
  return { exchange: (message) => send(message), close };
}

/**
 * Gives up on requests to a manager that is silent. A manager that answers other requests is not silent, so requests that
 * wait for a connection keep waiting.
 */
class TimeLimit {
  private readonly waiting = new Map<() => void, number>();
  private silentSteps = 0;
  /** The manager has been silent since a request was given up. Later requests, often for the same client, wait only one step. */
  private hangs = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  get seconds(): number {
    return this.milliseconds / 1000;
  }

  /** Records a sign of life from the manager. */
  heard(): void {
    this.silentSteps = 0;
    this.hangs = false;
  }

  /** @returns a function to call when the request is over. */
  wait(giveUp: () => void): () => void {
    if (this.waiting.size === 0) this.silentSteps = this.hangs ? STEPS : 0;
    this.waiting.set(giveUp, this.hangs ? STEPS - 1 : 0);
    // Timers run before received data is read; setImmediate lets the data come first.
    this.timer ??= setInterval(() => setImmediate(() => this.step()), this.milliseconds / STEPS);
    return () => {
      this.waiting.delete(giveUp);
      if (this.waiting.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** Gives up on all pending requests. */
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

const MANAGER = "target-manager ";
/** What a server calls itself, if it is one of ours. */
const nameOf = ({ headers }: IncomingMessage): string | undefined =>
  headers[SERVER_HEADER.toLowerCase()]?.toString();

/** Describes what answered; undefined when it is a target manager. */
function describeOther(incoming: IncomingMessage, self: string): string | undefined {
  const { statusCode = 0 } = incoming;
  const names = nameOf(incoming);
  if (names?.startsWith(MANAGER) === true) return undefined;
  if (names === self) return "it is this server itself";
  if (names !== undefined) return `it is a ${names.split(" ", 1)[0]} server`;
  const { location, "content-type": type = "no content type" } = incoming.headers;
  if (location !== undefined && statusCode >= 300 && statusCode < 400) {
    return `it redirects to ${withoutCredentials(location)}`;
  }
  return `it answered ${statusCode} with ${type.split(";", 1)[0]}`;
}

/** The first line of a plain-text response, which often names the problem, such as a Host that is not allowed. */
async function firstLine(incoming: IncomingMessage): Promise<string> {
  if (incoming.headers["content-type"]?.startsWith("text/plain") !== true) return "";
  if (nameOf(incoming) !== undefined) return "";
  try {
    for await (const chunk of incoming) {
      const [line = ""] = String(chunk).slice(0, MAX_LINE).split("\n", 1);
      return `: ${line}`;
    }
  } catch {
    // The status alone has to suffice.
  }
  return "";
}

function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location.slice(0, MAX_LINE);
  const { origin, pathname } = new URL(location);
  return (origin + pathname).slice(0, MAX_LINE);
}
