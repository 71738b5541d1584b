import type { Socket } from "node:net";
import { endSilently } from "./sent-requests.ts";

/** The outcome of a requested tunnel: a mock answers, the proxy opens it, or it fails. */
export type TunnelVerdict = "ours" | "send" | { readonly fail: Error };

type Done = (error?: Error | null) => void;
type SocksStage = "greeting" | "password" | "request";

const { nextTick } = process;
const NO_BYTES = Buffer.alloc(0);
const [NO_PASSWORD, PASSWORD] = [0, 2];
const CONNECT = 1;
const REPLY_4 = Buffer.from([0, 0x5a, 0, 0, 0, 0, 0, 0]);
/** The answer to a request of version 5: opened (0), or a general failure (1). */
const reply5 = (code: 0 | 1) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);

/**
 * Speaks for a SOCKS proxy until the client names its destination, then passes all of it to the proxy, unless a mock answers: a
 * silent proxy would keep the client waiting. Other connections are unchanged.
 *
 * @param decide - about a tunnel to `host:port`.
 */
export function answerSocks(socket: Socket, decide: (authority: string) => TunnelVerdict): void {
  const { _write: write, _writev: writeMany } = socket;
  const sendReally = (bytes: Buffer, done: Done = () => {}) =>
    Reflect.apply(write, socket, [bytes, "buffer", done]);
  // Later, as from a proxy: clients first finish their write.
  const reply = (bytes: Buffer) => nextTick(() => socket.push(bytes));
  let isOver = false;
  let stage: SocksStage = "greeting";
  let held = NO_BYTES;
  const sent: Buffer[] = [];

  const read = (chunk: Buffer, done: Done): void => {
    const bytes = Buffer.concat([held, chunk]);
    const length = lengthOf(stage, bytes);
    if (length === undefined || length > bytes.length) {
      held = bytes;
      done();
      return;
    }
    const message = bytes.subarray(0, length);
    held = bytes.subarray(length);
    sent.push(message);
    if (stage !== "request" && message[0] !== 4) {
      const method = stage === "greeting" && message.includes(PASSWORD, 2) ? PASSWORD : NO_PASSWORD;
      reply(Buffer.from([stage === "greeting" ? 5 : 1, method]));
      stage = method === PASSWORD ? "password" : "request";
      done();
      return;
    }
    isOver = true;
    const verdict = message[1] === CONNECT ? decide(authorityIn(message)) : "send";
    if (verdict === "ours") {
      done();
      endSilently(socket);
      reply(message[0] === 4 ? REPLY_4 : reply5(0));
    } else if (verdict !== "send") done(verdict.fail);
    else if (message[0] === 4) sendReally(bytes, done);
    else askProxy(socket, sendReally, sent, done);
  };

  socket._write = (chunk: Buffer | string, encoding, done) => {
    if (!isOver && stage === "greeting") isOver = typeof chunk === "string" || !isGreeting(chunk);
    if (isOver) Reflect.apply(write, socket, [chunk, encoding, done]);
    else read(Buffer.from(chunk), done);
  };
  socket._writev = (chunks, done) => {
    isOver ||= stage === "greeting";
    if (isOver) writeMany?.call(socket, chunks, done);
    else read(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))), done);
  };
}

/** Repeats a handshake of version 5 for the proxy, which may want a password or none. */
function askProxy(
  socket: Socket,
  send: (bytes: Buffer, done?: Done) => void,
  [greeting = NO_BYTES, ...rest]: readonly Buffer[],
  done: Done,
): void {
  const [request = NO_BYTES, password] = [...rest].reverse();
  let received = NO_BYTES;
  const end = () => Reflect.deleteProperty(socket, "push");
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      end();
      return socket.push(null);
    }
    received = Buffer.concat([received, chunk]);
    if (received.length < 2) return true;
    const [version, answer] = received;
    received = received.subarray(2);
    if (version === 5 && answer === PASSWORD && password !== undefined) send(password);
    else {
      end();
      // No password is wanted, or this one is right.
      if (answer === 0) send(request);
      else socket.push(reply5(1));
    }
    return true;
  };
  send(greeting, done);
}

function isGreeting(bytes: Buffer): boolean {
  const [version, second = 0] = bytes;
  if (version === 4) return second === CONNECT && lengthOf("greeting", bytes) === bytes.length;
  if (version !== 5 || bytes.length !== 2 + second) return false;
  return [NO_PASSWORD, PASSWORD].some((method) => bytes.includes(method, 2));
}

/** The length of a client's message; undefined if these bytes are too few to know it. */
function lengthOf(stage: SocksStage, bytes: Buffer): number | undefined {
  const [version, second = 0, , type] = bytes;
  if (stage === "greeting") {
    if (version === 5) return 2 + second;
    const afterUser = bytes.indexOf(0, 8) + 1;
    const afterHost = hasName(bytes) ? bytes.indexOf(0, afterUser) + 1 : afterUser;
    return afterUser > 0 && afterHost > 0 ? afterHost : undefined;
  }
  if (stage === "password") {
    const length = bytes[2 + second];
    return length === undefined ? undefined : 3 + second + length;
  }
  if (type === 3) return bytes[4] === undefined ? undefined : 7 + bytes[4];
  return type === 1 ? 10 : 22;
}

/** Whether a request of version 4 names a host: its address is 0.0.0.x. */
const hasName = (bytes: Buffer): boolean => bytes.readUInt32BE(4) > 0 && bytes.readUInt32BE(4) < 256;

/** The host and port that a whole request names. */
function authorityIn(request: Buffer): string {
  if (request[0] === 4) {
    const afterUser = request.indexOf(0, 8) + 1;
    const host = hasName(request)
      ? request.toString("latin1", afterUser, request.length - 1)
      : request.subarray(4, 8).join(".");
    return `${host}:${request.readUInt16BE(2)}`;
  }
  const address = request.subarray(4, -2);
  const host =
    request[3] === 3
      ? address.toString("latin1", 1)
      : request[3] === 1
        ? address.join(".")
        : (address.toString("hex").match(/..../g) ?? []).join(":");
  return `${host}:${request.readUInt16BE(request.length - 2)}`;
}
