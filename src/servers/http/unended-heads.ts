import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { IdleTimer } from "./body-reader.ts";

const END_OF_HEAD = "\r\n\r\n";

/**
 * Notices when a client has stopped within the head of a request. node:http does so after a minute only, and never for connections
 * that it has not accepted itself.
 */
export class HeadWatch {
  /** The requests whose heads ended in the present bytes. */
  private begun: IncomingMessage[] = [];
  private newest: IncomingMessage | undefined;
  /** Whether the bytes up to the present ones ended with a whole request. */
  private wasWhole = true;
  /** What arrived of a head. */
  private head: Buffer = Buffer.alloc(0);
  private idle: IdleTimer | undefined;

  /**
   * Create it after node:http has added its own listener to the socket, which parses the bytes first.
   *
   * @param onIdle - gets the bytes of the head that arrived.
   */
  constructor(socket: Duplex, milliseconds: number, onIdle: (head: Buffer) => void) {
    socket
      .on("data", (bytes: Buffer) => {
        this.idle?.stop();
        this.head = this.headIn(bytes);
        // Between requests, empty lines are allowed.
        if (/^[\r\n]*$/.test(this.head.toString("latin1"))) return;
        this.idle = new IdleTimer(milliseconds, () => onIdle(this.head));
      })
      .once("close", () => this.idle?.stop());
  }

  /** Tells of a request when its head has ended. */
  began(request: IncomingMessage): void {
    this.begun.push(request);
    this.newest = request;
  }

  /** What has arrived of the next head, as far as it is known where it begins. */
  private headIn(bytes: Buffer): Buffer {
    const { begun, wasWhole } = this;
    this.begun = [];
    this.wasWhole = this.newest?.complete !== false;
    if (!wasWhole || !this.wasWhole) return Buffer.alloc(0);
    return afterRequests(this.head.length > 0 ? Buffer.concat([this.head, bytes]) : bytes, begun);
  }
}

/** The bytes behind whole requests; none if one of them is not as long as its head says. */
function afterRequests(bytes: Buffer, requests: readonly IncomingMessage[]): Buffer {
  let end = 0;
  for (const { headers } of requests) {
    while (bytes[end] === 0x0d || bytes[end] === 0x0a) end += 1;
    const endOfHead = bytes.indexOf(END_OF_HEAD, end);
    if (endOfHead < 0 || headers["transfer-encoding"] !== undefined) return Buffer.alloc(0);
    end = endOfHead + END_OF_HEAD.length + Number(headers["content-length"] ?? 0);
  }
  return bytes.subarray(end);
}
