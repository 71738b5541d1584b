import type { IncomingMessage } from "node:http";
import { realTimers } from "../general/real-timers.ts";

/** A stall of this process counts as one step of the limit, however long it takes. */
const STEPS = 4;

/** Periods for a client that is known to send more. */
const PATIENCE = 5;

/**
 * Calls a function once after a period without activity. A stall of this process (a breakpoint, SIGSTOP, a busy event loop) does
 * not count: data that arrived then has not been read yet.
 */
export class IdleTimer {
  private idleSteps = 0;
  private readonly timer: NodeJS.Timeout;
  private last: NodeJS.Immediate | undefined;

  constructor(
    milliseconds: number,
    onIdle: () => void,
    private readonly isExpected?: () => boolean | undefined,
  ) {
    this.timer = realTimers.setInterval(() => {
      this.idleSteps += 1;
      // Timers run before received data is read, so decide after reading it.
      if (this.idleSteps >= STEPS) this.last = realTimers.setImmediate(() => this.decide(onIdle));
    }, milliseconds / STEPS);
  }

  /** Records activity, which restarts the period. */
  note(): void {
    this.idleSteps = 0;
    this.timer.refresh();
  }

  stop(): void {
    realTimers.clearInterval(this.timer);
    realTimers.clearImmediate(this.last);
  }

  private decide(onIdle: () => void): void {
    if (this.idleSteps < STEPS * (this.isExpected?.() === true ? PATIENCE : 1)) return;
    this.stop();
    onIdle();
  }
}

/** `partial`: the client stopped before the announced end. `overloaded`: the server holds too many bytes of bodies. */
export type BodyRead =
  | {
      readonly end: "whole" | "partial";
      readonly bytes: Buffer;
      readonly images?: ReadonlyMap<string, Buffer>;
    }
  | { readonly end: "bodyTooLarge" | "overloaded" | "aborted" };

export interface BodyLimits {
  /** Size limit of one body in bytes. */
  readonly maxBytes: number;
  /** Size limit in bytes of all bodies that are being read or answered. */
  readonly maxTotalBytes: number;
  /** Time without data, in milliseconds, after which a body counts as ended. */
  readonly idleMilliseconds: number;
}

/** Takes parts out of a body while it arrives. */
export interface BodyFilter {
  /** Returns the parts of a chunk that stay in the body. */
  write(chunk: Buffer): readonly Buffer[];
  /** Removed images, by SHA-256. */
  readonly images: ReadonlyMap<string, Buffer>;
}

export interface HeldBytes {
  count: number;
}

/** Stands for bytes of a body that is given up. */
const FILLER = Buffer.alloc(65_536);
const NO_BYTES = Buffer.alloc(0);
/** Many clients may announce more than they send: memory is taken for so much at first, and then for so many times what came. */
const MOST_FIRST_BYTES = 2 ** 22;
const MOST_GROWTH = 4;

/** Joins chunks as they arrive: joining megabytes at once would block. */
class Joined {
  private bytes = NO_BYTES;
  length = 0;

  /** @param expected - in bytes, if known. */
  constructor(private readonly expected: number) {}

  add(chunk: Buffer): void {
    const { bytes, length } = this;
    this.length += chunk.length;
    if (this.length > bytes.length) {
      // Fresh memory costs more than copying, so few growths are better than doublings.
      const announced = Math.min(this.expected, MOST_FIRST_BYTES + MOST_GROWTH * length);
      this.bytes = Buffer.allocUnsafe(Math.max(this.length, announced, 2 * length));
      bytes.copy(this.bytes, 0, 0, length);
    }
    chunk.copy(this.bytes, length);
  }

  get all(): Buffer {
    const { bytes, length } = this;
    // Kept bodies must not keep more memory than they fill.
    return 2 * length < bytes.length ? Buffer.from(bytes.subarray(0, length)) : bytes.subarray(0, length);
  }
}

