/** A seed file that cannot be read, or that the target manager refuses. The message is one line. */
export class InvalidSeedError extends Error {
  /** Identifies the error. */
  override readonly name = "InvalidSeedError";
}
