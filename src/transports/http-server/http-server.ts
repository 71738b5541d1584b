import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { MalformedKind } from "../../core/api.ts";
import type { Result, WireRequest } from "../../core/message.ts";
import { type BodyLimits, BodyReader, type HeldBytes } from "./body-reader.ts";
import { Connection, type PendingRequest } from "./connection.ts";
import {
  cut,
  headOf,
  isDelimited,
  keepsAlive,
  type RequestHead,
  responseBytes,
  salvagedHead,
  saysClose,
  sendResponse,
  withClose,
} from "./http-messages.ts";
import { malformedKind, type ParserFault } from "./malformed-request.ts";
import { type ServedOutcome, sendStream } from "./stream.ts";

/** What a server answers; the transport itself decides no byte of a response. */
export interface RequestAnswerer {
  answer(request: WireRequest, connection: Duplex): Promise<ServedOutcome>;
  /** Answers what is no request. The head may be missing. */
  answerMalformed(why: MalformedKind, head: RequestHead | undefined, connection: Duplex): Promise<Result>;
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
  /** Default: 64 MiB a body, 512 MiB for all bodies at one time, and 2 seconds without bytes. */
  readonly limits?: Partial<BodyLimits> | undefined;
  /** Requests whose client is told with interim responses (102), twice a second, that their answer is being made. */
  readonly reportsProgress?: ((head: RequestHead) => boolean) | undefined;
}

const NO_BYTES = Buffer.alloc(0);
const MIB = 2 ** 20;
const DEFAULT_LIMITS: BodyLimits = { maxBytes: 64 * MIB, maxTotalBytes: 512 * MIB, idleMilliseconds: 2000 };
const PROGRESS_MILLISECONDS = 500;
/** How long a stopping server waits for a client to end its side. */
const CLOSING_MILLISECONDS = 250;
/** Bytes of all header lines together that are read, so that the limit of one line can be answered by the checks. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Longer than clients keep idle connections, so that none is closed under a client that is about to use it. */
const KEEP_ALIVE_MILLISECONDS = 120_000;

/** node:http on one side, wire messages on the other: bytes go out exactly as given, nothing is added or renamed. */
export class HttpServer {
  private readonly server: Server;
  private readonly limits: BodyLimits;
  private readonly reportsProgress: (head: RequestHead) => boolean;
  private readonly held: HeldBytes = { count: 0 };
  private readonly connections = new Map<Duplex, Connection>();
  /** Connections as they were accepted; over TLS, those whose handshake is not over too. */
  private readonly sockets = new Set<Socket>();
  private closing = false;
  /** Ends the responses that would go on for ever. */
  private readonly ending = new AbortController();

