import { messageOf } from "../emulator/text.ts";
import type { Send } from "./client.ts";
import type { FactApi, Received, RequestParts } from "./fact.ts";
import { Pace, type RunClock } from "./pace.ts";

/** A fact could not be tried, for a reason that says nothing about it. */
export class Untried extends Error {
  override readonly name = "Untried";
}

/** The run was stopped before a request was sent. */
export class Unsent extends Untried {}

/** How the parts in front of a service say that it is busy or away. */
const TROUBLE = [429, 502, 503, 504];
export const isTrouble = (status: number, expected?: number): boolean =>
  TROUBLE.includes(status) && status !== expected;

const ATTEMPTS = 3;
/** After so many failures in a row, an API counts as away. */
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
  readonly isStopped: () => boolean;
}

/** Sends within the rates. What is safe is sent again when the service is busy, cuts the connection or is slow. */
export class Exchanges {
  readonly #pace: Pace;
  readonly #failures = new Map<FactApi, number>();
  #isClosing = false;

  constructor(private readonly service: Service) {
    this.#pace = new Pace(service.clock);
  }

  /** From now on requests are sent although the run was stopped. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** Why nothing more is sent to an API, if so. */
  away(api: FactApi): string | undefined {
    if (this.service.isStopped()) return "stopped before";
    return (this.#failures.get(api) ?? 0) >= MOST_FAILURES
      ? `the service failed ${MOST_FAILURES} times in a row`
      : undefined;
  }

  async send(api: FactApi, request: RequestParts, { isSafe, expected }: Sending): Promise<Received> {
    const { urls, send, clock } = this.service;
    const isStopped = () => this.service.isStopped() && !this.#isClosing;
    for (let attempt = 1; ; attempt += 1) {
      await this.#pace.take(api, request, isStopped);
      if (isStopped()) throw new Unsent("stopped before");
      try {
        const response = await send(urls[api], request);
        if (!isTrouble(response.status, expected)) {
          this.#failures.set(api, 0);
          return response;
        }
        this.#pace.slowDown();
        // A request that was refused for its rate was not carried out.
        if (attempt >= ATTEMPTS || !(isSafe || response.status === 429)) {
          this.#countFailure(api);
          return response;
        }
        await clock.sleep(pauseAfter(response, attempt));
      } catch (error) {
        this.#pace.slowDown();
        if (attempt >= ATTEMPTS || !isSafe) {
          this.#countFailure(api);
          throw new Untried(`no response: ${messageOf(error)}`);
        }
        await clock.sleep(attempt);
      }
    }
  }

  #countFailure(api: FactApi): void {
    this.#failures.set(api, (this.#failures.get(api) ?? 0) + 1);
  }
}

/** What the service asks for, at most half a minute. */
function pauseAfter({ headers }: Received, attempt: number): number {
  const asked = Number(headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? Number.NaN);
  return Math.min(LONGEST_PAUSE_SECONDS, Number.isFinite(asked) ? Math.max(0, asked) : 2 ** attempt);
}
