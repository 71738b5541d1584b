import { connectionError } from "../intercept/answer.ts";

/** Waits for some seconds. May end early when the signal is aborted. */
export type Delay = (seconds: number, signal: AbortSignal) => Promise<void>;

/** The responses that a mock is delaying. When the mock stops, it fails their requests instead of keeping the process alive. */
export class PendingDelays {
  /** One for each: a signal that all shared would warn of a leak when it has more than ten listeners. */
  private readonly pending = new Set<AbortController>();

  /** Returns a delay that {@link abort} ends, with the error for the client. */
  abortable(delay: Delay): (seconds: number) => Promise<void> {
    return (seconds) =>
      new Promise((resolve, reject) => {
        const controller = new AbortController();
        this.pending.add(controller);
        const { signal } = controller;
        const abort = () =>
          reject(
            connectionError({
              kind: "reset",
              message: "the request was aborted: the mock was stopped while it delayed the response",
            }),
          );
        signal.addEventListener("abort", abort);
        delay(seconds, signal)
          .then(resolve, reject)
          .finally(() => this.pending.delete(controller));
      });
  }

  abort(): void {
    // A copy, because the listeners may cause requests that are delayed again.
    for (const controller of [...this.pending]) controller.abort();
  }
}
