import type { IncomingMessage } from "node:http";

/** How reading a request's body ended. `partial`: the client stopped before the announced end. */
export type BodyRead =
  | { readonly end: "whole" | "partial"; readonly bytes: Buffer }
  | { readonly end: "tooLarge" | "aborted" };

export interface BodyLimits {
  /** Bytes that are accepted. */
  readonly maxBytes: number;
  /** A client that sends nothing for so long has sent all that it will, in milliseconds. */
  readonly idleMilliseconds: number;
}

/** A body being read; the transport says when the client ended its side in the middle of it. */
export class BodyReader {
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private timer: NodeJS.Timeout | undefined;
  private settle: ((read: BodyRead) => void) | undefined;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly limits: BodyLimits,
  ) {}

  read(): Promise<BodyRead> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.incoming
        .on("data", (chunk: Buffer) => this.take(chunk))
        .once("end", () => this.finish("whole"))
        .once("error", () => this.end({ end: "aborted" }))
        .once("close", () => this.end({ end: "aborted" }));
      this.watch();
    });
  }

  /** What has come until now is all that there will be. */
  stop(): void {
    if (!this.incoming.complete) this.finish("partial");
  }

  private take(chunk: Buffer): void {
    if (this.settle === undefined) return;
    this.length += chunk.length;
    if (this.length > this.limits.maxBytes) {
      this.end({ end: "tooLarge" });
      return;
    }
    this.chunks.push(chunk);
    this.watch();
  }

  private watch(): void {
    if (this.timer !== undefined) this.timer.refresh();
    else this.timer = setTimeout(() => this.finish("partial"), this.limits.idleMilliseconds);
  }

  private finish(end: "whole" | "partial"): void {
    this.end({ end, bytes: Buffer.concat(this.chunks) });
  }

  private end(read: BodyRead): void {
    clearTimeout(this.timer);
    this.settle?.(read);
    this.settle = undefined;
  }
}
