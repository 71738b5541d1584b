/* What the page's routes answer, as far as these tests read it. */

export interface PageTargets {
  readonly database: string | null;
  readonly databases: readonly string[];
  readonly targets: readonly { readonly targetId: string; readonly name: string }[];
  readonly total: number;
  readonly all: number;
}

export interface PageRequests {
  readonly requests: readonly {
    readonly number: number;
    readonly path: string;
    readonly api: string;
    readonly operation: string | null;
  }[];
  readonly total: number;
}

export interface PageDatabase {
  readonly kind: string;
  readonly databaseName: string;
  readonly counts: Readonly<Record<"active" | "inactive" | "failed" | "processing", number>>;
}

export interface PageDatabases {
  readonly databases: readonly PageDatabase[];
  readonly total: number;
}

export interface PageFaults {
  readonly faults: readonly {
    readonly operation: readonly string[] | null;
    readonly delaySeconds: number;
    readonly timesApplied: number;
  }[];
}

export interface PageModels {
  readonly datasets: readonly { readonly uuid: string }[];
  readonly reports: readonly { readonly file: string }[];
}

export interface PageState {
  readonly clock: { readonly now: number; readonly frozen: boolean };
  readonly requests: { readonly clients: number; readonly refused: number; readonly dropped: number };
}

export interface PageRequestDetails {
  readonly images: unknown;
  readonly request: {
    readonly request: { readonly size: number };
    readonly response?: { readonly json?: unknown };
  };
}

export interface PageTrial {
  readonly comparison: unknown;
  readonly image: { readonly rating: number; readonly brisque: number | null };
  readonly targets: readonly { readonly image: string; readonly score: number }[];
}

export interface PageComparison {
  readonly columns: number;
  readonly windows: readonly number[];
  readonly score: number;
}
