import { header, messageOf } from "../../support/values.ts";
import type { FactApi, Received, RequestParts } from "./fact.ts";
import { Pace } from "./pace.ts";
import type { Verified } from "./verified.ts";

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
