/** The server that keeps the state cannot be reached, lost a part of it, or another one answers. The message is one line. */
export class StateUnavailableError extends Error {
  override readonly name: string = "StateUnavailableError";
}
