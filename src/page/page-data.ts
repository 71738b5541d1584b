import type { MockReport, ReportedRequest } from "./report.ts";

/* The JSON that the server sends to the page in `src/page/ui`. Types only. */

/** Times are milliseconds since the epoch, by the emulator's clock. */
export interface PageState {
  readonly release: string;
  /** Base URLs, without a trailing slash; null: unknown to this server. */
  readonly urls: { readonly target: string | null; readonly query: string | null; readonly manager: string };
  readonly clock: PageClock;
  readonly matcher: PageMatcher;
  /** A test waits for "Continue". */
  readonly paused: boolean;
  readonly cloud_databases: readonly PageCloudDatabase[];
  readonly vumark_databases: readonly PageVuMarkDatabase[];
  readonly datasets: readonly PageDataset[];
  readonly credentials: readonly PageCredential[];
  readonly reports: readonly PageReport[];
  /** Faults that were added, newest first. */
  readonly faults: readonly PageFault[];
}

export interface PageClock {
  readonly now: number;
  readonly frozen: boolean;
}

/** How query images are compared; the threshold is null for matchers without one. */
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
  /** The name in the request; null when it had none. */
  readonly name: string | null;
  /** Number of models in the request. */
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

/** A fault as the target manager's API has it, without the headers and the body of its answer. */
export interface PageFault {
  readonly id: string;
  readonly api: string | null;
  readonly operation: readonly string[] | null;
  readonly database_name: string | null;
  /** Whether code decides too which requests it matches. */
  readonly has_when: boolean;
  readonly answer: { readonly status: number; readonly result_code: string | null } | null;
  readonly reset_connection: boolean;
  readonly executed: boolean;
  readonly delay_seconds: number;
  readonly times: number | null;
  readonly probability: number;
  readonly times_applied: number;
}

/** A recognition-counts report that a client requested. */
export interface PageReport {
  readonly database_id: string;
  readonly database_name: string;
  /** The hour or the month that it covers; unique in its database. */
  readonly file: string;
  /** Number of rows. */
  readonly rows: number;
  readonly requested_at: number;
  readonly processing_time_seconds: number;
  readonly finished: boolean;
}

/** A row of a report; `name` is null when its target was deleted. */
export interface PageReportRow {
  readonly target_id: string;
  readonly name: string | null;
  readonly count: number;
}

/** A target of a cloud database; the page derives its status and rating from its times and the clock. */
export interface PageTarget {
  readonly target_id: string;
  readonly name: string;
  readonly width: number;
  readonly active_flag: boolean;
  /** Base64 as sent, truncated to 4096 characters. */
  readonly application_metadata: string | null;
  /** Length of the whole metadata, in characters. */
  readonly metadata_length: number;
  /** SHA-256 of the image. */
  readonly sha256: string;
  readonly processing_time_seconds: number;
  readonly uploaded_at: number;
  readonly modified_at: number;
  /** The status after processing. */
  readonly outcome: "success" | "failed";
  /** The rater's result, 0 to 5. */
  readonly rating: number;
  /** Whether processing was finished early. */
  readonly finished: boolean;
  /** Whether the rating shows at once. */
  readonly rated: boolean;
  readonly current_month_recos: number;
  readonly previous_month_recos: number;
  readonly total_recos: number;
}

export interface PageTargets {
  readonly revision: string;
  readonly targets: readonly PageTarget[];
}

/** A request in the list: as in a report, without the fields that may be long. */
export interface PageRequest
  extends Omit<ReportedRequest, "query" | "signature" | "considered" | "request" | "response"> {
  /** Unique across all runs of the manager and all clears of its journal. */
  readonly id: string;
}

/** The `requests` event: the requests answered since the previous event. */
export interface PageRequests {
  readonly requests: readonly PageRequest[];
  /** How many requests since the previous event are no longer kept. */
  readonly missed: number;
}

/** Everything known about one request, with facts about its images by their SHA-256. */
export interface PageRequestDetails extends Pick<MockReport, "images"> {
  readonly request: ReportedRequest;
}

/** What a query with a picture would find. */
export interface PageTrial {
  readonly image: {
    readonly format: "PNG" | "JPEG" | null;
    readonly width: number | null;
    readonly height: number | null;
    /** In bytes. */
    readonly size: number;
    /** Why queries with the image are refused; null when they are not. */
    readonly problem: string | null;
    /** Why it cannot be added as a target; null when it can. */
    readonly target_problem: string | null;
    /** 0, the best, to 100; null when it cannot be decoded. */
    readonly brisque: number | null;
    /** The BRISQUE rater's result, 0 to 5. */
    readonly rating: number | null;
    /** The status of a target with the image after processing; null when it cannot be decoded. */
    readonly outcome: "success" | "failed" | null;
  };
  readonly matcher: PageMatcher;
  /** Nearest first. */
  readonly targets: readonly PageTriedTarget[];
  /** Number of targets in the database that were not compared. */
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
  /** Why a query does not find it at any score: inactive, still processing. */
  readonly passed_over: string | null;
}

/** Where two images are alike. */
export interface PageComparison {
  readonly score: number;
  /** Number of windows in a row; there are as many rows. */
  readonly columns: number;
  /** The score of each window, row by row; 1: identical. */
  readonly windows: readonly number[];
}
