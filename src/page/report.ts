import type { ImageFormat } from "../emulator/image-header.ts";
import type { ComparedSignature, ConsideredTarget, JournalEntry } from "../emulator/journal.ts";
import type { HeaderList } from "../emulator/message.ts";
import type { Operation, Service } from "../schema/operation-names.ts";
import type { TargetStatus } from "../schema/target.ts";

/**
 * Everything that a mock recorded, as plain JSON: for an HTML report, or for your own tools. Contains no secrets. All times are
 * ISO 8601 text by the mock's clock.
 */
export interface MockReport {
  /** Identifies a report among other JSON. */
  readonly format: "mock-cloud-reco report";
  /** Incremented when an older reader would misread the format. Readers reject versions that they do not know. */
  readonly version: 1;
  /** When the report was created. */
  readonly createdAt: string;
  /** The test that the report covers, if it covers one. */
  readonly test?: ReportedTest;
  /** Base URLs of the four APIs. */
  readonly urls: Readonly<Record<Service, string>>;
  /** Databases with their undeleted targets, in order of creation. */
  readonly databases: readonly ReportedDatabase[];
  /** The requests in the journal, in the order in which they were answered. */
  readonly requests: readonly ReportedRequest[];
  /** How many older requests the journal dropped. */
  readonly droppedRequests: number;
  /** What happened to targets, oldest first. */
  readonly timeline: readonly ReportedEvent[];
  /** Each distinct image of the requests, then of the targets, keyed by the SHA-256 of its bytes in hexadecimal. */
  readonly images: Readonly<Record<string, ReportedImage>>;
}

/** A test, as its runner reports it. */
export interface ReportedTest {
  /** Full name, including the names of the enclosing blocks. */
  readonly name: string;
  /** The failure message. */
  readonly error?: string;
}

/** What a report says besides what the mock recorded. */
export interface ReportDetails {
  /** The test that the report covers. Its error shows no secret keys of the mock's databases. */
  readonly test?: ReportedTest | undefined;
}

/** A database, without its secret keys. */
export interface ReportedDatabase {
  /** Unique among all databases. */
  readonly databaseName: string;
  /** `vumark` databases hold template targets. */
  readonly kind: "cloud" | "vumark";
  /** `WORKING`, or the state that makes the service refuse requests. */
  readonly stateName: string;
  /** Access key of target API requests. */
  readonly serverAccessKey: string;
  /** Access key of queries. VuMark databases have none. */
  readonly clientAccessKey?: string;
  /** Undeleted targets, in order of creation. */
  readonly targets: readonly ReportedTarget[];
}

/** A target when the report was created. Template targets have only `targetId` and `name`. */
export interface ReportedTarget {
  /** Id in the API. */
  readonly targetId: string;
  /** Name in the database. */
  readonly name: string;
  /** Processing status. */
  readonly status?: TargetStatus;
  /** -1 during the first half of processing, then 0 to 5. */
  readonly trackingRating?: number;
  /** Queries do not find inactive targets. */
  readonly activeFlag?: boolean;
  /** Width in scene units. */
  readonly width?: number;
  /** When it was added. */
  readonly uploadDate?: string;
  /** When it was added or last updated. */
  readonly lastModifiedDate?: string;
  /** When processing ends, or ended. */
  readonly processedAt?: string;
  /** The image's key in `images`. */
  readonly image?: string;
}

/** One request, with the data of its {@link JournalEntry}. */
export interface ReportedRequest {
  /** Position in the order of arrival, from 1. */
  readonly number: number;
  /** When the request arrived. */
  readonly time: string;
  /** The API that the requested host serves. */
  readonly api: Service;
  /** Absent when no operation has this method and path. */
  readonly operation?: Operation;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path without the query string. */
  readonly path: string;
  /** Query string without `?`; empty when there is none. */
  readonly query: string;
  /** Status of the response; absent when the client got none. */
  readonly status?: number;
  /** Result code of the response. */
  readonly resultCode?: string;
  /** Name of the check that refused the request. */
  readonly refusedBy?: string;
  /** The fault that was applied: `addFault`, or the name of the option that configured it. */
  readonly fault?: string;
  /** Why the request was refused and what to change, or what the fault did. */
  readonly reason?: string;
  /** Name of the database that the access key belongs to. */
  readonly database?: string;
  /** Real time from arrival to response, in milliseconds. */
  readonly durationMs: number;
  /** The client's and the mock's string to sign, for a wrong signature. */
  readonly signature?: ComparedSignature;
  /** For a query: why targets did or did not match, nearest first. */
  readonly considered?: readonly ConsideredTarget[];
  /** What the client sent. */
  readonly request: ReportedMessage;
  /** What the client received; absent when it got no response. */
  readonly response?: ReportedMessage;
}

/** Headers and body of a request or response, with secrets masked. */
export interface ReportedMessage {
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
  readonly fields?: readonly ReportedField[];
  /** Key in `images` of the image in the body. */
  readonly image?: string;
}

/** A field of a form. */
export interface ReportedField {
  /** Field name. */
  readonly name: string;
  /** The value; for a file, its type and size. */
  readonly text: string;
  /** File name of a file, possibly empty. */
  readonly filename?: string;
  /** Key in `images` of a file that is an image. */
  readonly image?: string;
}

/** Metadata of an image, and its bytes if they fit. */
export interface ReportedImage {
  /** Format, detected from the first bytes. */
  readonly format: ImageFormat;
  /** Width in pixels; absent when the header is damaged. */
  readonly width?: number;
  /** Height in pixels; absent when the header is damaged. */
  readonly height?: number;
  /** Size of the file in bytes. */
  readonly size: number;
  /** The file in base64; absent when it would push the total of all images above 16 MiB. */
  readonly base64?: string;
}

/** A change of a target's status. */
export interface ReportedEvent {
  /** When it happened. */
  readonly time: string;
  /** Name of the target's database. */
  readonly database: string;
  /** Id of the target. */
  readonly targetId: string;
  /** Name of the target. */
  readonly name: string;
  /** `added` and `updated` start processing; `success` and `failed` end it. */
  readonly event: "added" | "updated" | "success" | "failed";
}
