import type { Advice } from "../core/apis/services.ts";
import type { HeaderList } from "../core/emulator/message.ts";
import type { ImageFormat } from "../core/general/image-header.ts";
import type { CloudDatabase } from "../core/schema/cloud-database.ts";
import type { Database, TemplateTarget, VuMarkDatabase } from "../core/schema/database.ts";
import type { AddedFault } from "../core/schema/fault.ts";
import type { EntryFacts, ShortFacts } from "../core/schema/journal-entry.ts";
import type { ClientCredential, Dataset } from "../core/schema/model-target.ts";
import type { TargetStatus } from "../core/schema/processing.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import type { Report } from "../core/schema/report.ts";
import type { TargetRecord } from "../core/schema/target.ts";
import type { TargetCounts } from "../core/store/records.ts";
import type { compareWindows, findTargets, tryImage } from "./trial.ts";

/* Types of the page's data, live or in a report. Times are milliseconds since the epoch, by the emulator's clock. */

/** Headers and body of a request or response, with secrets masked. */
export interface ShownMessage {
  /** Names and values, in the order sent. */
  readonly headers: HeaderList;
  /** Size of the body in bytes. */
  readonly size: number;
  /** Set when the journal dropped the body to make room for newer ones. */
  readonly dropped?: true;
  /** The body as short text: long text is cut, and images appear as format, dimensions and size. */
  readonly text: string;
  /** The body's JSON value, with images replaced by their description. */
  readonly json?: unknown;
  /** Fields of a form. */
  readonly fields?: readonly {
    /** Field name. */
    readonly name: string;
    /** The value; for a file, its type and size. */
    readonly text: string;
    /** File name of a file, possibly empty. */
    readonly filename?: string;
    /** Key in `images` of a file that is an image. */
    readonly image?: string;
  }[];
  /** Key in `images` of the image in the body. */
  readonly image?: string;
}

/** A journal entry with its messages. */
export interface ShownRequest extends EntryFacts {
  /** The request as the client sent it. */
  readonly request: ShownMessage & {
    /** Query string without `?`; empty when there is none. */
    readonly query: string;
  };
  /** The response as the client received it; absent without one. */
  readonly response?: ShownMessage;
}

/** Metadata of an image, and its bytes if they fit. */
export interface ShownImage {
  /** Format, detected from the first bytes. */
  readonly format: ImageFormat;
  /** Width in pixels, as viewers show it; absent when the header is damaged. */
  readonly width?: number;
  /** Height in pixels, as viewers show it; absent when the header is damaged. */
  readonly height?: number;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Reports: the file in base64; absent when it would push the total of all images above 16 MiB. */
  readonly base64?: string;
}

/** A target of a cloud database. Its image is named by the SHA-256 of its bytes, in hexadecimal. */
export interface ShownTarget extends TargetRecord {
  /** Number of characters of the metadata, of which the first 4096 are shown. */
  readonly metadataLength: number;
}

/** Facts of a report that the mock did not record. */
export interface ReportDetails {
  /** The test that the report covers. Its error shows no secret keys of the mock's databases. */
  readonly test?:
    | {
        /** Full name, including the names of the enclosing blocks. */
        readonly name: string;
        /** The failure message. */
        readonly error?: string;
      }
    | undefined;
}

/**
 * Everything that a mock recorded, as plain JSON: for an HTML report, or for your own tools. Contains no secrets. Times are
 * milliseconds since the epoch, by the mock's clock.
 */
export interface MockReport extends ReportDetails {
  /** Identifies a report among other JSON. */
  readonly format: "mock-cloud-reco report";
  /** Incremented when an older reader would misread the format. Readers reject versions that they do not know. */
  readonly version: 2;
  /** When the report was created. */
  readonly createdAt: number;
  /** Base URLs of the four APIs. */
  readonly urls: Readonly<Record<ApiName, string>>;
  /** Databases without their secret keys, with their undeleted targets in order of creation. */
  readonly databases: readonly (
    | (Omit<CloudDatabase, "serverSecretKey" | "clientSecretKey"> & {
        /** With the status and the rating when the report was created. */
        readonly targets: readonly (ShownTarget & {
          /** Processing status. */
          readonly status: TargetStatus;
          /** -1 during the first half of processing, then 0 to 5. */
          readonly trackingRating: number;
        })[];
      })
    | (Omit<VuMarkDatabase, "serverSecretKey"> & {
        /** VuMark templates. */
        readonly targets: readonly TemplateTarget[];
      })
  )[];
  /** The requests in the journal, in the order in which they were answered. */
  readonly requests: readonly ShownRequest[];
  /** How many older requests the journal dropped. */
  readonly droppedRequests: number;
  /** Events of targets, oldest first. */
  readonly timeline: readonly {
    /** When it happened. */
    readonly time: number;
    /** Name of the target's database. */
    readonly database: string;
    /** Id of the target. */
    readonly targetId: string;
    /** Name of the target. */
    readonly name: string;
    /** `added` and `updated` start processing; `success` and `failed` end it. */
    readonly event: "added" | "updated" | "success" | "failed";
  }[];
  /** Each distinct image of the requests, then of the targets, keyed by the SHA-256 of its bytes in hexadecimal. */
  readonly images: Readonly<Record<string, ShownImage>>;
}

