/** The state's server cannot be reached, lost a part of the state, or another server answers. The message is one line. */
export class StateUnavailableError extends Error {
  override readonly name: string = "StateUnavailableError";
}
