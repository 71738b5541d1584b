import type { DefaultLimits } from "./domain/new-database.ts";
import type { Endpoint, Call as HttpCall } from "./http/endpoint.ts";
import type { ImageMatcher } from "./images/matchers.ts";
import type { Profile } from "./profiles.ts";
import type { ConfiguredResponse } from "./responses/configured.ts";
import type { ResultCode } from "./responses/result-codes.ts";
import type { Journal } from "./runtime/journal.ts";
import type { MovableClock } from "./runtime/movable-clock.ts";
import type { Random } from "./runtime/random.ts";
import type { Store } from "./store/store.ts";

export type { ConfiguredResponse };

/** A group of Model Target requests: creating, asking for the status, downloading or deleting a dataset. */
export type ModelTargetPhase = "create" | "status" | "download" | "delete";
/** A result code that instance generation can be made to fail with (protocol section 6). */
export type InstanceFailure = Extract<
  ResultCode,
  "QuotaExceeded" | "LicenseCheckFailed" | "AuthorizationFailed"
>;

/** What can be configured about an emulator; the same in process and on servers unless the protocol says otherwise. */
export interface Settings {
  /** Processing time of new targets, reports and datasets, in seconds. */
  readonly processingTimeSeconds: number;
  /** Rate limits of databases that are added without their own; none unless given. */
  readonly databaseDefaults?: DefaultLimits;
  readonly queryMatcher: ImageMatcher;
  readonly duplicatesMatcher: ImageMatcher;
  readonly queryContentEncoding: "gzip" | "identity";
  /** Waited before every answer but the manager's, in seconds. */
  readonly responseDelaySeconds: number;
  readonly delay: (seconds: number) => Promise<void>;
  /** Base URL of the report downloads. */
  readonly reportBaseUrl: string;
  readonly cloudQueryFailure?: ConfiguredResponse | undefined;
  readonly modelTargetFailure?:
    | (ConfiguredResponse & { readonly phases?: readonly ModelTargetPhase[] })
    | undefined;
  readonly modelTargetGenerationFailure?: { readonly message?: string } | undefined;
  readonly modelTargetGenerationWarning?:
    | { readonly message?: string; readonly details?: readonly { readonly [key: string]: unknown }[] }
    | undefined;
  readonly modelTargetTrainingAllowanceExceeded: boolean;
  readonly instanceGenerationFailure?: InstanceFailure | undefined;
  readonly modelTargetClient: { readonly id: string; readonly secret: string };
  readonly modelTargetUser: { readonly name: string; readonly password: string };
}

/** The emulator's parts, as every endpoint sees them. */
export interface Services {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly random: Random;
  readonly profile: Profile;
  readonly settings: Settings;
  readonly journal: Journal;
}

export type Call = HttpCall<Services>;
export type ServiceEndpoint = Endpoint<Services>;
