import type { IncomingMessage } from "node:http";
import { IdleTimer } from "./idle-timer.ts";

/**
 * How reading a request's body ended. `partial`: the client stopped before the announced end. `overloaded`: the server
 * holds too many bytes of other requests.
 */
export type BodyRead =
  | { readonly end: "whole" | "partial"; readonly bytes: Buffer }
  | { readonly end: "tooLarge" | "overloaded" | "aborted" };

export interface BodyLimits {
  /** Largest body, in bytes. */
  readonly maxBytes: number;
  /** Bytes of all bodies that are being read or answered at one time. */
  readonly maxTotalBytes: number;
  /** A client that sends nothing for so long has sent all that it will, in milliseconds. */
  readonly idleMilliseconds: number;
}

/** Counts the bytes that the bodies of all unanswered requests take. */
export interface HeldBytes {
  count: number;
}

/** A body being read; the transport says when the client ended its side in the middle of it. */
export class BodyReader {
  private chunks: Buffer[] = [];
  private length = 0;
  private counted = 0;
  private stopped = false;
  private idle: IdleTimer | undefined;
  private settle: ((read: BodyRead) => void) | undefined;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly limits: BodyLimits,
    private readonly held: HeldBytes,
  ) {}

  read(): Promise<BodyRead> {
    return new Promise((resolve) => {
      this.settle = resolve;
      const { incoming } = this;
      if (incoming.destroyed) {
        this.end({ end: "aborted" });
        return;
      }
      this.idle = new IdleTimer(this.limits.idleMilliseconds, () => this.finish("partial"));
      incoming
        .on("data", (chunk: Buffer) => this.take(chunk))
        .once("end", () => this.finish("whole"))
        .once("error", () => this.end({ end: "aborted" }))
        .once("close", () => this.end({ end: "aborted" }));
      // What was received before the client ended its side is still to be read.
      if (this.stopped) setImmediate(() => this.finish("partial"));
    });
  }

  /** What has come until now is all that there will be. */
  stop(): void {
    if (this.incoming.complete) return;
    this.stopped = true;
    if (this.settle !== undefined) this.finish("partial");
  }

  /** The request was answered: its body takes no memory any more. */
  release(): void {
    this.idle?.stop();
    this.chunks = [];
    this.held.count -= this.counted;
    this.counted = 0;
  }

  private take(chunk: Buffer): void {
    if (this.settle === undefined) return;
    this.length += chunk.length;
    this.counted += chunk.length;
    this.held.count += chunk.length;
    if (this.length > this.limits.maxBytes) this.end({ end: "tooLarge" });
    else if (this.held.count > this.limits.maxTotalBytes) this.end({ end: "overloaded" });
    else {
      this.chunks.push(chunk);
      this.idle?.note();
    }
  }

  private finish(end: "whole" | "partial"): void {
    this.end({ end, bytes: Buffer.concat(this.chunks) });
  }

  private end(read: BodyRead): void {
    const { settle } = this;
    if (settle === undefined) return;
    this.settle = undefined;
    this.idle?.stop();
    settle(read);
    this.chunks = [];
    if (!("bytes" in read)) this.release();
  }
}
