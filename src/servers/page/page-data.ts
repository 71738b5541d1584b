import type { MockReport, ReportedRequest } from "../../mock/report.ts";

/** What the page is told, as JSON. Types only: the server makes it, the page in `src/ui` shows it. */

/** Moments and spans are milliseconds, moments since the epoch, by the emulator's clock. */
export interface PageState {
  readonly release: string;
  /** Base URLs, without a trailing slash; null: not known to this server. */
  readonly urls: { readonly target: string | null; readonly query: string | null; readonly manager: string };
  readonly clock: PageClock;
  readonly matcher: PageMatcher;
  /** A test waits for "Continue". */
  readonly paused: boolean;
  readonly cloud_databases: readonly PageCloudDatabase[];
  readonly vumark_databases: readonly PageVuMarkDatabase[];
  readonly datasets: readonly PageDataset[];
  readonly credentials: readonly PageCredential[];
}

export interface PageClock {
  readonly now: number;
  readonly frozen: boolean;
}

/** How query images are compared; the threshold is null when there is none. */
export interface PageMatcher {
  readonly name: "exact" | "structural_similarity" | "custom";
  readonly threshold: number | null;
}

export type PageDatabaseState =
  | "WORKING"
  | "PROJECT_INACTIVE"
  | "PROJECT_SUSPENDED"
  | "PROJECT_HAS_NO_API_ACCESS";

/** A rate limit as the target manager's API has it. */
export interface PageRateLimit {
  readonly max_requests: number;
  readonly window_seconds: number;
}

export interface PageCloudDatabase {
  readonly database_id: string;
  readonly database_name: string;
  readonly server_access_key: string;
  readonly server_secret_key: string;
  readonly client_access_key: string;
  readonly client_secret_key: string;
  readonly state_name: PageDatabaseState;
  readonly request_quota: number;
  readonly reco_threshold: number;
  readonly current_month_recos: number;
  readonly previous_month_recos: number;
  readonly total_recos: number;
  readonly target_quota: number;
  readonly requests_per_second_limit: number | null;
  readonly request_rate_limits: Readonly<Record<string, PageRateLimit | null>> | null;
  readonly counts: PageTargetCounts;
  /** Changes whenever a target does. */
  readonly revision: string;
}

/** Undeleted targets by status; `inactive` ones are counted by their status too. */
export interface PageTargetCounts {
  readonly success: number;
  readonly processing: number;
  readonly failed: number;
  readonly inactive: number;
}

export interface PageVuMarkDatabase {
  readonly database_name: string;
  readonly server_access_key: string;
  readonly server_secret_key: string;
  readonly state_name: PageDatabaseState;
  readonly vumark_targets: readonly {
    readonly target_id: string;
    readonly name: string;
    readonly processing_time_seconds: number;
    readonly modified_at: number;
    readonly finished: boolean;
  }[];
}

export interface PageDataset {
  readonly uuid: string;
  readonly family: string;
  /** As the request named it; null when it did not. */
  readonly name: string | null;
  /** How many models the request has. */
  readonly models: number;
  readonly created_at: number;
  readonly processing_time_seconds: number;
  readonly finished: boolean;
  readonly failure_message: string | null;
  readonly warning_message: string | null;
}

export interface PageCredential {
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: readonly string[];
}

/** A target of a cloud database; its status and rating follow from the moments and the clock. */
export interface PageTarget {
  readonly target_id: string;
  readonly name: string;
  readonly width: number;
  readonly active_flag: boolean;
  /** Base64 as it was sent, at most its first 4096 characters. */
  readonly application_metadata: string | null;
  /** Characters of the whole metadata. */
  readonly metadata_length: number;
  /** Of the image. */
  readonly sha256: string;
  readonly processing_time_seconds: number;
  readonly uploaded_at: number;
  readonly modified_at: number;
  /** What processing ends in. */
  readonly outcome: "success" | "failed";
  /** What the rater gave, 0 to 5. */
  readonly rating: number;
  /** Processing was cut short. */
  readonly finished: boolean;
  /** The rating shows at once. */
  readonly rated: boolean;
  readonly current_month_recos: number;
  readonly previous_month_recos: number;
  readonly total_recos: number;
}

export interface PageTargets {
  readonly revision: string;
  readonly targets: readonly PageTarget[];
}

/** A request in the list: as a report has it, without what may be long. */
export interface PageRequest
  extends Omit<ReportedRequest, "query" | "signature" | "considered" | "request" | "response"> {
  /** Unique in all runs of the manager and of its journal. */
  readonly id: string;
}

/** The `requests` event: what was answered since the event before it. */
export interface PageRequests {
  readonly requests: readonly PageRequest[];
  /** How many requests lie between the event before and this one and are no longer kept. */
  readonly missed: number;
}

/** All that is known of one request, with the facts of the images in it by their SHA-256. */
export interface PageRequestDetails extends Pick<MockReport, "images"> {
  readonly request: ReportedRequest;
}

/** What a picture that was tried would find. */
export interface PageTrial {
  readonly image: {
    readonly format: "PNG" | "JPEG" | null;
    readonly width: number | null;
    readonly height: number | null;
    /** In bytes. */
    readonly size: number;
    /** Why queries with it are refused; null when they are not. */
    readonly problem: string | null;
    /** Why it cannot be added as a target; null when it can. */
    readonly target_problem: string | null;
    /** 0, the best, to 100; null when it cannot be decoded. */
    readonly brisque: number | null;
    /** What the BRISQUE rater makes of it, 0 to 5. */
    readonly rating: number | null;
    /** Whether a target with it ends in `success`; null when it cannot be decoded. */
    readonly outcome: "success" | "failed" | null;
  };
  readonly matcher: PageMatcher;
  /** The nearest first. */
  readonly targets: readonly PageTriedTarget[];
  /** How many targets more the database has, which were not compared. */
  readonly not_compared: number;
}

export interface PageTriedTarget {
  readonly target_id: string;
  readonly name: string;
  readonly sha256: string;
  /** Null: it could not be compared. */
  readonly score: number | null;
  /** Whether a query finds it now. */
  readonly matched: boolean;
  /** Why a query does not find it whatever the score: inactive, still processing. */
  readonly passed_over: string | null;
}

/** Where two pictures are alike. */
export interface PageComparison {
  readonly score: number;
  /** Windows in a row; there are as many rows. */
  readonly columns: number;
  /** The score of each window, row by row: 1 is equal. */
  readonly windows: readonly number[];
}
