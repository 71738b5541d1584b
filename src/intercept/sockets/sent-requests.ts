import type { Socket } from "node:net";

/** The head of a request that a client writes to a connection. */
export interface SentHead {
  readonly method: string;
  /** Request target: a path, a URL for a proxy, or host and port for `CONNECT`. */
  readonly target: string;
  readonly hostHeader: string | undefined;
}

/** `send`: allow this request. `sendAll`: allow all further data. `fail`: fail the connection. `reply`: answer it here. */
export type Verdict = "send" | "sendAll" | { readonly fail: Error } | { readonly reply: string };

type Done = (error?: Error | null) => void;

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/;
/** Longer than the request line and the Host header of any relevant request. */
const MAX_INSPECTED = 4096;

/** Asks for a verdict on each HTTP request before it is sent on a connection. Ignores connections that do not start with HTTP. */
export function judgeRequests(socket: Socket, judge: (head: SentHead) => Verdict): void {
  const { _write: write, _writev: writeMany } = socket;
  const stopJudging = () => Object.assign(socket, { _write: write, _writev: writeMany });
  let isHttp = false;

  /** Whether the bytes may be sent. */
  const passes = (chunk: Buffer | string, done: Done): boolean => {
    const start =
      typeof chunk === "string" ? chunk.slice(0, MAX_INSPECTED) : chunk.toString("latin1", 0, MAX_INSPECTED);
    const line = REQUEST_LINE.exec(start);
    if (line === null) {
      if (!isHttp) stopJudging();
      return true;
    }
    isHttp = true;
    const [, method = "", target = ""] = line;
    const hostHeader = /\r\nhost:[ \t]*([^\r\n]*)/i.exec(start)?.[1]?.trim();
    const verdict = judge({ method, target, hostHeader });
    if (verdict === "sendAll") stopJudging();
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