export class BodyReader {
  private readonly announced: number;
  private arrived = 0;
  private joined: Joined;
  private counted = 0;
  private stopped = false;
  private idle: IdleTimer | undefined;
  private settle: ((read: BodyRead) => void) | undefined;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly limits: BodyLimits,
    private readonly held: HeldBytes,
    private readonly filter?: BodyFilter,
    private readonly isSending?: () => boolean | undefined,
  ) {
    this.announced = Number(incoming.headers["content-length"] ?? 0);
    this.joined = new Joined(filter === undefined && this.announced <= limits.maxBytes ? this.announced : 0);
  }

  read(): Promise<BodyRead> {
    return new Promise((resolve) => {
      this.settle = resolve;
      const { incoming } = this;
      if (incoming.destroyed) {
        this.end({ end: "aborted" });
        return;
      }
      // Most requests have arrived whole, and need no timer.
      if (!incoming.complete)
        this.idle = new IdleTimer(
          this.limits.idleMilliseconds,
          () => this.endWith("partial"),
          this.isSending,
        );
      incoming
        .on("data", (chunk: Buffer) => this.take(chunk))
        .once("end", () => this.endWith("whole"))
        .once("error", () => this.end({ end: "aborted" }))
        .once("close", () => this.end({ end: "aborted" }));
      // Data before the client's end has yet to be read.
      if (this.stopped) realTimers.setImmediate(() => this.endWith("partial"));
    });
  }

  /** Ends the body with the bytes that have arrived, because no more can follow. */
  stop(): void {
    if (this.incoming.complete) return;
    this.stopped = true;
    if (this.settle !== undefined) this.endWith("partial");
  }

  /**
   * Gives up the rest of the body: completes it for the parser, so that what follows is the next request. Returns false if that is
   * not possible: the body is chunked, or too long.
   */
  complete(): boolean {
    const { incoming, announced, arrived, limits } = this;
    const missing = announced - arrived - incoming.readableLength;
    if (missing <= limits.maxBytes)
      for (let left = missing; left > 0 && !incoming.socket.isPaused(); left -= FILLER.length)
        incoming.socket.emit("data", FILLER.subarray(0, left));
    this.arrived = arrived;
    return incoming.complete;
  }

  /** In words: how long the body was, after which further bytes came. */
  get extent(): string {
    const { incoming, announced, arrived } = this;
    if (arrived < announced) return `whose body was given up after ${arrived} of ${announced} bytes`;
    const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
    if (encoding !== undefined) return `whose body ended after ${arrived} bytes`;
    return length === undefined ? "which has no Content-Length" : `whose Content-Length is ${length}`;
  }

  /** Frees the body's memory after the request was answered. */
  release(): void {
    this.idle?.stop();
    this.joined = new Joined(0);
    this.held.count -= this.counted;
    this.counted = 0;
  }

  private take(chunk: Buffer): void {
    this.arrived += chunk.length;
    if (this.settle === undefined) return;
    const kept = this.filter?.write(chunk) ?? [chunk];
    const length = kept.reduce((total, part) => total + part.length, 0);
    this.counted += length;
    this.held.count += length;
    // A filtered body may be as large as all bodies together.
    const { maxBytes, maxTotalBytes } = this.limits;
    const most = this.filter === undefined ? maxBytes : maxTotalBytes;
    if (this.joined.length + length > most) this.end({ end: "bodyTooLarge" });
    else if (this.held.count > this.limits.maxTotalBytes) this.end({ end: "overloaded" });
    else {
      for (const part of kept) this.joined.add(part);
      this.idle?.note();
    }
  }

  private endWith(end: "whole" | "partial"): void {
    const images = this.filter?.images;
    this.end({ end, bytes: this.joined.all, ...(images !== undefined && { images }) });
  }

  private end(read: BodyRead): void {
    const { settle } = this;
    if (settle === undefined) return;
    this.settle = undefined;
    this.idle?.stop();
    settle(read);
    this.joined = new Joined(0);
    if (!("bytes" in read)) this.release();
  }
}
