import { createHash } from "node:crypto";
import { formatOf, type ImageFormat, pixelSizeOf } from "../core/image-header.ts";
import type { ComparedSignature, ConsideredTarget, JournalEntry } from "../core/journal.ts";
import type { HeaderList } from "../core/message.ts";
import type { Operation, Service } from "../core/operation-names.ts";
import type { RecordedBody, RecordedImage } from "../core/recorded-body.ts";
import type { RecordedRequest, RecordedResponse } from "../core/recorded-message.ts";
import { ratingAt, statusAt, type Target, type TargetStatus } from "../schema/target.ts";

/** The version of the report's form; grows when a reader of the older form would go wrong. */
export const REPORT_VERSION = 1;

/** What happened to a mock, as plain JSON: for an HTML report, or for tools of your own. Holds no secret. */
export interface MockReport {
  /** Tells a report from other JSON. */
  readonly format: "mock-cloud-reco report";
  /** 1. A reader refuses versions that it does not know. */
  readonly version: typeof REPORT_VERSION;
  /** When it was made, by the mock's clock: ISO 8601, as all moments in it. */
  readonly createdAt: string;
  /** The test that it is about, if a fixture made it. */
  readonly test?: ReportedTest;
  /** Base URLs of the four APIs. */
  readonly urls: Readonly<Record<Service, string>>;
  /** Databases with their undeleted targets, in order of creation. */
  readonly databases: readonly ReportedDatabase[];
  /** The requests that the journal holds, in the order of their answers. */
  readonly requests: readonly ReportedRequest[];
  /** How many requests the journal no longer holds. */
  readonly droppedRequests: number;
  /** What happened to targets, in the order of time. */
  readonly timeline: readonly ReportedEvent[];
  /** Images of requests and targets by the SHA-256 of their bytes, each once; those of requests first. */
  readonly images: Readonly<Record<string, ReportedImage>>;
}

/** A test, as its runner names it. */
export interface ReportedTest {
  /** With the names of what it stands in. */
  readonly name: string;
  /** The message that it failed with. */
  readonly error?: string;
}

/** A database, without its secret keys. */
export interface ReportedDatabase {
  /** Unique among all databases. */
  readonly databaseName: string;
  /** `vumark` databases hold template targets. */
  readonly kind: "cloud" | "vumark";
  /** `WORKING`, or why requests are refused. */
  readonly stateName: string;
  /** Names the keys that sign target API requests. */
  readonly serverAccessKey: string;
  /** Names the keys that sign queries; VuMark databases have none. */
  readonly clientAccessKey?: string;
  /** Undeleted targets, in order of creation. */
  readonly targets: readonly ReportedTarget[];
}

/** A target at the moment of the report. */
export interface ReportedTarget {
  /** As the API gives it. */
  readonly targetId: string;
  /** As it was named. */
  readonly name: string;
  /** Those below are of cloud databases' targets only. */
  readonly status?: TargetStatus;
  /** -1 in the first half of processing, then 0 to 5. */
  readonly trackingRating?: number;
  /** Inactive targets are not found. */
  readonly activeFlag?: boolean;
  /** In scene units. */
  readonly width?: number;
  /** When it was added. */
  readonly uploadDate?: string;
  /** When it was added or last updated. */
  readonly lastModifiedDate?: string;
  /** When processing is, or was, over. */
  readonly processedAt?: string;
  /** SHA-256 of its image; the key in `images`. */
  readonly image?: string;
}

/** One request, as {@link JournalEntry} has it. */
export interface ReportedRequest {
  /** Counts requests in the order of their arrival, from 1 on. */
  readonly number: number;
  /** When it arrived, by the mock's clock. */
  readonly time: string;
  /** The API that the host serves. */
  readonly api: Service;
  /** Absent when none is served under that method and path. */
  readonly operation?: Operation;
  /** In upper case. */
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  /** The query string without its `?`; empty when there is none. */
  readonly query: string;
  /** Absent when the client got no response. */
  readonly status?: number;
  /** Of the response. */
  readonly resultCode?: string;
  /** Name of the check that refused it. */
  readonly refusedBy?: string;
  /** When a fault was applied to it. */
  readonly fault?: string;
  /** What to change, in one sentence; or what the fault did. */
  readonly reason?: string;
  /** Name of the database whose keys it named. */
  readonly database?: string;
  /** Real time from arrival to answer, in milliseconds. */
  readonly durationMs: number;
  /** Both strings to sign, of a wrong signature. */
  readonly signature?: ComparedSignature;
  /** Queries: why targets did or did not match, the nearest first. */
  readonly considered?: readonly ConsideredTarget[];
  /** What the client sent. */
  readonly request: ReportedMessage;
  /** What it got; absent when it got no response. */
  readonly response?: ReportedMessage;
}

