import { connectionError } from "../transports/answer.ts";

/** Waits for some seconds. May end early when the signal is aborted. */
type Delay = (seconds: number, signal: AbortSignal) => Promise<void>;

/** The responses that a mock is delaying. When the mock stops, it fails their requests instead of keeping the process alive. */
export class PendingDelays {
  private stopping = new AbortController();

  /** Returns a delay that {@link abort} ends, with the error for the client. */
  abortable(delay: Delay): (seconds: number) => Promise<void> {
    return (seconds) =>
      new Promise((resolve, reject) => {
        const { signal } = this.stopping;
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
          .finally(() => signal.removeEventListener("abort", abort));
      });
  }

  abort(): void {
    // Before the listeners run, because they may cause requests that are delayed again.
    const { stopping } = this;
    this.stopping = new AbortController();
    stopping.abort();
  }
}
