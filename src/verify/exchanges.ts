import { messageOf } from "../emulator/text.ts";
import type { Send } from "./client.ts";
import type { FactApi, Received, RequestParts } from "./fact.ts";

/** Time as a run sees it; tests inject a clock that does not wait. */
export interface RunClock {
  now(): Date;
  /** Resolves early when the run is stopped. */
  sleep(seconds: number): Promise<void>;
}

interface Limit {
  readonly max: number;
  readonly seconds: number;
}

/** The documented rates of the target API; the other APIs have none, and get the same as most of its routes. */
const LIMITS = {
  list: { max: 2, seconds: 60 },
  get: { max: 45, seconds: 1 },
  duplicates: { max: 10, seconds: 1 },
  other: { max: 15, seconds: 1 },
} as const satisfies Readonly<Record<string, Limit>>;

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

/** A fact could not be tried, for a reason that says nothing about it. */
export class NotTried extends Error {
  override readonly name = "NotTried";
}

/** The run was stopped before a request was sent. */
export class Unsent extends NotTried {}

/** How the parts in front of a service say that it is busy or away. */
const TROUBLE = [429, 502, 503, 504];
export const isTrouble = (status: number, expected?: number): boolean =>
  TROUBLE.includes(status) && status !== expected;

const ATTEMPTS = 3;
/** After so many failures in a row, a service counts as away. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE_SECONDS = 30;

/** How a request may be sent. */
export interface Sending {
  /** It changes nothing that matters when it is sent twice. */
  readonly isSafe: boolean;
  /** The status that is no trouble, although it looks like it. */
  readonly expected?: number;
}

interface Service {
  readonly urls: Readonly<Record<FactApi, string>>;
  readonly send: Send;
  readonly clock: RunClock;
  /** Aborts when the run is stopped; then only its additions are removed. */
  readonly stopped: AbortSignal;
  /** Aborts when that has no more time either. */
  readonly closed: AbortSignal;
}

/** Sends within the rates. What is safe is sent again when the service is busy, cuts the connection or is slow. */
export class Exchanges {
  readonly #pace: Pace;
  /** By URL. */
  readonly #failures = new Map<string, number>();
  readonly #answered = new Set<string>();
  #reason = "";
  #isClosing = false;

  constructor(private readonly service: Service) {
    this.#pace = new Pace(service.clock);
  }

  /** From now on requests are sent although the run was stopped. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** Aborts what is under way. */
  get signal(): AbortSignal {
    return this.#isClosing ? this.service.closed : this.service.stopped;
  }

  /** Why nothing more is sent to an API, if so. */
  away(api: FactApi): string | undefined {
    if (this.service.stopped.aborted) return STOPPED;
    const url = this.service.urls[api];
    const failures = this.#failures.get(url) ?? 0;
    if (failures > 0 && !this.#answered.has(url)) return `the service never answered: ${this.#reason}`;
    return failures >= MOST_FAILURES ? `the service failed ${MOST_FAILURES} times in a row` : undefined;
  }

  async send(api: FactApi, request: RequestParts, { isSafe, expected }: Sending): Promise<Received> {
    const { urls, send, clock } = this.service;
    const url = urls[api];
    for (let attempt = 1; ; attempt += 1) {
      await this.#pace.take(api, request, () => this.signal.aborted);
      if (this.signal.aborted) throw new Unsent(STOPPED);
      try {
        // What may change something is not cut off at once, so that its response says what to remove.
        const response = await send(url, request, isSafe ? this.signal : this.service.closed);
        this.#answered.add(url);
        if (!isTrouble(response.status, expected)) {
          this.#failures.set(url, 0);
          return response;
        }
        this.#pace.slowDown();
        // A request that was refused for its rate was not carried out.
        if (attempt >= ATTEMPTS || !(isSafe || response.status === 429)) {
          this.#countFailure(url);
          return response;
        }
        await clock.sleep(pauseAfter(response, attempt));
      } catch (error) {
        if (this.signal.aborted) throw new NotTried(STOPPED);
        this.#pace.slowDown();
        const message = messageOf(error);
        // One that never answered is not waited for again.
        const isSilent = message.startsWith("timeout") && !this.#answered.has(url);
        if (attempt >= ATTEMPTS || !isSafe || isSilent) {
          this.#countFailure(url);
          this.#reason = message;
          throw new NotTried(`no response: ${message}`);
        }
        await clock.sleep(attempt);
      }
    }
  }

  #countFailure(url: string): void {
    this.#failures.set(url, (this.#failures.get(url) ?? 0) + 1);
  }
}

const STOPPED = "stopped before";

/** What the service asks for, at most half a minute. */
function pauseAfter({ headers }: Received, attempt: number): number {
  const asked = Number(headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? Number.NaN);
  return Math.min(LONGEST_PAUSE_SECONDS, Number.isFinite(asked) ? Math.max(0, asked) : 2 ** attempt);
}
