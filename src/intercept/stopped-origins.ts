import { realTimers } from "../core/general/real-timers.ts";

/** Origins whose last mock was stopped in this turn of the event loop: clients may still send requests that they made before. */
export class StoppedOrigins {
  /** By origin, the stop that was the latest: others may end their turn earlier. */
  private readonly latest = new Map<string, object>();

  add(origins: readonly string[]): void {
    for (const origin of origins) this.latest.set(origin, origins);
    realTimers.setImmediate(() => {
      for (const origin of origins) if (this.latest.get(origin) === origins) this.latest.delete(origin);
    });
  }

  has(origin: string): boolean {
    return this.latest.has(origin);
  }
}
