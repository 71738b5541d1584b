import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ResponseHead } from "../emulator/message.ts";
import { realTimers } from "../general/real-timers.ts";
import type { BodyReader } from "./body-reader.ts";
import { keepsAlive, saysClose, splitTarget } from "./http-messages.ts";
import type { HeadWatch } from "./unended-heads.ts";

/** Unanswered requests of one connection above which no more are read from it. */
export const MAX_WAITING = 32;

/** The beginning of every response. */
const PROBE = "HTTP/1.1 ";
/** Milliseconds before each byte of it. The answer to one arrives before the next, or before a later one. */
const PROBE_PAUSES = [20, 20, 100, 500, 2500, 12_500, 60_000, 300_000, 300_000];

export interface PendingRequest {
  readonly incoming: IncomingMessage;
  readonly reader: BodyReader;
  /** Whether its client no longer waits once it has ended its side. */
  readonly leavesAtEnd: boolean;
  /** Whether the request was answered before its announced end. */
  isCutOff: boolean;
  /** Whether the parser failed within the body, or the client ended its side there. */
  isBroken: boolean;
}

/**
 * How a connection continues after a response: `close` is said in the response, `end` is not. With a gateway timeout, the query API
 * gives up the rest of a body, and what follows is the next request. After other responses, the rest could look like one.
 */
export function continuationOf(
  response: ResponseHead,
  { incoming, reader, isCutOff, isBroken }: PendingRequest,
): "keep" | "close" | "end" {
  if (saysClose(response) || !keepsAlive(incoming)) return "close";
  if (!isCutOff) return isBroken ? "close" : "keep";
  if (response.status !== GATEWAY_TIMEOUT) return "close";
  if (isBroken) return "end";
  return reader.complete() ? "keep" : "close";
}

const GATEWAY_TIMEOUT = 504;

/** Says of which request bytes are left over that are not the start of another one. */
export const leftOverOf = ({ incoming: { method, url = "" }, reader }: PendingRequest): string =>
  `${method} ${splitTarget(url).path}, ${reader.extent}`;

/** A client's connection, whose requests are answered one after the other in order of arrival. */
export class Connection {
  readonly pending = new Set<PendingRequest>();
  /** In-memory connections only: detects an unfinished head. */
  heads: HeadWatch | undefined;
  /** The last request that was parsed on this connection. */
  newest: PendingRequest | undefined;
  /** Whether our side has ended, so that data from the client is ignored. */
  ended = false;
  /** Whether the last response will be to a request that cannot be read. */
  refuses = false;
  /** The response before that one. It is sent with it: in between, a client would use the connection again. */
  held: Buffer = Buffer.alloc(0);
  /** Until all requests so far have been answered. */
  turn: Promise<void> = Promise.resolve();
  /** Whether bytes were sent past node:http, so that all others have to be, too. */
  isRaw = false;
  private readonly leaving = new AbortController();
  /** The client ends its side, or has ended it, while this request is being answered. */
  private atEnd: (() => void) | undefined;
  private probing: NodeJS.Timeout | undefined;
  private ending: NodeJS.Timeout | undefined;
  /** Number of bytes of the next response that were sent. */
  private probed = 0;

  constructor(readonly socket: Duplex) {
    this.watch();
    socket.once("close", () => {
      this.atEnd = undefined;
      realTimers.clearTimeout(this.probing);
      this.leaving.abort();
    });
  }

  /** Listens for the end of the client's side. */
  watch(): void {
    this.socket.on("end", () => this.atEnd?.());
  }

  /** Aborted when the client has disconnected. */
  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  get isIdle(): boolean {
    return this.pending.size === 0 && !this.refuses;
  }

  async inTurn(request: PendingRequest, answer: () => Promise<void>): Promise<void> {
    this.newest = request;
    this.pending.add(request);
    // A client that sends without reading its responses would fill the memory.
    if (this.pending.size > MAX_WAITING) this.socket.pause();
    const before = this.turn;
    // Requests arrive before the ones before them are answered. Responses must go out in the order of requests.
    const mine = before.then(async () => {
      if (!this.ended) await answer();
    });
    this.turn = mine;
    await mine;
    request.reader.release();
    this.pending.delete(request);
    if (this.pending.size === MAX_WAITING) this.socket.resume();
  }

  /** Waits for a result, and notices meanwhile that the client disconnects. */
  async whileHere<T>(leavesAtEnd: boolean, result: () => Promise<T>): Promise<T> {
    this.atEnd = leavesAtEnd ? () => this.leaving.abort() : () => this.probe();
    if (this.socket.readableEnded) this.atEnd();
    try {
      return await result();
    } finally {
      this.atEnd = undefined;
      realTimers.clearTimeout(this.probing);
    }
  }

  /** Ends the body in which the parser failed. Returns false if the parser failed between two requests. */
  stopReading(): boolean {
    const { newest } = this;
    if (newest === undefined || newest.incoming.complete) return false;
    newest.isBroken = true;
    newest.reader.stop();
    return true;
  }

  /** Sends a response past node:http. Resolves when it was passed to the operating system, or the client disconnected. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(this.withoutProbes(bytes), () => resolve()));
  }

  /** Ends our side. Discards further data, so that the client can read the response. `timeout`: for the client's end, in ms. */
  end(bytes: Buffer, timeout: number): void {
    this.ended = true;
    this.socket.end(this.withoutProbes(Buffer.concat([this.held, bytes])));
    // The operating system resets a connection that closes with unread data, and the client would lose the response.
    this.socket.resume();
    this.socket.once("close", () => realTimers.clearTimeout(this.ending));
    this.awaitEnd(timeout);
  }

  /** If all is sent, waits for the client's end for so many milliseconds from now. */
  hasten(timeout: number): void {
    if (this.ending !== undefined) this.awaitEnd(timeout);
  }

  private awaitEnd(timeout: number): void {
    realTimers.clearTimeout(this.ending);
    this.ending = realTimers.setTimeout(() => this.socket.destroy(), timeout);
  }

  private withoutProbes(response: Buffer): Buffer {
    const rest = response.subarray(this.probed);
    this.probed = 0;
    return rest;
  }

  /**
   * Finds out whether a client that has ended its side still waits for its response, or has closed the connection: TCP tells only
   * in answer to a byte. So it sends the beginning of the response, a byte at a time.
   */
  private probe(): void {
    const { socket } = this;
    const pause = PROBE_PAUSES[this.probed];
    // In memory, closing is another event.
    if (pause === undefined || this.heads !== undefined) return;
    this.probing = realTimers.setTimeout(() => {
      if (!socket.writable) return;
      this.isRaw = true;
      socket.write(PROBE.charAt(this.probed));
      this.probed += 1;
      this.probe();
    }, pause);
  }
}
