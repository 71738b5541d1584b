import type { Writable } from "node:stream";

/** How many bytes may wait for the log's reader; further lines are dropped and counted. */
const MAX_WAITING = 2 ** 20;

/** The log on standard error. A slow reader or a closed pipe never stops, blocks or keeps alive the process. */
export class LogOutput {
  private dropped = 0;

  constructor(private readonly stream: Writable) {
    stream.on("error", () => {});
  }

  write(text: string): void {
    if (this.stream.destroyed) return;
    if (this.stream.writableLength > MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    if (this.dropped > 0)
      this.stream.write(`${JSON.stringify({ level: "warn", droppedLines: this.dropped })}\n`);
    this.dropped = 0;
    this.stream.write(text);
  }

  /** Resolves with true when everything is written, or with false when the time is over. */
  async drain(milliseconds: number): Promise<boolean> {
    if (this.stream.destroyed || this.stream.writableLength === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), milliseconds);
      const done = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.stream.write("", done);
    });
  }
}
