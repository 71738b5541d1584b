import { wrongResult } from "../core/general/user-function.ts";
import { connectionError } from "./errors.ts";

/** The responses that a mock is delaying. When the mock stops, it fails their requests instead of keeping the process alive. */
export class PendingDelays {
  /** One for each: a signal that all shared would warn of a leak when it has more than ten listeners. */
  private readonly stops = new Set<() => void>();

  /**
   * Returns a delay that {@link abort} ends with the error for the client, and any of its signals without one.
   * @param delay replaces the real wait; the signal is aborted when it is no longer needed.
   */
  abortable(delay: (seconds: number, signal: AbortSignal) => Promise<void>) {
    return async (seconds: number, endings: readonly (AbortSignal | undefined)[]): Promise<void> => {
      if (endings.some((ending) => ending?.aborted === true)) return;
      const controller = new AbortController();
      let end = () => {};
      let stop = () => {};
      const ended = new Promise<void>((resolve, reject) => {
        end = () => {
          resolve();
          controller.abort();
        };
        stop = () => {
          const message = "the request was aborted: the mock was stopped while it delayed the response";
          reject(connectionError({ kind: "reset", message }));
          controller.abort();
        };
      });
      this.stops.add(stop);
      for (const ending of endings) ending?.addEventListener("abort", end);
      try {
        const waiting: unknown = delay(seconds, controller.signal);
        // Not by its class: promises of another realm, as in Jest, or of a library are accepted too.
        if (typeof Object(waiting).then !== "function")
          throw wrongResult("the function of the option delay", "a promise", waiting);
        await Promise.race([waiting, ended]);
      } finally {
        this.stops.delete(stop);
        for (const ending of endings) ending?.removeEventListener("abort", end);
      }
    };
  }

  abort(): void {
    // A copy, because the listeners may cause requests that are delayed again.
    for (const stop of [...this.stops]) stop();
  }
}
