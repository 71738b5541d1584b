import { Duplex, Readable } from "node:stream";
import { propertyOf } from "../../core/general/property.ts";
import { realTimers } from "../../core/general/real-timers.ts";
import { isFunction } from "../replace.ts";

/**
 * Sends a request on to its real connection, which is intercepted at the socket, if the socket of @mswjs/interceptors did not read
 * all of it.
 *
 * @returns a function to call when the client has sent the whole request.
 */
export function sendOnUnread(socket: unknown): () => void {
  const parser: unknown = propertyOf(socket, "requestParser");
  const execute: unknown = propertyOf(parser, "execute");
  if (!(socket instanceof Duplex) || !isFunction(execute)) return () => {};
  let isSentOn = false;
  const sendOn = () => {
    if (isSentOn || socket.destroyed) return;
    isSentOn = true;
    connectReally(socket);
  };
  Object.assign(Object(parser), {
    execute: (...args: unknown[]) => {
      const parsed = Reflect.apply(execute, parser, args);
      // Not now, because the socket is about to keep these bytes.
      if (parsed instanceof Error) realTimers.setImmediate(sendOn);
      return parsed;
    },
  });
  return () =>
    realTimers.setImmediate(() => {
      const body = propertyOf(socket, "requestStream");
      if (body instanceof Readable && propertyOf(propertyOf(body, "_readableState"), "ended") === false)
        sendOn();
    });
}

/** Does what its `passthrough` does, which needs a request that was read. */
function connectReally(socket: Duplex): void {
  const [open, written] = [propertyOf(socket, "createConnection"), propertyOf(socket, "writeBuffer")];
  if (!isFunction(open) || !Array.isArray(written)) return;
  const real = Reflect.apply(open, socket, []);
  if (!(real instanceof Duplex)) return;
  Object.assign(socket, { socketState: "passthrough", originalSocket: real });
  for (const args of written.splice(0)) Reflect.apply(real.write, real, args);
  // Not the socket's own method, which would read the response too, and that of no request.
  const push = (bytes: unknown) => Readable.prototype.push.call(socket, bytes);
  real
    .on("data", push)
    .once("end", () => push(null))
    .once("error", (error) => socket.destroy(error));
  socket.once("close", () => real.destroy());
}
