import type { Socket } from "node:net";

/** Ends an unneeded connection without an error: its client no longer listens. */
export function endSilently(socket: Socket): void {
  const { _destroy: destroy } = socket;
  socket._destroy = (error, done) => Reflect.apply(destroy, socket, [error, () => done(null)]);
}
