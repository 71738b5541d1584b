import { METHODS } from "node:http";
import type { Socket } from "node:net";
import { originOf } from "../host-table.ts";
import { bytesOf } from "./memory-socket.ts";
import type { Endpoint } from "./openers.ts";
import { originOfEndpoint, tunnelTo } from "./refusals.ts";
import { urlIn } from "./requested-hosts.ts";

/** The head of a request that a client writes to a connection. */
export interface SentHead {
  readonly method: string;
  /** Request target: a path, a URL for a proxy, or host and port for `CONNECT`. */
  readonly target: string;
  readonly hostHeader: string | undefined;
}

/** What a request is for. */
export interface Addressee {
  readonly origin: string;
  readonly path: string;
}

/** `Host` counts, or else what the connection was opened to. */
export function addresseeOf({ method, target, hostHeader }: SentHead, endpoint: Endpoint): Addressee {
  if (method === "CONNECT") return { origin: originOfEndpoint(tunnelTo(target)), path: "" };
  const proxied = urlIn(target);
  if (proxied !== undefined) return { origin: originOf(proxied), path: proxied.pathname + proxied.search };
  const named = `${endpoint.scheme}//${hostHeader}`;
  const isNamed = hostHeader !== undefined && URL.canParse(named);
  return { origin: isNamed ? originOf(new URL(named)) : originOfEndpoint(endpoint), path: target };
}

/** `send`: allow this request. `sendAll`: allow all further data. `fail`: fail the connection. `reply`: answer it here. */
export type RequestVerdict = "send" | "sendAll" | { readonly fail: Error } | { readonly reply: string };

const NO_BYTES = Buffer.alloc(0);
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/;
/** Longer than the request line and the Host header of any relevant request. */
const MAX_INSPECTED = 4096;

const mayBecomeRequest = (start: string): boolean =>
  !start.includes("\n") &&
  start.length < MAX_INSPECTED &&
  METHODS.some((method) => `${method} `.startsWith(start) || start.startsWith(`${method} `));

function headIn(start: string): SentHead | undefined {
  const [line, method = "", target = ""] = REQUEST_LINE.exec(start) ?? [];
  if (line === undefined) return undefined;
  return { method, target, hostHeader: /\r\nhost:[ \t]*([^\r\n]*)/i.exec(start)?.[1]?.trim() };
}

/** Asks for a verdict on each HTTP request before it is sent on a connection. Ignores connections that do not start with HTTP. */
export function judgeRequests(socket: Socket, judge: (head: SentHead) => RequestVerdict): void {
  const { _write: write, _writev: writeMany, _final: final } = socket;
  const stopJudging = () => Object.assign(socket, { _write: write, _writev: writeMany, _final: final });
  let isHttp = false;
  /** The beginning of the connection's first request line, which a client may write piece by piece. */
  let held: Buffer = NO_BYTES;

  const passes = (chunk: Buffer, done: (error?: Error | null) => void): boolean => {
    const start = chunk.toString("latin1", 0, MAX_INSPECTED);
    const head = headIn(start);
    if (head === undefined) {
      // A body, or the rest of a head.
      if (isHttp) return true;
      // Too short to tell: kept until more of it is written.
      if (mayBecomeRequest(start)) {
        held = chunk;
        done();
        return false;
      }
      // Another protocol: nothing on this connection is a request.
      stopJudging();
      return true;
    }
    isHttp = true;
    const verdict = judge(head);
    if (verdict === "sendAll") stopJudging();
    if (typeof verdict === "string") return true;
    if ("fail" in verdict) done(verdict.fail);
    else {
      done();
      // The server is not asked, so it may be down.
      endSilently(socket);
      socket.push(verdict.reply, "latin1");
    }
    return false;
  };

  const withHeld = (chunk: Buffer): Buffer => {
    const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = NO_BYTES;
    return whole;
  };

  socket._write = (chunk: Buffer | string, encoding, done) => {
    const bytes = withHeld(bytesOf(chunk, encoding));
    if (passes(bytes, done)) Reflect.apply(write, socket, [bytes, "buffer", done]);
  };
  socket._writev = (chunks, done) => {
    const bytes = chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding));
    const whole = withHeld(Buffer.concat(bytes));
    if (passes(whole, done)) Reflect.apply(write, socket, [whole, "buffer", done]);
  };
  socket._final = (done) => {
    const end = () => Reflect.apply(final, socket, [done]);
    // What looked like the beginning of a request was all that the client had to say.
    if (held.length > 0) Reflect.apply(write, socket, [withHeld(NO_BYTES), "buffer", end]);
    else end();
  };
}

/** Ends an unneeded connection without an error: its client no longer listens. */
export function endSilently(socket: Socket): void {
  const { _destroy: destroy } = socket;
  socket._destroy = (error, done) => Reflect.apply(destroy, socket, [error, () => done(null)]);
}
