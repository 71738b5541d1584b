import type { MovableClock } from "../emulator/clock.ts";
import type { OperationContext } from "../emulator/context.ts";
import type { SharedFaults } from "../emulator/faults.ts";
import type { Journal } from "../emulator/journal.ts";
import type { Profile } from "../emulator/profiles.ts";
import type { Random } from "../emulator/random.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import type { Wants } from "../images/measures.ts";
import type { TargetRater } from "../images/ratings/rating.ts";
import type { AnyCause } from "../schema/causes/causes.ts";
import type { RequestRateLimits } from "../schema/cloud-database.ts";
import type { ConfiguredResponse } from "../schema/fault-response.ts";
import type { ConsideredTarget } from "../schema/journal-entry.ts";
import type { TargetStatus } from "../schema/processing.ts";
import type { ResultCode } from "../schema/protocol.ts";
import type { Target } from "../schema/target.ts";
import type {
  CreatedTarget,
  DeletedTarget,
  NewTarget,
  TargetChanges,
  UpdatedTarget,
} from "../store/changes.ts";
import type { RecordsOf, TargetCounts } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** A group of Model Target requests: creating, asking for the status, downloading or deleting a dataset. */
export type ModelTargetPhase = "create" | "status" | "download" | "delete";
/** A result code that instance generation can be configured to fail with. */
export type InstanceFailure = Extract<
  ResultCode,
  "QuotaExceeded" | "LicenseCheckFailed" | "AuthorizationFailed"
>;

/** Options that decide how requests are answered, of mocks and of servers. */
export interface AnswerOptions {
  /** Encoding of query responses: `gzip` (default), or `identity` for clients that do not decode gzip. */
  readonly queryContentEncoding: "gzip" | "identity";
  /** Processing time of targets, reports and datasets in seconds, 0 or more. Default 0.5; on servers 2. */
  readonly processingTimeSeconds: number;
  /** Delay of every response except the target manager's, in seconds, 0 or more. Default 0. */
  readonly responseDelaySeconds: number;
  /** Whether creating a dataset fails with `TRAINING_ALLOWANCE_EXCEEDED`. Default false. */
  readonly modelTargetTrainingAllowanceExceeded: boolean;
  /** Requests per second for databases without a limit of their own: an integer, 0 or more. Default: no limit. */
  readonly requestsPerSecondLimit: number | null;
  /** Rate limits for databases without limits of their own, for example `DOCUMENTED_REQUEST_RATE_LIMITS`. Default: none. */
  readonly requestRateLimits: RequestRateLimits | null;
  /** The built-in OAuth 2.0 client, which has every scope. Default `client-id` and `client-secret`. */
  readonly modelTargetClient: {
    /** User name for HTTP Basic authentication. */
    readonly id: string;
    /** Password for HTTP Basic authentication. */
    readonly secret: string;
  };
  /** The built-in user of the password grant. Default `user@example.com` and `password`. */
  readonly modelTargetUser: {
    /** The form field `username`. */
    readonly name: string;
    /** The form field `password`. */
    readonly password: string;
  };
}

/** Options that make requests of some APIs fail, of mocks only. */
export interface ConfiguredFailures {
  /** Response to every query, before any check. */
  readonly cloudQueryFailure?: ConfiguredResponse;
  /** Response to the Model Target requests of some phases, before any check. */
  readonly modelTargetFailure?: ConfiguredResponse & {
    /** Phases to respond to. Default: all four. */
    readonly phases?: readonly ModelTargetPhase[];
  };
  /** Makes every dataset end as `failed`, whatever `modelTargetGenerationWarning` says. */
  readonly modelTargetGenerationFailure?: {
    /** Error message. Default `Model Target dataset generation failed`. */
    readonly message?: string;
  };
  /** Makes every dataset end as `done` with a warning. */
  readonly modelTargetGenerationWarning?: {
    /** Warning message. Default `Warning after creating dataset`. */
    readonly message?: string;
    /** Details of the warning. Default: one, `LOW_RECOGNITION_QUALITY`. */
    readonly details?: readonly { readonly [key: string]: unknown }[];
  };
  /** Result code with which every VuMark instance request fails. */
  readonly instanceGenerationFailure?: InstanceFailure;
}

/** What to change, as it can be changed here: by an option of a mock, or what the running command reads. Ends a sentence. */
export interface Advice {
  /** To recognise photographs. */
  readonly photographs: string;
  /** To get query responses without gzip. */
  readonly identity: string;
  /** To open the page in a secure context, in which browsers allow the camera. */
  readonly secureContext: string;
}

/** All that decides how requests are answered, with its defaults; the same in process and on servers. */
export interface ResolvedAnswerOptions extends AnswerOptions, ConfiguredFailures {
  readonly queryMatcher: ImageMatcher;
  readonly duplicatesMatcher: ImageMatcher;
  readonly targetRater: TargetRater;
  /** What that rater and these matchers need to know of a new target's image. */
  readonly wantedMeasures: Wants;
  readonly delay: (seconds: number, endings: readonly (AbortSignal | undefined)[]) => Promise<void>;
  readonly reportBaseUrl: string;
  readonly advice: Advice;
}

/** The result of a search, and the targets that it does not see yet. */
export type SearchResult<Search> = Search & { readonly unseen?: readonly ConsideredTarget[] };

/** What one request sees of the targets of its database, and how it changes them. */
export interface TargetsView {
  /** The target that the request names. `hidden`: why the request does not see it yet. */
  find(targetId: string): { readonly target?: Target | undefined; readonly hidden?: AnyCause };
  /** By upload date. */
  list(): readonly Target[];
  counts(): TargetCounts;
  /** Finds targets among those that a query or duplicates see. */
  search<Search extends { readonly found: readonly Target[] }>(
    find: (targets: readonly Target[]) => Promise<Search>,
  ): Promise<SearchResult<Search>>;
  /** Adds a target, or returns why the store refuses it. */
  add(given: NewTarget): Promise<CreatedTarget>;
  /** @param updatable - the statuses in which the update is allowed. */
  update(target: Target, changes: TargetChanges, updatable: readonly TargetStatus[]): Promise<UpdatedTarget>;
  delete(target: Target): Promise<DeletedTarget>;
}

/** How consistent the emulated service is. The core always is: what lags or fails by chance brings its own. */
export interface Consistency {
  view(context: ApiContext, records: RecordsOf): TargetsView;
  /** Whether a request above a rate limit is accepted all the same. */
  acceptsAboveLimit(): boolean;
  /** Adds what happens to requests by chance to the faults of a test. */
  faults(own: SharedFaults): SharedFaults;
  fork(): Consistency;
  /** From now on, requests see everything as it is. */
  end(): void;
}

/** The parts of an emulator that a test controls besides requests: its state, and what it is made by. */
export interface ControlledParts {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly random: Random;
  readonly answerOptions: ResolvedAnswerOptions;
  readonly journal: Journal;
  readonly faults: SharedFaults;
  readonly consistency: Consistency;
}

/** The emulator's parts, for every operation. */
export interface Services extends ControlledParts {
  readonly profile: Profile;
}

export type ApiContext = OperationContext<Services>;
