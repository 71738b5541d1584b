/** An event with listeners. A failing listener does not affect whoever emits. */
export class Signal<Payload> {
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

  /** Calls the listeners in the order in which they were added, without waiting for any. */
  emit(payload: Payload): void {
    if (this.listeners.size === 0) return;
    for (const { call } of [...this.listeners]) void this.run(call, payload);
  }

  /** Turns a listener's error, synchronous or not, into a process warning. */
  private async run(call: (payload: Payload) => unknown, payload: Payload): Promise<void> {
    try {
      await call(payload);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.emitWarning(`a "${this.name}" listener failed; the request is not affected: ${what}`, {
        code: "MOCK_CLOUD_RECO_LISTENER",
      });
    }
  }
}
