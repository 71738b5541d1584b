import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { realTimers } from "../../emulator/real-timers.ts";
import type { BodyReader } from "./body-reader.ts";
import type { HeadWatch } from "./unended-heads.ts";

/** Unanswered requests of one connection above which no more are read from it. */
const MAX_WAITING = 32;

export interface PendingRequest {
  readonly incoming: IncomingMessage;
  readonly reader: BodyReader;
  /** Whether no other request can follow, for example after a body of another length than announced. */
  last: boolean;
}

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

  constructor(readonly socket: Duplex) {}

  get isIdle(): boolean {
    return this.pending.size === 0 && !this.refuses;
  }

  async inTurn(request: PendingRequest, answer: () => Promise<void>): Promise<void> {
    this.newest = request;
    this.pending.add(request);
    if (this.pending.size > MAX_WAITING) this.socket.pause();
    const before = this.turn;
    const mine = before.then(async () => {
      if (!this.ended) await answer();
    });
    this.turn = mine;
    await mine;
    request.reader.release();
    this.pending.delete(request);
    if (this.pending.size === MAX_WAITING) this.socket.resume();
  }

  /** Ends the body in which the parser failed. Returns false if the parser failed between two requests. */
  stopReading(): boolean {
    const { newest } = this;
    if (newest === undefined || newest.incoming.complete) return false;
    newest.last = true;
    newest.reader.stop();
    return true;
  }

  /** Ends our side. Discards further data, so that the client can read the response. `timeout`: for the client's end, in ms. */
  end(bytes: Buffer, timeout: number): void {
    this.ended = true;
    this.socket.end(Buffer.concat([this.held, bytes]));
    this.socket.resume();
    const timer = realTimers.setTimeout(() => this.socket.destroy(), timeout);
    this.socket.once("close", () => realTimers.clearTimeout(timer));
  }
}
