import type { Socket } from "node:net";

/** Lets a real connection that a client no longer needs end without an error, to which the client does not listen any more. */
export function endSilently(socket: Socket): void {
  const { _destroy: destroy } = socket;
  socket._destroy = (error, done) => Reflect.apply(destroy, socket, [error, () => done(null)]);
}
