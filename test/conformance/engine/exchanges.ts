import { header } from "../../../src/emulator/message.ts";
import type { ProfileName } from "../../../src/emulator/profiles.ts";
import { messageOf } from "../../../src/emulator/text.ts";
import type { Send } from "./client.ts";
import type { FactApi, Keys, Received, RequestParts } from "./fact.ts";

/** Time as a run sees it; tests inject a clock that does not wait. */
export interface RunClock {
  now(): Date;
  /** Resolves early when the run is stopped. */
  sleep(seconds: number): Promise<void>;
}

/** A service to verify, and how. */
export interface Verified {
  readonly urls: {
    readonly target: string;
    readonly query: string;
    readonly modelTarget: string;
    /** A target manager like this package's: states, quotas and limits can then be tried. */
    readonly manager?: string | undefined;
  };
  readonly keys: Keys;
  readonly profile: ProfileName;
  /** Also sends requests that add and delete. */
  readonly write: boolean;
  /** Also spends trainings, and sends more than the documented rates; with a target manager that costs nothing. */
  readonly spend?: boolean;
  readonly send: Send;
  readonly clock: RunClock;
  /** How long a target may be processed. */
  readonly waitSeconds: number;
  /** What everything begins with that is added. */
  readonly prefix: string;
  /** Aborts when the run is stopped; then only its additions are removed. */
  readonly stopped: AbortSignal;
  /** Aborts when that has no more time either. */
  readonly closed: AbortSignal;
}

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
/** The pauses of what is repeated until it is done. */
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_REPEAT_SECONDS = 15;

/** How a request may be sent. */
export interface Sending {
  /** It changes nothing that matters when it is sent twice. */
  readonly isSafe: boolean;
  /** The status that is no trouble, although it looks like it. */
  readonly expected?: number | undefined;
}

/** Sends within the rates. What is safe is sent again when the service is busy, cuts the connection or is slow. */
export class Exchanges {
  readonly #pace: Pace;
  /** By URL. */
  readonly #failures = new Map<string, number>();
  readonly #answered = new Set<string>();
  #reason = "";
  #isClosing = false;

  constructor(private readonly verified: Verified) {
    this.#pace = new Pace(verified.clock);
  }

  /** From now on requests are sent although the run was stopped. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** Aborts what is under way. */
  get signal(): AbortSignal {
    return this.#isClosing ? this.verified.closed : this.verified.stopped;
  }

  #urlOf(api: FactApi): string {
    const { urls } = this.verified;
    return api === "model-target" ? urls.modelTarget : urls[api];
  }

  /** Why nothing more is sent to an API, if so. */
  away(api: FactApi): string | undefined {
    if (this.verified.stopped.aborted) return STOPPED;
    const url = this.#urlOf(api);
    const failures = this.#failures.get(url) ?? 0;
    if (failures > 0 && !this.#answered.has(url)) return `the service never answered: ${this.#reason}`;
    return failures >= MOST_FAILURES ? `the service failed ${MOST_FAILURES} times in a row` : undefined;
  }

  async send(api: FactApi, request: RequestParts, { isSafe, expected }: Sending): Promise<Received> {
    const { send, clock, closed } = this.verified;
    const url = this.#urlOf(api);
    for (let attempt = 1; ; attempt += 1) {
      await this.#pace.take(api, request, () => this.signal.aborted);
      if (this.signal.aborted) throw new Unsent(STOPPED);
      try {
        // What may change something is not cut off at once, so that its response says what to remove.
        const response = await send(url, request, isSafe ? this.signal : closed);
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

  /** Repeats an attempt until it is done, with growing pauses, for as long as a target may be processed. */
  async repeat<Result>(
    attempt: () => Promise<Result>,
    isDone: (result: Result) => boolean,
  ): Promise<{ readonly result: Result; readonly seconds: number }> {
    const { waitSeconds, clock } = this.verified;
    let pause = FIRST_PAUSE_SECONDS;
    for (let seconds = 0; ; seconds += pause, pause = Math.min(LONGEST_REPEAT_SECONDS, pause * 1.5)) {
      const result = await attempt();
      if (isDone(result) || seconds >= waitSeconds || this.signal.aborted) return { result, seconds };
      await clock.sleep(pause);
    }
  }

  #countFailure(url: string): void {
    this.#failures.set(url, (this.#failures.get(url) ?? 0) + 1);
  }
}

const STOPPED = "stopped before";

/** What the service asks for, at most half a minute. */
function pauseAfter(response: Received, attempt: number): number {
  const asked = Number(header(response, "retry-after") ?? Number.NaN);
  return Math.min(LONGEST_PAUSE_SECONDS, Number.isFinite(asked) ? Math.max(0, asked) : 2 ** attempt);
}

/** What a run adds to an API, and removes at the end. */
export abstract class Additions {
  constructor(
    readonly keys: Keys,
    protected readonly exchanges: Exchanges,
  ) {}

  /** Sends a request, and notes what it adds, wanted or not, or may have added although the response was lost. */
  async send(api: FactApi, request: RequestParts, sending: Sending): Promise<Received> {
    try {
      const response = await this.exchanges.send(api, request, sending);
      this.note(request, response);
      // It may have been carried out all the same.
      if (response.status >= 500) this.noteLost(request, `the status ${response.status}`);
      return response;
    } catch (error) {
      if (!(error instanceof Unsent)) this.noteLost(request, messageOf(error));
      throw error;
    }
  }

  protected abstract note(request: RequestParts, response: Received): void;
  protected abstract noteLost(request: RequestParts, got: string): void;

  /** Those that could not be deleted. */
  protected async leftOf(
    added: Iterable<string>,
    remove: (one: string) => Promise<Received>,
  ): Promise<readonly string[]> {
    const left: string[] = [];
    for (const one of added) {
      const status = await remove(one).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== 404 && !(status >= 200 && status < 300)) left.push(one);
    }
    return left;
  }
}
