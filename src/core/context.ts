import type { ComparedSignature, ConsideredTarget } from "./journal.ts";
import type { WireRequest, WireResponse } from "./message.ts";
import type { Operation } from "./operation-names.ts";
import type { Profile } from "./profiles.ts";
import type { Random } from "./random.ts";
import type { RequestBody } from "./request-body.ts";
import type { PathParams } from "./router.ts";

/** One request being answered: all that a response may depend on beside the API's own state. */
export interface Context {
  readonly request: WireRequest;
  /** The one reading of the clock that serves the whole request, in milliseconds since the epoch. */
  readonly now: number;
  readonly profile: Profile;
  readonly random: Random;
  readonly notes: JournalNotes;
}

/** The keys of a JSON object that takes no others. */
export interface BodyKeys {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** A request that a route matched: what an operation's checks start from. */
export interface OperationContext<Services = unknown> extends Context {
  readonly operation: { readonly name: Operation; readonly body?: { readonly keys?: BodyKeys } };
  readonly params: PathParams;
  readonly body: RequestBody;
  /** The emulator's parts. */
  readonly services: Services;
}

/** What checks and handlers leave for the journal while they answer. */
export interface JournalNotes {
  /** Name of the database whose keys the request named. */
  database?: string;
  /** The option or method that a fault applied to it came from. */
  fault?: string;
  /** Of a request that is served, what its client may wonder about. */
  reason?: string;
  /** Of a signature that does not match: both strings to sign. */
  signature?: ComparedSignature;
  /** Queries: why targets did or did not match. */
  considered?: readonly ConsideredTarget[];
  /** How many targets more the query looked at, by reason. */
  otherTargets?: Readonly<Record<string, number>>;
}

/** A response, with what the journal tells about it. */
export interface ApiResponse extends WireResponse {
  readonly resultCode?: string;
}
