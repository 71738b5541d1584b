import { AsyncResource } from "node:async_hooks";
import { OutgoingMessage } from "node:http";
import { Socket, type SocketConstructorOpts } from "node:net";
import { realTimers } from "../../core/general/real-timers.ts";

/** Size of a real socket's largest read in bytes: clients get no larger ones. */
const MAX_READ = 65_536;

const { nextTick } = process;

interface Arrival {
  /** Undefined: the other end has finished writing. */
  readonly bytes?: Buffer;
  /** Called when the bytes were read. */
  readonly read?: () => void;
}

/** The options of `net.connect` that apply to a connection in memory. */
export interface ConnectionOptions {
  readonly signal?: unknown;
  /** Milliseconds without traffic until the `timeout` event. */
  readonly timeout?: unknown;
}

/** One end of a connection inside this process. Data written to one end can be read from the other. */
export class MemorySocket extends Socket {
  override readonly remoteAddress = "127.0.0.1";
  override readonly remoteFamily = "IPv4";
  override connecting = false;

  private peer: MemorySocket | undefined;
  private readonly arrivals: Arrival[] = [];
  private wantsData = false;
  hasReceived = false;
  private isSending = false;
  private isSendingBody = false;
  /** Whether the other end has finished, and this end will emit `end` soon. */
  private isEnding = false;
  /** Known asynchronous contexts of requests that {@link runAsPeer} has not taken yet. */
  private readonly requests: AsyncResource[] = [];
  /** The asynchronous context of the last write, for clients that do not announce their requests. */
  private writer = new AsyncResource("MEMORYSOCKET");

  private constructor(
    private readonly role: "client" | "server",
    options?: SocketConstructorOpts,
  ) {
    super(options);
  }

  static pair({ signal, timeout }: ConnectionOptions): { client: MemorySocket; server: MemorySocket } {
    const client = new MemorySocket("client", signal instanceof AbortSignal ? { signal } : {});
    if (typeof timeout === "number" && timeout > 0) client.setTimeout(timeout);
    // A client that has finished sending still expects its response.
    const server = new MemorySocket("server", { allowHalfOpen: true });
    client.peer = server;
    server.peer = client;
    return { client, server };
  }

  /** Emits connection events in the next tick, after the client could add its listeners. */
  announce(...events: readonly string[]): void {
    this.connecting = true;
    nextTick(() => {
      if (this.destroyed) return;
      this.connecting = false;
      for (const event of events) this.emit(event);
    });
  }

  /** Destroys the other end with an error, and closes this end. */
  failPeer(error: Error): void {
    this.peer?.destroy(error);
    this.destroy();
  }

  /** Announces the asynchronous context of the next request. {@link endRequest} must follow. */
  announceRequest(context: AsyncResource): void {
    this.requests.push(context);
    this.isSendingBody = true;
  }

  endRequest(): void {
    this.isSendingBody = false;
  }

  /** Runs in the context of the other end's next request: the announced one, or that of the last write. Once per request. */
  runAsPeer<Result>(call: () => Result): Result {
    const { peer } = this;
    if (peer === undefined) return call();
    return (peer.requests.shift() ?? peer.writer).runInAsyncScope(call);
  }

  override _read(): void {
    this.wantsData = true;
    this.deliver();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.send(bytesOf(chunk, encoding), done);
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))), done);
  }

  override _final(done: () => void): void {
    this.peer?.arrive({});
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    super._destroy(error, done);
    const { peer } = this;
    if (peer === undefined || peer.destroyed) return;
    // Lets a client read the received data first.
    if (peer.role === "client" && peer.hasUnread) peer.arrive({});
    else {
      peer.destroy();
      // Node's agent hands out destroyed sockets until their "close" event, if the first one that it keeps is open.
      peer.emit("agentRemove");
    }
  }

  // A real socket applies these to its handle. This socket has none.
  override ref(): this {
    return this;
  }

  override unref(): this {
    return this;
  }

  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  /** Fails the other end as a TCP reset would. */
  override resetAndDestroy(): this {
    this.failPeer(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" }));
    return this;
  }

  /** Whether no data is in transit in either direction, or about to be. */
  get isQuiet(): boolean {
    return !this.hasUnread && this.peer?.hasUnread !== true && this.peer?.connecting !== true;
  }

  /** Whether the client has not sent its whole request, if its library tells. */
  get isPeerSending(): boolean {
    const { peer } = this;
    if (peer === undefined) return false;
    // The present request of node:http.
    const message: unknown = Reflect.get(peer, "_httpMessage");
    return peer.isSendingBody || (message instanceof OutgoingMessage && !message.writableEnded);
  }

  private get hasUnread(): boolean {
    return this.isEnding || this.arrivals.length > 0 || this.readableLength > 0;
  }

  private send(bytes: Buffer, done: () => void): void {
    const { peer } = this;
    if (this.role === "client" && this.requests.length === 0) this.writer = new AsyncResource("MEMORYSOCKET");
    this.restartTimeout();
    if (peer === undefined || peer.destroyed) {
      done();
      return;
    }
    this.isSending = true;
    let sent = 0;
    for (; sent + MAX_READ < bytes.length; sent += MAX_READ) {
      peer.arrive({ bytes: bytes.subarray(sent, sent + MAX_READ) });
    }
    peer.arrive({ bytes: bytes.subarray(sent), read: done });
    this.isSending = false;
  }

  private arrive(arrival: Arrival): void {
    this.hasReceived = true;
    this.arrivals.push(arrival);
    // Not during this end's write: at "100 Continue", a client would write its body before the rest of its head.
    if (this.isSending) nextTick(() => this.deliver());
    else this.deliver();
  }

  private deliver(): void {
    while (this.wantsData && !this.destroyed) {
      const arrival = this.arrivals.shift();
      if (arrival === undefined) return;
      const { bytes, read } = arrival;
      if (bytes === undefined) {
        this.isEnding = true;
        // Deferred, because the client may have paused.
        realTimers.setImmediate(() => !this.destroyed && !this.readableEnded && this.push(null));
        return;
      }
      this.restartTimeout();
      this.wantsData = false;
      if (this.push(bytes)) this.wantsData = true;
      read?.();
    }
  }

  private restartTimeout(): void {
    if (this.timeout) this.setTimeout(this.timeout);
  }
}

export const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding): Buffer =>
  typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
