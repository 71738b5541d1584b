import { wrongResult } from "../emulator/user-function.ts";
import { connectionError } from "../intercept/errors.ts";

/** The responses that a mock is delaying. When the mock stops, it fails their requests instead of keeping the process alive. */
export class PendingDelays {
  /** One for each: a signal that all shared would warn of a leak when it has more than ten listeners. */
  private readonly pending = new Set<AbortController>();

  /** Returns a delay that {@link abort} ends, with the error for the client. */
  abortable(
    delay: (seconds: number, signal: AbortSignal) => Promise<void>,
  ): (seconds: number) => Promise<void> {
    return (seconds) =>
      new Promise((resolve, reject) => {
        const controller = new AbortController();
        this.pending.add(controller);
        const { signal } = controller;
        const message = "the request was aborted: the mock was stopped while it delayed the response";
        signal.addEventListener("abort", () => reject(connectionError({ kind: "reset", message })));
        const wait = async () => {
          const waiting: unknown = delay(seconds, signal);
          // Not by its class: promises of another realm, as in Jest, or of a library are accepted too.
          if (typeof Object(waiting).then !== "function")
            throw wrongResult("the function of the option delay", "a promise", waiting);
          await waiting;
        };
        wait()
          .then(resolve, reject)
          .finally(() => this.pending.delete(controller));
      });
  }

  abort(): void {
    // A copy, because the listeners may cause requests that are delayed again.
    for (const controller of [...this.pending]) controller.abort();
  }
}
