import type { Duplex } from "node:stream";
import type { BodyReader } from "./body-reader.ts";

/** Requests of one connection that may wait for their turn before no more are read. */
const MAX_WAITING = 32;

/** One request of a connection, from its head to the end of its response. */
export interface PendingRequest {
  readonly reader: BodyReader;
  /** Nothing sensible can follow on this connection. */
  last: boolean;
  /** Less of the body came than was announced, so that the client expects no other request to follow. */
  isCutOff: boolean;
}

/** A client's connection: its requests are answered one after the other, in the order in which they came. */
export class Connection {
  readonly pending = new Set<PendingRequest>();
  /** Whether the parser understood a request on it. */
  served = false;
  /** Our side has ended: what still comes means nothing. */
  ended = false;
  private turn: Promise<void> = Promise.resolve();

  constructor(readonly socket: Duplex) {}

  get isIdle(): boolean {
    return this.pending.size === 0;
  }

  /** Answers a request when those before it have been answered. */
  async inTurn(request: PendingRequest, answer: () => Promise<void>): Promise<void> {
    this.served = true;
    this.pending.add(request);
    if (this.pending.size > MAX_WAITING) this.socket.pause();
    const before = this.turn;
    const mine = before.then(() => (this.ended ? undefined : answer()));
    this.turn = mine;
    await mine;
    request.reader.release();
    this.pending.delete(request);
    if (this.pending.size === MAX_WAITING) this.socket.resume();
  }

  /** The parser gave up: what has come of the requests until now is all that there will be. */
  stopReading(): void {
    for (const request of this.pending) {
      request.last = true;
      request.reader.stop();
    }
  }

  /**
   * Ends our side; what the client still sends is dropped, so that it gets to read the response.
   *
   * @param patience - how long the client has to end its side, in milliseconds.
   */
  end(bytes: Buffer, patience: number): void {
    this.ended = true;
    this.socket.end(bytes);
    this.socket.resume();
    const timer = setTimeout(() => this.socket.destroy(), patience);
    this.socket.once("close", () => clearTimeout(timer));
  }
}
