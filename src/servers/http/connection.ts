import type { Duplex } from "node:stream";
import { realTimers } from "../../emulator/real-timers.ts";
import type { BodyReader } from "./body-reader.ts";
import type { HeadWatch } from "./unended-heads.ts";

/** Unanswered requests of one connection above which no more are read from it. */
const MAX_WAITING = 32;

/** One request of a connection, from its head to the end of its response. */
export interface PendingRequest {
  readonly reader: BodyReader;
  /** Whether no other request can follow on this connection, for example because more or less than its body arrived. */
  last: boolean;
}

/** A client's connection, whose requests are answered one after the other in order of arrival. */
export class Connection {
  readonly pending = new Set<PendingRequest>();
  /** Only where nobody should wait for the end of a head. */
  heads: HeadWatch | undefined;
  /** Whether a request was parsed on this connection. */
  served = false;
  /** Whether our side has ended, so that data from the client is ignored. */
  ended = false;
  /** Until all requests so far have been answered. */
  turn: Promise<void> = Promise.resolve();

  constructor(readonly socket: Duplex) {}

  get isIdle(): boolean {
    return this.pending.size === 0;
  }

  /** Answers a request after all earlier ones were answered. */
  async inTurn(request: PendingRequest, answer: () => Promise<void>): Promise<void> {
    this.served = true;
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

  /** Ends the bodies of all pending requests with the bytes that have arrived, because the parser failed. */
  stopReading(): void {
    for (const request of this.pending) {
      request.last = true;
      request.reader.stop();
    }
  }

  /**
   * Ends our side. Discards what the client still sends, so that the client can read the response.
   *
   * @param timeout - milliseconds that the client has to end its side.
   */
  end(bytes: Buffer, timeout: number): void {
    this.ended = true;
    this.socket.end(bytes);
    this.socket.resume();
    const timer = realTimers.setTimeout(() => this.socket.destroy(), timeout);
    this.socket.once("close", () => realTimers.clearTimeout(timer));
  }
}
