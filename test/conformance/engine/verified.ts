import type { ProfileName } from "mock-cloud-reco";
import type { Keys } from "./fact.ts";
import type { SendRequest } from "./wire-client.ts";

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
  readonly send: SendRequest;
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