/** Headers and body of a request or a response; secrets are masked. */
export interface ReportedMessage {
  /** Lines in their order: name, value. */
  readonly headers: HeaderList;
  /** In bytes. */
  readonly size: number;
  /** The bytes were dropped from the journal, newer ones needed the room. */
  readonly dropped?: true;
  /** The body as short text: images as format, pixels and size, long text cut. */
  readonly text: string;
  /** The body's JSON value; an image in it is shortened to its text. */
  readonly json?: unknown;
  /** The fields of a form. */
  readonly fields?: readonly ReportedField[];
  /** SHA-256 of the image in it; the key in `images`. */
  readonly image?: string;
}

/** A field of a form. */
export interface ReportedField {
  /** As it was sent. */
  readonly name: string;
  /** The text; or, of a file, its size and kind. */
  readonly text: string;
  /** Of a file: its name, possibly empty. */
  readonly filename?: string;
  /** Of a file that is an image: the key in `images`. */
  readonly image?: string;
}

/** An image's facts, and its bytes where they fit. */
export interface ReportedImage {
  /** By its first bytes. */
  readonly format: ImageFormat;
  /** In pixels; absent when its header is damaged. */
  readonly width?: number;
  /** In pixels; absent when its header is damaged. */
  readonly height?: number;
  /** In bytes. */
  readonly size: number;
  /** The file; absent when all images together would have more than 16 MiB. */
  readonly base64?: string;
}

/** A moment in a target's life. */
export interface ReportedEvent {
  /** When. */
  readonly time: string;
  /** The database that the target is in. */
  readonly database: string;
  /** The target. */
  readonly targetId: string;
  /** As it was named. */
  readonly name: string;
  /** `added` and `updated` begin processing. */
  readonly event: "added" | "updated" | "success" | "failed";
}

/** What a report is made from. */
export interface ReportSource {
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly urls: Readonly<Record<Service, string>>;
  readonly databases: readonly DatabaseWithTargets[];
  readonly entries: readonly JournalEntry[];
  readonly dropped: number;
  readonly test?: ReportedTest | undefined;
}

/** A database and what is in it. */
export type DatabaseWithTargets = Omit<ReportedDatabase, "targets"> & {
  readonly targets: readonly Target[];
  readonly templates: readonly { readonly targetId: string; readonly name: string }[];
};

const MOST_IMAGE_BYTES = 16 * 1024 * 1024;

/** Makes a report; of a mock, or of servers. */
export function buildReport({ now, urls, databases, entries, dropped, test }: ReportSource): MockReport {
  const images = new ImageShelf();
  // The requests' images before the targets', of which there may be many more.
  const requests = entries.map((entry) => reportedRequest(entry, images));
  return {
    format: "mock-cloud-reco report",
    version: REPORT_VERSION,
    createdAt: new Date(now).toISOString(),
    ...(test && { test }),
    urls,
    databases: databases.map(({ targets, templates, ...database }) => ({
      ...database,
      targets: [...templates, ...targets.map((target) => reportedTarget(target, now, images))],
    })),
    requests,
    droppedRequests: dropped,
    timeline: databases
      .flatMap(({ databaseName, targets }) => targets.flatMap((target) => lifeOf(target, databaseName, now)))
      .sort((a, b) => a.time.localeCompare(b.time)),
    images: images.all,
  };
}

/** One request as a report has it, with the images in it. */
export function reportRequest(
  entry: JournalEntry,
): Pick<MockReport, "images"> & { readonly request: ReportedRequest } {
  const images = new ImageShelf();
  const request = reportedRequest(entry, images);
  return { request, images: images.all };
}

class ImageShelf {
  private readonly kept = new Map<string, ReportedImage>();
  private left = MOST_IMAGE_BYTES;

