import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { MalformedKind, RequestHead } from "../emulator/message.ts";
import { realTimers } from "../general/real-timers.ts";
import { connectionAccepted } from "../general/scheduling.ts";
import { type BodyLimits, BodyReader, type HeldBytes } from "./body-reader.ts";
import { Connection, continuationOf, leftOverOf, type PendingRequest } from "./connection.ts";
import {
  disconnect,
  headOf,
  isDelimited,
  isStreamed,
  malformedKind,
  mayBeStray,
  NO_HEAD,
  type ParserError,
  refusedBytes,
  responseBytes,
  type ServedResponse,
  type ServedResult,
  salvagedHead,
  sendResponse,
  sendStream,
  withClose,
} from "./http-messages.ts";
import type { HttpServerOptions, RequestAnswerer } from "./http-server-options.ts";
import { createNodeServer } from "./node-server.ts";
import { Slots } from "./slots.ts";
import { HeadWatch } from "./unended-heads.ts";

/** A request that is being answered. */
interface Exchange {
  readonly connection: Connection;
  readonly pending: PendingRequest;
  readonly response: ServerResponse;
}

const NO_BYTES = Buffer.alloc(0);
const MIB = 2 ** 20;
const DEFAULT_LIMITS: BodyLimits = { maxBytes: 64 * MIB, maxTotalBytes: 512 * MIB, idleMilliseconds: 2000 };
/** How long a closing server waits for a client to end its side. */
const CLOSING_MILLISECONDS = 250;
/** Connections that wait to be accepted: clients of more than that try again after seconds. */
const MOST_UNACCEPTED = 4096;

/** Serves wire messages through node:http. Sends responses byte for byte, without adding or renaming headers. */
export class HttpServer {
  private readonly server: Server;
  private readonly limits: BodyLimits;
  private readonly held: HeldBytes = { count: 0 };
  private readonly slots: Slots;
  private readonly connections = new Map<Duplex, Connection>();
  /** Accepted connections, including TLS connections during their handshake. */
  private readonly sockets = new Set<Socket>();
  private closing = false;
  private closed: Promise<void> | undefined;
  /** Ends endless streamed responses. */
  private readonly ending = new AbortController();

