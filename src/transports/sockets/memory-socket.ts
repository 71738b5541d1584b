import { AsyncLocalStorage } from "node:async_hooks";
import { Socket, type SocketConstructorOpts } from "node:net";
import { setImmediate } from "node:timers";

/** As much as a real socket reads at once; undici asserts on more. */
const LARGEST_READ = 65_536;

/** Taken at load, before a test fakes timers. */
const nextTurn = setImmediate;
const { nextTick } = process;

interface Arrival {
  /** Nothing: the other end has finished writing. */
  readonly bytes?: Buffer;
  /** Tells the writer that these bytes were read. */
  readonly read?: () => void;
}

/** What a client asks of a new connection, of all options of `net.connect`. */
export interface ConnectionOptions {
  readonly signal?: unknown;
  /** Milliseconds without traffic until the `timeout` event. */
  readonly timeout?: unknown;
}

/** One end of a connection inside this process: what is written to it is read from its other end. */
export class MemorySocket extends Socket {
  override readonly remoteAddress = "127.0.0.1";
  override readonly remoteFamily = "IPv4";
  override connecting = false;

  private peer: MemorySocket | undefined;
  private readonly arrivals: Arrival[] = [];
  private wantsData = false;
  /** The other end has finished, and this one is about to be told. */
  private isEnding = false;
  private runAsWriter = AsyncLocalStorage.snapshot();

  private constructor(
    private readonly role: "client" | "server",
    options?: SocketConstructorOpts,
  ) {
    super(options);
  }

  /** The two ends of a new connection. */
  static pair({ signal, timeout }: ConnectionOptions): { client: MemorySocket; server: MemorySocket } {
    const client = new MemorySocket("client", signal instanceof AbortSignal ? { signal } : {});
    if (typeof timeout === "number" && timeout > 0) client.setTimeout(timeout);
    // A client that has sent all it has still waits for its response.
    const server = new MemorySocket("server", { allowHalfOpen: true });
    client.peer = server;
    server.peer = client;
    return { client, server };
  }

  /** Tells the client that it is connected, once it has had time to listen. */
  announce(...events: readonly string[]): void {
    this.connecting = true;
    nextTick(() => {
      if (this.destroyed) return;
      this.connecting = false;
      for (const event of events) this.emit(event);
    });
  }

  /** Fails the other end with an error, and closes this one. */
  failPeer(error: Error): void {
    this.peer?.destroy(error);
    this.destroy();
  }

  /** Calls a function in the asynchronous context of the code that wrote last to the other end. */
  runAsPeer<Result>(call: () => Result): Result {
    return this.peer === undefined ? call() : this.peer.runAsWriter(call);
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
    // A client first reads what it was sent.
    if (peer.role === "client" && peer.hasUnread) peer.arrive({});
    else peer.destroy();
  }

  // What a socket does to its handle, or puts off until it has one: there is none.
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

  /** A real socket would send a reset. */
  override resetAndDestroy(): this {
    this.failPeer(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" }));
    return this;
  }

  /** Whether nothing is on its way to either end, nor is about to be. */
  get isQuiet(): boolean {
    return !this.hasUnread && this.peer?.hasUnread !== true && this.peer?.connecting !== true;
  }

  private get hasUnread(): boolean {
    return this.isEnding || this.arrivals.length > 0 || this.readableLength > 0;
  }

  private send(bytes: Buffer, done: () => void): void {
    const { peer } = this;
    if (this.role === "client") this.runAsWriter = AsyncLocalStorage.snapshot();
    this.restartTimeout();
    if (peer === undefined || peer.destroyed) {
      done();
      return;
    }
    let sent = 0;
    for (; sent + LARGEST_READ < bytes.length; sent += LARGEST_READ) {
      peer.arrive({ bytes: bytes.subarray(sent, sent + LARGEST_READ) });
    }
    peer.arrive({ bytes: bytes.subarray(sent), read: done });
  }

  private arrive(arrival: Arrival): void {
    this.arrivals.push(arrival);
    this.deliver();
  }

  private deliver(): void {
    while (this.wantsData && !this.destroyed) {
      const arrival = this.arrivals.shift();
      if (arrival === undefined) return;
      const { bytes, read } = arrival;
      if (bytes === undefined) {
        this.isEnding = true;
        // In a turn of its own: undici asserts on an end that comes while it has paused.
        nextTurn(() => !this.destroyed && !this.readableEnded && this.push(null));
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

const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding): Buffer =>
  typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
