import { isError, messageOf } from "./text.ts";

/** An event with listeners. An error in a listener does not affect the emitting code. */
export class Emitter<Payload> {
  private readonly listeners = new Set<{ readonly call: (payload: Payload) => unknown }>();

  /** @param name - its name in warnings. */
  constructor(private readonly name: string) {}

  /** Adds a listener, even one that was added before. The returned function removes it. */
  on(listener: (payload: Payload) => unknown): () => void {
    const added = { call: listener };
    this.listeners.add(added);
    return () => {
      this.listeners.delete(added);
    };
  }

  /** Calls the listeners in order, without waiting. */
  emit(payload: Payload): void {
    if (this.listeners.size === 0) return;
    for (const { call } of [...this.listeners]) {
      try {
        Promise.resolve(call(payload)).catch((error: unknown) => this.warn(error));
      } catch (error) {
        this.warn(error);
      }
    }
  }

  private warn(error: unknown): void {
    const what = (isError(error) && error.stack) || messageOf(error);
    process.emitWarning(`a "${this.name}" listener failed; the request is not affected: ${what}`, {
      code: "MOCK_CLOUD_RECO_LISTENER",
    });
  }
}
