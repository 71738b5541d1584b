/** Something that happens again and again. Whatever a listener does, it does not disturb the one that emits. */
export class Signal<Payload> {
  private readonly listeners = new Set<{ readonly call: (payload: Payload) => unknown }>();

  /** @param name - what warnings call it. */
  constructor(private readonly name: string) {}

  /** Adds a listener, as often as it is given; the function returned removes it again. */
  on(listener: (payload: Payload) => unknown): () => void {
    const added = { call: listener };
    this.listeners.add(added);
    return () => {
      this.listeners.delete(added);
    };
  }

  /** Calls the listeners in the order in which they were added, and waits for none. */
  emit(payload: Payload): void {
    if (this.listeners.size === 0) return;
    for (const { call } of [...this.listeners]) void this.run(call, payload);
  }

  /** What a listener throws, at once or in a promise, becomes a warning of the process. */
  private async run(call: (payload: Payload) => unknown, payload: Payload): Promise<void> {
    try {
      await call(payload);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.emitWarning(`a "${this.name}" listener failed, the request goes on: ${what}`, {
        code: "MOCK_CLOUD_RECO_LISTENER",
      });
    }
  }
}