export interface PageState {
  /** Base URLs, without a trailing slash; null: unknown to this server. */
  readonly urls: { readonly target: string | null; readonly query: string | null; readonly manager: string };
  readonly clock: {
    readonly now: number;
    readonly frozen: boolean;
    /** How far the clock was set ahead of real time, in milliseconds; negative: behind. */
    readonly lead: number;
  };
  /** Queries find targets in photographs, not only in nearly the same picture. */
  readonly matchesPhotographs: boolean;
  readonly advice: Advice;
  /** A test waits for "Continue". */
  readonly paused: boolean;
  readonly requests: {
    /** Number of kept requests of clients. */
    readonly clients: number;
    readonly refused: number;
    readonly dropped: number;
    /** Another number whenever the journal was cleared. */
    readonly generation: number;
  };
}

/** A cloud database with its targets by status, or a VuMark database with its template targets. */
export type PageDatabase = (CloudDatabase & { readonly counts: TargetCounts }) | PageVuMarkDatabase;
export type PageVuMarkDatabase = VuMarkDatabase & { readonly targets: readonly TemplateTarget[] };

export interface PageDatabases {
  /** In order of creation, the newest ones if there are too many. */
  readonly databases: readonly PageDatabase[];
  readonly total: number;
}

export interface PageNames {
  /** The requested cloud database, else the last used, else the newest; null if there is none. */
  readonly database: string | null;
  readonly databases: readonly string[];
}

export interface PageTargets extends PageNames {
  readonly targets: readonly ShownTarget[];
  /** The target whose details are shown, even if `targets` does not have it. */
  readonly open: ShownTarget | null;
  readonly total: number;
  readonly all: number;
}

/** A request in a list, without what may be long. */
export type RequestRow = ShortFacts & {
  /** The first target that a query found; null: it found none. Absent for other requests, and for refused queries. */
  readonly found?: FoundTarget | null;
};

export interface FoundTarget {
  readonly name: string;
  /** SHA-256 of its image; null: the target was deleted. */
  readonly image: string | null;
}

export interface PageRequests {
  /** The newest ones, oldest first. */
  readonly requests: readonly RequestRow[];
  readonly total: number;
}

export interface PageModels {
  readonly datasets: readonly PageDataset[];
  readonly credentials: readonly ClientCredential[];
  readonly reports: readonly PageReport[];
  readonly vuMarkDatabases: readonly PageVuMarkDatabase[];
}

export interface PageFaults {
  readonly faults: readonly PageFault[];
  readonly databases: readonly string[];
}

/** A dataset without the body of its request, which holds whole models. */
export interface PageDataset extends Omit<Dataset, "requestBody"> {
  /** The name in the request; null when it had none. */
  readonly name: string | null;
  readonly models: number;
}

/** A recognition-counts report that a client requested, without its rows. */
export interface PageReport extends Omit<Report, "rows"> {
  readonly databaseName: string;
  readonly rowCount: number;
}

/** A row of a report; `name` is null when its target was deleted. */
export type PageReportRow = Report["rows"][number] & { readonly name: string | null };

/** A fault, without the headers and the body of its response. */
export interface PageFault extends Omit<AddedFault, "response"> {
  readonly response: { readonly status: number; readonly resultCode?: string } | null;
}

/** A request with its images by SHA-256. */
export interface PageRequestDetails {
  readonly images: Readonly<Record<string, ShownImage>>;
  readonly request: ShownRequest;
  /** The database whose keys it uses, with these keys; absent in reports. */
  readonly database?: Database | undefined;
}

export type PageFindings = Awaited<ReturnType<typeof findTargets>>;

export type PageTrial = Awaited<ReturnType<typeof tryImage>>;

export type PageTriedTarget = PageFindings["targets"][number];

export type { FoundFeatures as PageFeatures } from "../recognition/pictures.ts";

export type PageComparison = NonNullable<Awaited<ReturnType<typeof compareWindows>>>;
