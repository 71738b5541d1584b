import type { ResultFacts } from "../schema/journal-entry.ts";
import type { Operation } from "../schema/operation-names.ts";
import type { BodyStream, WireRequest, WireResponse } from "./message.ts";
import type { Profile } from "./profiles.ts";
import type { Random } from "./random.ts";
import type { RequestBody } from "./request-body.ts";
import type { PathParams } from "./router.ts";

/** A request being answered: everything that a response may depend on besides the API's own state. */
export interface Context {
  readonly request: WireRequest;
  /** Time of the request, in milliseconds since the epoch. The clock is read once per request. */
  readonly now: number;
  readonly profile: Profile;
  readonly random: Random;
  readonly notes: JournalNotes;
}

/** The keys that a JSON object may have. */
export interface BodyKeys {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** A request that matches an operation: the context that its checks start from. */
export interface OperationContext<Services = unknown> extends Context {
  readonly operation: { readonly name: Operation; readonly body?: { readonly keys?: BodyKeys } };
  readonly params: PathParams;
  readonly body: RequestBody;
  /** The components of the emulator. */
  readonly services: Services;
}

/** What checks and handlers note for the journal: everything but the outcome itself. */
export type JournalNotes = {
  -readonly [Name in keyof Omit<
    ResultFacts,
    "status" | "resultCode" | "refusedBy" | "durationMs"
  >]?: ResultFacts[Name];
};

/** A response, with its result code for the journal. */
export interface ApiResponse extends Omit<WireResponse, "stream"> {
  readonly resultCode?: string;
  /** In place of the body, which is then empty. */
  readonly bodyStream?: BodyStream;
}
