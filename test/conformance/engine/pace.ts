import type { FactApi, RequestParts } from "./fact.ts";
import type { RunClock } from "./verified.ts";

/** The documented rates of the target API; the other APIs have none, and get the same as most of its routes. */
const LIMITS = {
  list: { max: 2, seconds: 60 },
  get: { max: 45, seconds: 1 },
  duplicates: { max: 10, seconds: 1 },
  other: { max: 15, seconds: 1 },
} as const;

function groupOf(api: FactApi, { method, path }: RequestParts): keyof typeof LIMITS {
  if (api !== "target" || method !== "GET") return "other";
  if (/^\/targets(\?|$)/.test(path)) return "list";
  if (/^\/targets\/[^/]+$/.test(path)) return "get";
  return path.startsWith("/duplicates/") ? "duplicates" : "other";
}

const MOST_SLOWED = 8;

/** Milliseconds until a minute has come to this second. */
function untilSecond(second: number | undefined, now: number): number {
  if (second === undefined) return 0;
  const since = (now - second * 1000) % 60_000;
  return since < 1000 ? 0 : 60_000 - since;
}

/** Keeps requests within the documented rates, and slower when the service asks for it. */
export class Pace {
  readonly #sent = new Map<string, number[]>();
  #slowed = 1;

  constructor(private readonly clock: RunClock) {}

  /** Waits until another request of that kind may be sent, and counts it. */
  async take(api: FactApi, request: RequestParts, isStopped: () => boolean): Promise<void> {
    const group = groupOf(api, request);
    const { max, seconds } = LIMITS[group];
    const window = seconds * 1000 * this.#slowed;
    const key = `${api} ${group}`;
    const { moment } = request;
    const most = moment?.quiet === true ? 1 : moment === undefined ? max : Number.POSITIVE_INFINITY;
    while (!isStopped()) {
      const now = this.clock.now().getTime();
      const recent = (this.#sent.get(key) ?? []).filter((sent) => now - sent < window);
      const wait =
        recent.length < most ? untilSecond(moment?.second, now) : (recent[0] ?? now) + window - now;
      if (wait === 0) {
        this.#sent.set(key, [...recent, now]);
        return;
      }
      await this.clock.sleep(Math.max(1, wait) / 1000);
    }
  }

  /** Halves the rates, down to an eighth. */
  slowDown(): void {
    this.#slowed = Math.min(MOST_SLOWED, this.#slowed * 2);
  }
}
