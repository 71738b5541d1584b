import type { MovableClock } from "../emulator/clock.ts";
import type { OperationContext } from "../emulator/context.ts";
import type { SharedFaults } from "../emulator/faults.ts";
import type { Journal } from "../emulator/journal.ts";
import type { Profile } from "../emulator/profiles.ts";
import type { Random } from "../emulator/random.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import type { DefaultLimits } from "../schema/cloud-database.ts";
import type { ConfiguredResponse } from "../schema/configured-response.ts";
import type { ResultCode } from "../schema/result-codes.ts";
import type { Store } from "../store/store.ts";

/** A group of Model Target requests: creating, asking for the status, downloading or deleting a dataset. */
export type ModelTargetPhase = "create" | "status" | "download" | "delete";
/** A result code that instance generation can be configured to fail with. */
export type InstanceFailure = Extract<
  ResultCode,
  "QuotaExceeded" | "LicenseCheckFailed" | "AuthorizationFailed"
>;

/** Settings of an emulator; the same in process and on servers. */
export interface Settings {
  /** Processing time of new targets, reports and datasets, in seconds. */
  readonly processingTimeSeconds: number;
  /** Rate limits of databases that are added without their own; none unless given. */
  readonly databaseDefaults?: DefaultLimits;
  readonly queryMatcher: ImageMatcher;
  readonly duplicatesMatcher: ImageMatcher;
  readonly queryContentEncoding: "gzip" | "identity";
  /** Delay of every response but the manager's, in seconds. */
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

/** The emulator's parts, as every operation sees them. */
export interface Services {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly random: Random;
  readonly profile: Profile;
  readonly settings: Settings;
  readonly journal: Journal;
  readonly faults: SharedFaults;
}

/** The context that the checks of every API start with. */
export type ApiContext = OperationContext<Services>;
