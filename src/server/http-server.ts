import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Outcome } from "../http/outcome.ts";
import type { WireRequest } from "../http/wire-message.ts";
import { cut, keepsAlive, type ParserFault, type Unreadable, unreadable } from "./connection-faults.ts";
import { type BodyLimits, BodyReader } from "./request-body-reader.ts";
import { headOf, type RequestHead, salvagedHead } from "./request-head.ts";
import { responseBytes, sendResponse } from "./wire-response.ts";

/** What a server answers; the transport itself decides no byte of a response. */
export interface Answering {
  answer(request: WireRequest): Promise<Outcome>;
  /** Answers what is no request. The head may be missing. */
  answerUnreadable(why: Unreadable, head: RequestHead | undefined): Promise<Outcome>;
}

/** Certificate chain and private key, both as PEM text. */
export interface TlsFiles {
  /** Certificate chain, PEM. */
  readonly cert: string;
  /** Private key, PEM. */
  readonly key: string;
}

export interface HttpServerOptions {
  readonly tls?: TlsFiles | undefined;
  /** Default: 64 MiB, and 2 seconds without bytes (protocol sections 4 and 11). */
  readonly limits?: Partial<BodyLimits> | undefined;
}

const MIB = 2 ** 20;
const DEFAULT_LIMITS: BodyLimits = { maxBytes: 64 * MIB, idleMilliseconds: 2000 };
/** Bytes of all header lines together that are read, so that the limit of one line can be answered by the checks. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Longer than clients keep idle connections, so that none is closed under a client that is about to use it. */
const KEEP_ALIVE_MILLISECONDS = 120_000;

/** One request of a connection, from its head to the end of its response. */
interface Pending {
  readonly reader: BodyReader;
  /** Nothing sensible can follow on this connection. */
  last: boolean;
}

/** node:http on one side, wire messages on the other: bytes go out exactly as given, nothing is added or renamed. */
export class HttpServer {
  private readonly server: Server;
  private readonly limits: BodyLimits;
  private readonly pending = new Map<Duplex, Set<Pending>>();
  private readonly served = new WeakSet<Duplex>();
  /** Connections whose parser gave up; what still comes on them means nothing. */
  private readonly abandoned = new WeakSet<Duplex>();
  private closing = false;

  constructor(
    private readonly answering: Answering,
    { tls, limits }: HttpServerOptions = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const options = {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    };
    this.server = tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls });
    this.server.maxHeadersCount = 0;
    // A client that ends its side early still waits for its response.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response);
    this.server
      .on("request", serve)
      .on("checkExpectation", serve)
      .on("clientError", (error: Error & ParserFault, socket) => void this.rescue(error, socket));
  }

  /**
   * Starts to listen.
   *
   * @param port - 0: the system chooses.
   * @returns the port.
   * @throws what the system says, for example when the port is taken.
   */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, host, () => {
        this.server.off("error", reject);
        resolve();
      });
    });
    const address: AddressInfo | string | null = this.server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Takes no new connection, lets running requests end, and cuts those that take longer than `graceSeconds`. */
  async close(graceSeconds = 5): Promise<void> {
    this.closing = true;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const cut = setTimeout(() => this.server.closeAllConnections(), graceSeconds * 1000);
    await closed;
    clearTimeout(cut);
  }

  /** Cuts every connection at once, as when the process dies. */
  async kill(): Promise<void> {
    const closed = this.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = incoming;
    const pending: Pending = { reader: new BodyReader(incoming, this.limits), last: !keepsAlive(incoming) };
    const ofSocket = this.pending.get(socket) ?? new Set();
    this.pending.set(socket, ofSocket.add(pending));
    this.served.add(socket);
    response.on("error", () => socket.destroy());
    try {
      const outcome = await this.outcomeOf(headOf(incoming), pending);
      if (outcome?.response === undefined) {
        cut(socket, outcome?.connectionError.kind);
        return;
      }
      await sendResponse(outcome.response, response);
      if (pending.last || this.closing) this.finish(socket);
    } catch {
      socket.destroy();
    } finally {
      ofSocket.delete(pending);
      if (ofSocket.size === 0) this.pending.delete(socket);
    }
  }

  /** Nothing when the client went away before it had sent its request. */
  private async outcomeOf(head: RequestHead, pending: Pending): Promise<Outcome | undefined> {
    const read = await pending.reader.read();
    switch (read.end) {
      case "aborted":
        return undefined;
      case "tooLarge":
        return this.answering.answerUnreadable("bodyTooLarge", head);
      case "partial":
        // The rest of the body may still come: nothing after it could be told from it.
        pending.last = true;
        return this.answering.answer({ ...head, body: read.bytes });
      default:
        return this.answering.answer({ ...head, body: read.bytes });
    }
  }

  /** The parser gave up: on a body that ended early, on bytes behind a request, or on a head. */
  private async rescue({ code, rawPacket }: ParserFault, socket: Duplex): Promise<void> {
    if (this.abandoned.has(socket)) return;
    const why = unreadable(code);
    const running = this.pending.get(socket);
    if (running !== undefined && why !== undefined) {
      for (const pending of running) {
        pending.last = true;
        pending.reader.stop();
      }
      return;
    }
    // Stray bytes behind a request that was answered already are no request.
    if (why === undefined || (why === "malformed" && this.served.has(socket)) || !socket.writable) {
      socket.destroy();
      return;
    }
    this.abandoned.add(socket);
    try {
      const head = rawPacket === undefined ? undefined : salvagedHead(rawPacket);
      const { response, connectionError } = await this.answering.answerUnreadable(why, head);
      if (response === undefined) cut(socket, connectionError.kind);
      else this.finish(socket, responseBytes(response));
    } catch {
      socket.destroy();
    }
  }

  /** Ends our side; what the client still sends is dropped, so that it gets to read the response. */
  private finish(socket: Duplex, bytes: Buffer = Buffer.alloc(0)): void {
    socket.end(bytes);
    const drained = setTimeout(() => socket.destroy(), this.limits.idleMilliseconds);
    socket.once("close", () => clearTimeout(drained));
  }
}