  constructor(
    private readonly answerer: RequestAnswerer,
    { tls, limits, reportsProgress }: HttpServerOptions = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.reportsProgress = reportsProgress ?? (() => false);
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
      .on("connection", (socket: Socket) => {
        this.sockets.add(socket);
        socket.once("close", () => this.sockets.delete(socket));
      })
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

  /** Serves a connection that was made without listening. */
  accept(connection: Duplex): void {
    this.server.emit("connection", connection);
  }

  /** Ends every connection with its next response. @returns whether a connection waits for its response. */
  drain(): (connection: Duplex) => boolean {
    this.closing = true;
    return (connection) => this.connections.get(connection)?.isIdle === false;
  }

  /**
   * Takes no new connection, closes idle ones at once, lets running requests end, and cuts those that take longer than
   * `graceSeconds`.
   */
  async close(graceSeconds = 5): Promise<void> {
    this.closing = true;
    this.ending.abort();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const busy = [...this.connections.values()].filter(({ isIdle }) => !isIdle).map(({ socket }) => socket);
    // Over TLS, what was accepted and what serves requests are two objects with one address.
    const kept = new Set(busy.map(addressOf));
    for (const socket of this.sockets) if (!kept.has(addressOf(socket))) socket.destroy();
    const timer = setTimeout(() => this.destroyAll(), graceSeconds * 1000);
    await closed;
    clearTimeout(timer);
  }

  /** Cuts every connection at once, as when the process dies. */
  async kill(): Promise<void> {
    const closed = this.close();
    this.destroyAll();
    await closed;
  }

  private destroyAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private connectionOf(socket: Duplex): Connection {
    const known = this.connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket);
    this.connections.set(socket, connection);
    socket.once("close", () => this.connections.delete(socket));
    return connection;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = incoming;
    const connection = this.connectionOf(socket);
    const reader = new BodyReader(incoming, this.limits, this.held);
    const pending: PendingRequest = { reader, last: !keepsAlive(incoming), isCutOff: false };
    response.on("error", () => socket.destroy());
    await connection.inTurn(pending, async () => {
      try {
        const head = headOf(incoming);
        const result = await this.reporting(head, response, () => this.resultOf(head, pending, socket));
        if (result?.response === undefined) cut(socket, result?.connectionError.kind);
        else if (result.response.stream !== undefined) {
          await sendStream(result.response, response, this.ending.signal);
          if (pending.last || this.closing) this.end(connection);
        } else if (pending.last || this.closing || saysClose(result.response)) {
          const response = pending.isCutOff ? result.response : withClose(result.response);
          this.end(connection, responseBytes(response, head.method));
        } else if (isDelimited(result.response, head.method)) await sendResponse(result.response, response);
        else this.end(connection, responseBytes(result.response, head.method));
      } catch {
        socket.destroy();
      }
    });
  }

  /** Nothing when the client went away before it had sent its request. */
  private async resultOf(
    head: RequestHead,
    pending: PendingRequest,
    connection: Duplex,
  ): Promise<ServedOutcome | undefined> {
    const read = await pending.reader.read();
    switch (read.end) {
      case "aborted":
        return undefined;
      case "tooLarge":
        return this.answerer.answerMalformed("bodyTooLarge", head, connection);
      case "overloaded":
        return this.answerer.answerMalformed("overloaded", head, connection);
      case "partial":
        // The rest of the body may still come: nothing after it could be told from it.
        pending.last = true;
        pending.isCutOff = true;
        return this.answerer.answer({ ...head, body: read.bytes, isCutOff: true }, connection);
      default:
        return this.answerer.answer({ ...head, body: read.bytes }, connection);
    }
  }

  private async reporting<T>(head: RequestHead, response: ServerResponse, act: () => Promise<T>): Promise<T> {
    if (!this.reportsProgress(head)) return act();
    const timer = setInterval(() => response.writeProcessing(), PROGRESS_MILLISECONDS);
    try {
      return await act();
    } finally {
      clearInterval(timer);
    }
  }

  /** The parser gave up: on a body that ended early, on bytes behind a request, or on a head. */
  private async rescue({ code, rawPacket }: ParserFault, socket: Duplex): Promise<void> {
    const connection = this.connectionOf(socket);
    if (connection.ended) return;
    const why = malformedKind(code);
    if (why !== undefined && !connection.isIdle) {
      connection.stopReading();
      return;
    }
    // Stray bytes behind a request that was answered already are no request.
    if (why === undefined || (why === "malformed" && connection.served) || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.ended = true;
    // node:http would end our side too when the client ends its own, before the answer is made.
    socket.removeAllListeners("end");
    try {
      const head = rawPacket === undefined ? undefined : salvagedHead(rawPacket);
      const { response, connectionError } = await this.answerer.answerMalformed(why, head, socket);
      if (response === undefined) cut(socket, connectionError.kind);
      else this.end(connection, responseBytes(withClose(response), head?.method));
    } catch {
      socket.destroy();
    }
  }

  private end(connection: Connection, bytes: Buffer = NO_BYTES): void {
    connection.end(bytes, this.closing ? CLOSING_MILLISECONDS : this.limits.idleMilliseconds);
  }
}

/** What tells a connection from others; in-memory ones have no address and are their own. */
function addressOf(socket: Duplex): unknown {
  const port = socket instanceof Socket ? socket.remotePort : undefined;
  return port === undefined ? socket : `${String(Reflect.get(socket, "remoteAddress"))} ${port}`;
}
