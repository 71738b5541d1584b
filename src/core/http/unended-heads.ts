import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { types } from "node:util";
import { IdleTimer } from "./body-reader.ts";
import { END_OF_HEAD } from "./http-messages.ts";

const NO_BYTES = Buffer.alloc(0);

/** Detects an unfinished head. node:http does so after a minute, and only for connections that it accepted. */
export class HeadWatch {
  /** The requests whose heads ended in the present bytes. */
  private begun: IncomingMessage[] = [];
  private newest: IncomingMessage | undefined;
  /** The beginning of the next head; undefined in a body, and if only node:http knows the start of the head. */
  private head: Buffer | undefined = NO_BYTES;
  private idle: IdleTimer | undefined;

  /**
   * Create it after node:http's own listener, which parses the bytes first.
   *
   * @param onIdle - gets the head so far, if its start is known.
   */
  constructor(socket: Duplex, milliseconds: number, onIdle: (head: Buffer | undefined) => void) {
    socket
      .on("data", (bytes: Buffer) => {
        this.idle?.stop();
        const isInBody = this.newest?.complete === false;
        const isInHead = !isInBody && isWithinMessage(socket);
        const arrived = this.head?.length === 0 ? bytes : this.head && Buffer.concat([this.head, bytes]);
        const known = arrived && afterRequests(arrived, this.begun);
        this.begun = [];
        this.head = isInBody ? undefined : (known ?? (isInHead ? undefined : NO_BYTES));
        if (isInHead || hasBegun(this.head)) this.idle = new IdleTimer(milliseconds, () => onIdle(this.head));
      })
      .once("close", () => this.idle?.stop());
  }

  /** Tells of a request when its head has ended. */
  began(request: IncomingMessage): void {
    this.begun.push(request);
    this.newest = request;
  }
}

/** Only node:http's parser knows where chunks end; other runtimes' parsers do not tell. */
function isWithinMessage(socket: Duplex): boolean {
  const parser: unknown = Reflect.get(socket, "parser");
  if (typeof parser !== "object" || parser === null || !("finish" in parser)) return false;
  return typeof parser.finish === "function" && types.isNativeError(parser.finish());
}

/** Between requests, empty lines are allowed. */
const hasBegun = (head: Buffer = NO_BYTES): boolean => !/^[\r\n]*$/.test(head.toString("latin1"));

/** The bytes after whole requests; undefined if a request has no length. */
function afterRequests(bytes: Buffer, requests: readonly IncomingMessage[]): Buffer | undefined {
  let end = 0;
  for (const { headers } of requests) {
    while (bytes[end] === 0x0d || bytes[end] === 0x0a) end += 1;
    const endOfHead = bytes.indexOf(END_OF_HEAD, end);
    if (endOfHead < 0 || headers["transfer-encoding"] !== undefined) return undefined;
    end = endOfHead + END_OF_HEAD.length + Number(headers["content-length"] ?? 0);
  }
  return bytes.subarray(end);
}