  get all(): Readonly<Record<string, ReportedImage>> {
    return Object.fromEntries(this.kept);
  }

  add(bytes: Buffer, sha256 = createHash("sha256").update(bytes).digest("hex")): string | undefined {
    const format = formatOf(bytes);
    if (format === undefined) return undefined;
    if (!this.kept.has(sha256)) {
      const fits = bytes.length <= this.left;
      if (fits) this.left -= bytes.length;
      this.kept.set(sha256, {
        format,
        ...pixelSizeOf(bytes),
        size: bytes.length,
        ...(fits && { base64: bytes.toString("base64") }),
      });
    }
    return sha256;
  }

  addRecorded(image: RecordedImage | undefined): { readonly image?: string } {
    const sha256 = image === undefined ? undefined : this.add(image.bytes);
    return sha256 === undefined ? {} : { image: sha256 };
  }
}

function reportedRequest(entry: JournalEntry, images: ImageShelf): ReportedRequest {
  const { number, time, api, operation, method, path, request, response, durationMs } = entry;
  const { status, resultCode, refusedBy, fault, reason, database, signature, considered } = entry;
  return {
    number,
    time: time.toISOString(),
    api,
    ...(operation !== undefined && { operation }),
    method,
    path,
    query: request.query,
    ...(status !== undefined && { status }),
    ...(resultCode !== undefined && { resultCode }),
    ...(refusedBy !== undefined && { refusedBy }),
    ...(fault !== undefined && { fault }),
    ...(reason !== undefined && { reason }),
    ...(database !== undefined && { database }),
    durationMs,
    ...(signature !== undefined && { signature }),
    ...(considered !== undefined && { considered }),
    request: reportedMessage(request, images),
    ...(response && { response: reportedMessage(response, images) }),
  };
}

function reportedMessage(
  { headerLines, body }: RecordedRequest | RecordedResponse,
  images: ImageShelf,
): ReportedMessage {
  const { json } = body;
  const fields = reportedFields(body, images);
  return {
    headers: headerLines,
    size: body.size,
    ...(body.dropped && { dropped: true }),
    text: String(body),
    ...(json !== undefined && { json: body.shortJson }),
    ...(fields && { fields }),
    ...images.addRecorded(body.image),
  };
}

function reportedFields({ fields }: RecordedBody, images: ImageShelf): ReportedField[] | undefined {
  if (fields === undefined) return undefined;
  return Object.entries(fields).map(([name, value]) => {
    if (typeof value === "string") return { name, text: value };
    const { filename, image, bytes } = value;
    const kind = image === undefined ? "neither PNG nor JPEG" : image.format;
    return { name, filename, text: `${kind}, ${bytes.length} bytes`, ...images.addRecorded(image) };
  });
}

/** When processing is over; what was cut short on request ended at once, as far as anyone knows. */
const processedAt = ({ processed, lastModifiedDate, processingTimeSeconds }: Target): number =>
  processed ? lastModifiedDate : lastModifiedDate + processingTimeSeconds * 1000;

function reportedTarget(target: Target, now: number, images: ImageShelf): ReportedTarget {
  const bytes = target.image.bytes();
  const image = Buffer.isBuffer(bytes) ? images.add(bytes, target.image.sha256) : undefined;
  return {
    targetId: target.targetId,
    name: target.name,
    status: statusAt(target, now),
    trackingRating: ratingAt(target, now),
    activeFlag: target.activeFlag,
    width: target.width,
    uploadDate: new Date(target.uploadDate).toISOString(),
    lastModifiedDate: new Date(target.lastModifiedDate).toISOString(),
    processedAt: new Date(processedAt(target)).toISOString(),
    ...(image !== undefined && { image }),
  };
}

function lifeOf(target: Target, database: string, now: number): ReportedEvent[] {
  const { targetId, name, uploadDate, lastModifiedDate } = target;
  const at = (time: number, event: ReportedEvent["event"]): ReportedEvent => ({
    time: new Date(time).toISOString(),
    database,
    targetId,
    name,
    event,
  });
  const status = statusAt(target, now);
  return [
    at(uploadDate, "added"),
    ...(lastModifiedDate === uploadDate ? [] : [at(lastModifiedDate, "updated")]),
    ...(status === "processing" ? [] : [at(processedAt(target), status)]),
  ];
}