  constructor(
    private readonly answerer: RequestAnswerer,
    private readonly options: HttpServerOptions = {},
  ) {
    const { tls, limits, maxRequests = Number.POSITIVE_INFINITY } = options;
    this.slots = new Slots(maxRequests);
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.server = createNodeServer(tls);
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response);
    this.server
      .on("connection", (socket: Socket) => {
        this.sockets.add(socket);
        if (this.server.listening) connectionAccepted();
        socket.once("close", () => this.sockets.delete(socket));
      })
      // For TLS, where `httpAllowHalfOpen` has no effect.
      .on("secureConnection", (socket: Socket) => {
        socket.allowHalfOpen = true;
      })
      .on("request", serve)
      .on("checkExpectation", serve)
      // A request to a proxy; without a listener, node:http would cut the connection.
      .on("connect", (request: IncomingMessage, socket: Duplex) =>
        this.refuse(this.connectionOf(socket), "malformed", headOf(request)),
      )
      .on("clientError", (error: Error & ParserError, socket) => void this.rescue(error, socket));
  }

  /**
   * @param port - 0: the operating system chooses.
   * @returns the port.
   * @throws the system's error, for example if the port is taken.
   */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen({ port, host, backlog: MOST_UNACCEPTED }, () => {
        this.server.off("error", reject);
        resolve();
      });
    });
    const address: AddressInfo | string | null = this.server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Serves a connection that something else accepted. */
  adopt(socket: Duplex): void {
    this.server.emit("connection", socket);
  }

  /** Serves an in-memory connection, where an unfinished head ends early. */
  accept(socket: Duplex): void {
    this.adopt(socket);
    const connection = this.connectionOf(socket);
    connection.heads = new HeadWatch(
      socket,
      this.limits.idleMilliseconds,
      (head) => void this.refuse(connection, "unended", head && salvagedHead(head)),
    );
  }

  isAnswering(connection: Duplex): boolean {
    return this.connections.get(connection)?.isIdle === false;
  }

  /**
   * Accepts no new connections, closes idle ones, those whose last response is sent after a moment, and busy ones after
   * `graceSeconds` at the latest.
   */
  async close(graceSeconds = 5): Promise<void> {
    this.closing = true;
    this.ending.abort();
    // Once: each further call would add a listener to the server.
    this.closed ??= new Promise<void>((resolve) => this.server.close(() => resolve()));
    const busy = [...this.connections.values()].filter(({ ended, isIdle }) => ended || !isIdle);
    for (const connection of busy) connection.hasten(CLOSING_MILLISECONDS);
    // Over TLS, the accepted socket and the serving one are two objects with one address.
    const kept = new Set(busy.map(({ socket }) => addressOf(socket)));
    for (const socket of this.sockets) if (!kept.has(addressOf(socket))) socket.destroy();
    const timer = realTimers.setTimeout(() => this.destroyAll(), graceSeconds * 1000);
    await this.closed;
    realTimers.clearTimeout(timer);
  }

  /** Closes every connection at once, as when the process ends. */
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
    connection.heads?.began(incoming);
    const head = { gone: connection.gone, ...headOf(incoming) };
    const { filterFor, isSending, extraBytesOf, leavesAtEnd } = this.options;
    const { maxBytes } = this.limits;
    const limits = { ...this.limits, maxBytes: maxBytes + (extraBytesOf?.(head) ?? 0) };
    const reader = new BodyReader(incoming, limits, this.held, filterFor?.(head), () => isSending?.(socket));
    const pending: PendingRequest = {
      incoming,
      reader,
      leavesAtEnd: leavesAtEnd?.(head) === true,
      isCutOff: false,
      isBroken: false,
    };
    response.on("error", () => socket.destroy());
    await connection.inTurn(pending, async () => {
      try {
        const { leavesAtEnd } = pending;
        const result = await connection.whileHere(leavesAtEnd, () => this.resultOf(head, pending, socket));
        const served = result?.response;
        // Nobody is left to answer, or the connection is to fail.
        if (served === undefined) disconnect(socket, result?.connectionError?.kind);
        else await this.send(served, head.method, { connection, pending, response });
      } catch {
        socket.destroy();
      }
    });
  }

  private async send(
    given: ServedResponse,
    method: string,
    { connection, pending, response }: Exchange,
  ): Promise<void> {
    const next = this.closing ? "close" : continuationOf(given, pending);
    const served = next === "close" ? withClose(given) : given;
    // node:http would keep the connection open.
    const isOnly = connection.pending.size === 1;
    const isLast = next !== "keep" || (isOnly && connection.socket.readableEnded && !connection.refuses);
    if (isStreamed(served)) {
      await sendStream(served, response, connection, this.ending.signal);
      if (isLast || this.closing) this.end(connection);
    } else if (isLast || !isDelimited(served, method)) this.end(connection, responseBytes(served, method));
    // What follows on the connection cannot be read: this response goes with the refusal, so that the client sends nothing in between.
    else if (isOnly && connection.refuses) connection.held = responseBytes(served, method);
    // node:http does not know which bytes were sent past it.
    else if (connection.isRaw) await connection.write(responseBytes(served, method));
    else await sendResponse(served, response);
  }

  /** Undefined when the client disconnected before it had sent its request. */
  private async resultOf(
    head: RequestHead,
    pending: PendingRequest,
    connection: Duplex,
  ): Promise<ServedResult | undefined> {
    const read = await pending.reader.read();
    if (read.end === "aborted") return undefined;
    pending.isCutOff = read.end === "partial";
    if (!("bytes" in read)) return this.answerer.answerMalformed(read.end, head, connection);
    const { bytes, images } = read;
    const { isCutOff } = pending;
    const request = {
      body: bytes,
      ...head,
      ...(images !== undefined && { images }),
      ...(isCutOff && { isCutOff }),
    };
    return this.slots.take<ServedResult>(
      this.options.kindOf?.(head) ?? "",
      () => this.answerer.answer(request, connection),
      () => this.answerer.answerMalformed("overloaded", head, connection),
    );
  }

  /** Handles a parser error: in a body that ended early, in bytes after a request, or in a head. */
  private async rescue({ code, rawPacket, bytesParsed }: ParserError, socket: Duplex): Promise<void> {
    const connection = this.connectionOf(socket);
    if (connection.ended) return;
    const why = malformedKind(code);
    // In a body: that request is answered with what arrived of it. In a head: there is no request yet, only a refusal.
    const isInBody = why !== undefined && connection.stopReading();
    if (why === undefined || !socket.writable || (isInBody && connection.isIdle)) socket.destroy();
    else if (!isInBody) {
      const head = rawPacket && salvagedHead(refusedBytes(rawPacket, bytesParsed));
      await this.refuse(connection, why, head, mayBeStray(head, code));
    }
  }

  /** Answers a request that cannot be read, after those before it, as the last one of its connection. */
  private async refuse(
    connection: Connection,
    why: MalformedKind,
    salvaged: RequestHead | undefined,
    isStray = salvaged === undefined,
  ): Promise<void> {
    const { socket, gone } = connection;
    // node:http would end our side with the client's, before the response.
    socket.removeAllListeners("end");
    connection.watch();
    connection.refuses = true;
    // Clients match responses to requests by their order.
    await connection.turn;
    if (connection.ended) return;
    connection.ended = true;
    const { newest } = connection;
    const earlier = isStray && newest !== undefined ? leftOverOf(newest) : undefined;
    const head = { ...(salvaged ?? NO_HEAD), gone, leftOverOf: earlier };
    try {
      const { response, connectionError } = await connection.whileHere(false, () =>
        this.answerer.answerMalformed(why, head, socket),
      );
      if (response === undefined) disconnect(socket, connectionError.kind);
      else this.end(connection, responseBytes(withClose(response), head.method));
    } catch {
      socket.destroy();
    }
  }

  private end(connection: Connection, bytes: Buffer = NO_BYTES): void {
    connection.end(bytes, this.closing ? CLOSING_MILLISECONDS : this.limits.idleMilliseconds);
  }
}

/** An in-memory connection has no address. */
function addressOf(socket: Duplex): unknown {
  if (!(socket instanceof Socket) || socket.remotePort === undefined) return socket;
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
