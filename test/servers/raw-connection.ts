import { connect, type Socket } from "node:net";

/** A plain TCP connection: a test writes and reads exact bytes. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private ended = false;
  private wake: () => void = () => {};

  private constructor(readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.ended = true;
        this.wake();
      });
    }
    socket.on("error", () => {});
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.setNoDelay(true);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new RawConnection(socket);
  }

  write(...parts: (string | Buffer)[]): this {
    for (const part of parts)
      this.socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    return this;
  }

  /** Writes a packet and lets the other side read it before the next one. */
  async packet(bytes: string | Buffer): Promise<void> {
    this.write(bytes);
    await new Promise(setImmediate);
  }

  /** Closes only the client's side. */
  halfClose(): this {
    this.socket.end();
    return this;
  }

  /** Takes one response from the received bytes, by its Content-Length. */
  async response(): Promise<string> {
    await this.until(() => this.received.includes("\r\n\r\n"));
    const head = this.received.subarray(0, this.received.indexOf("\r\n\r\n") + 4).toString("latin1");
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    await this.until(() => this.received.length >= head.length + length);
    return this.take(head.length + length);
  }

  /** Everything that arrives until the server closes its side. */
  async rest(): Promise<string> {
    await this.until(() => this.ended);
    return this.take(this.received.length);
  }

  close(): void {
    this.socket.destroy();
  }

  private take(length: number): string {
    const taken = this.received.subarray(0, length).toString("latin1");
    this.received = this.received.subarray(length);
    return taken;
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.ended) throw new Error(`the server ended the connection after ${this.received.length} bytes`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
