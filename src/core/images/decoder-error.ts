/** The decoder lacked memory or the like: another attempt may succeed. */
export class DecoderError extends Error {
  override readonly name = "DecoderError";
}
