import type { Socket } from "node:net";

/** The head of a request that a client writes to a connection. */
export interface SentHead {
  readonly method: string;
  /** As it is written: a path, a whole URL for a proxy, or host and port for `CONNECT`. */
  readonly target: string;
  readonly hostHeader: string | undefined;
}

/** `send`: let it go; `sendAll`: and all that follows. Or fail the connection, or answer in place of the other side. */
export type Verdict = "send" | "sendAll" | { readonly fail: Error } | { readonly reply: string };

type Done = (error?: Error | null) => void;

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/;
/** More than any request line that concerns us. */
const LOOKED_AT = 4096;

/** Has every request that is written to a connection judged before it leaves; what is no HTTP is left alone from the first byte on. */
export function judgeRequests(socket: Socket, judge: (head: SentHead) => Verdict): void {
  const { _write: write, _writev: writeMany } = socket;
  const leaveAlone = () => Object.assign(socket, { _write: write, _writev: writeMany });
  let isHttp = false;

  /** Whether the bytes may go. */
  const passes = (chunk: Buffer | string, done: Done): boolean => {
    const start =
      typeof chunk === "string" ? chunk.slice(0, LOOKED_AT) : chunk.toString("latin1", 0, LOOKED_AT);
    const line = REQUEST_LINE.exec(start);
    if (line === null) {
      if (!isHttp) leaveAlone();
      return true;
    }
    isHttp = true;
    const [, method = "", target = ""] = line;
    const hostHeader = /\r\nhost:[ \t]*([^\r\n]*)/i.exec(start)?.[1]?.trim();
    const verdict = judge({ method, target, hostHeader });
    if (verdict === "sendAll") leaveAlone();
    if (typeof verdict === "string") return true;
    if ("fail" in verdict) done(verdict.fail);
    else {
      done();
      socket.push(verdict.reply, "latin1");
    }
    return false;
  };

  socket._write = (chunk, encoding, done) => {
    if (passes(chunk, done)) Reflect.apply(write, socket, [chunk, encoding, done]);
  };
  socket._writev = (chunks, done) => {
    const [first] = chunks;
    if (first !== undefined && !passes(first.chunk, done)) return;
    if (writeMany) Reflect.apply(writeMany, socket, [chunks, done]);
  };
}
