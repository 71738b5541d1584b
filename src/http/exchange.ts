import type { Profile } from "../profiles.ts";
import type { ConsideredTarget } from "../runtime/journal.ts";
import type { Random } from "../runtime/random.ts";
import type { WireRequest, WireResponse } from "./wire-message.ts";

/** One request being answered: all that a response may depend on beside the API's own state. */
export interface Exchange {
  readonly request: WireRequest;
  /** The one reading of the clock that serves the whole request, in milliseconds since the epoch. */
  readonly now: number;
  readonly profile: Profile;
  readonly random: Random;
  readonly trace: Trace;
}

/** What checks and handlers leave for the journal while they answer. */
export interface Trace {
  /** Name of the database whose keys the request named. */
  database?: string;
  /** The option or method that a fault applied to it came from. */
  fault?: string;
  /** Queries: why each target did or did not match. */
  considered?: readonly ConsideredTarget[];
}

/** A response, with what the journal tells about it. */
export interface Reply extends WireResponse {
  readonly resultCode?: string;
}

/** Makes a response when it is known which request it answers. */
export type Respond = (exchange: Exchange) => Reply;
