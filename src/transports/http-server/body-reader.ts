import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers";
import { IdleTimer } from "./idle-timer.ts";

/**
 * How reading a request's body ended. `partial`: the client stopped before the announced end. `overloaded`: the server
 * already holds too many bytes of request bodies.
 */
export type BodyRead =
  | {
      readonly end: "whole" | "partial";
      readonly bytes: Buffer;
      readonly images?: ReadonlyMap<string, Buffer>;
    }
  | { readonly end: "tooLarge" | "overloaded" | "aborted" };

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
  /** What it took out, by SHA-256. */
  readonly images: ReadonlyMap<string, Buffer>;
}

/** The number of bytes in the bodies of all unanswered requests. */
export interface HeldBytes {
  count: number;
}

/** Reads the body of one request, within limits. */
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
    private readonly filter?: BodyFilter,
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
      // Data that arrived before the client ended its side has yet to be read.
      if (this.stopped) setImmediate(() => this.finish("partial"));
    });
  }

  /** Ends the body with the bytes that have arrived, because no more can follow. */
  stop(): void {
    if (this.incoming.complete) return;
    this.stopped = true;
    if (this.settle !== undefined) this.finish("partial");
  }

  /** Frees the body's memory after the request was answered. */
  release(): void {
    this.idle?.stop();
    this.chunks = [];
    this.held.count -= this.counted;
    this.counted = 0;
  }

  private take(chunk: Buffer): void {
    if (this.settle === undefined) return;
    const kept = this.filter?.write(chunk) ?? [chunk];
    const length = kept.reduce((total, part) => total + part.length, 0);
    this.length += length;
    this.counted += length;
    this.held.count += length;
    if (this.length > this.limits.maxBytes) this.end({ end: "tooLarge" });
    else if (this.held.count > this.limits.maxTotalBytes) this.end({ end: "overloaded" });
    else {
      this.chunks.push(...kept);
      this.idle?.note();
    }
  }

  private finish(end: "whole" | "partial"): void {
    const images = this.filter?.images;
    this.end({ end, bytes: Buffer.concat(this.chunks), ...(images !== undefined && { images }) });
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
