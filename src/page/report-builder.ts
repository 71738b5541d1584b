import { createHash } from "node:crypto";
import { formatOf, pixelSizeOf } from "../emulator/image-header.ts";
import type { JournalEntry } from "../emulator/journal.ts";
import { HIDDEN } from "../emulator/masking.ts";
import type { RecordedBody, RecordedImage } from "../emulator/recorded-body.ts";
import type { RecordedRequest, RecordedResponse } from "../emulator/recorded-message.ts";
import type { Service } from "../schema/operation-names.ts";
import { ratingAt, statusAt, type Target } from "../schema/target.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type {
  MockReport,
  ReportDetails,
  ReportedDatabase,
  ReportedEvent,
  ReportedField,
  ReportedImage,
  ReportedMessage,
  ReportedRequest,
  ReportedTarget,
  ReportedTest,
} from "./report.ts";

/** What a report is built from. */
export interface ReportSource extends ReportDetails {
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly urls: Readonly<Record<Service, string>>;
  readonly store: MemoryStore;
  readonly entries: readonly JournalEntry[];
  readonly dropped: number;
}

/** A database with the records in it. */
type DatabaseContents = Omit<ReportedDatabase, "targets"> & {
  readonly targets: readonly Target[];
  readonly templates: readonly { readonly targetId: string; readonly name: string }[];
};

const MAX_IMAGE_BYTES = 16 * 1024 * 1024;

export function buildReport({ test, now, urls, store, entries, dropped }: ReportSource): MockReport {
  const databases = contentsOf(store);
  const images = new ImageBlobs();
  // Before the images of targets, which may use up the limit on their own.
  const requests = entries.map((entry) => reportedRequest(entry, images));
  return {
    format: "mock-cloud-reco report",
    version: 1,
    createdAt: new Date(now).toISOString(),
    ...(test && { test: withoutSecrets(test, store) }),
    urls,
    databases: databases.map(({ targets, templates, ...database }) => ({
      ...database,
      targets: [...templates, ...targets.map((target) => reportedTarget(target, now, images))],
    })),
    requests,
    droppedRequests: dropped,
    timeline: databases
      .flatMap(({ databaseName, targets }) =>
        targets.flatMap((target) => eventsOf(target, databaseName, now)),
      )
      .sort((a, b) => a.time.localeCompare(b.time)),
    images: images.all,
  };
}

/** A test's error may quote a key. */
function withoutSecrets({ name, error }: ReportedTest, store: MemoryStore): ReportedTest {
  const secrets = [
    ...store.listCloudDatabases().flatMap((each) => [each.serverSecretKey, each.clientSecretKey]),
    ...store.listVuMarkDatabases().map(({ serverSecretKey }) => serverSecretKey),
  ].filter((secret) => secret !== "");
  const hidden = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  return { name: hidden(name), ...(error !== undefined && { error: hidden(error) }) };
}

/** Copies field by field: records hold secret keys, and a report must not. */
function contentsOf(store: MemoryStore): readonly DatabaseContents[] {
  const cloud = store.listCloudDatabases().map((database) => {
    const { databaseName, kind, stateName, serverAccessKey, clientAccessKey } = database;
    const targets = store.listTargets(databaseName);
    return { databaseName, kind, stateName, serverAccessKey, clientAccessKey, targets, templates: [] };
  });
  const vumark = store.listVuMarkDatabases().map((database) => {
    const { databaseName, kind, stateName, serverAccessKey } = database;
    const templates = store
      .listTemplateTargets(databaseName)
      .map(({ targetId, name }) => ({ targetId, name }));
    return { databaseName, kind, stateName, serverAccessKey, targets: [], templates };
  });
  return [...cloud, ...vumark];
}

/** Builds a report's record of one request, and the images that it refers to. */
export function reportRequest(
  entry: JournalEntry,
): Pick<MockReport, "images"> & { readonly request: ReportedRequest } {
  const images = new ImageBlobs();
  const request = reportedRequest(entry, images);
  return { request, images: images.all };
}

/** The images of a report by hash, within a limit on their total size. */
class ImageBlobs {
  private readonly kept = new Map<string, ReportedImage>();
  private left = MAX_IMAGE_BYTES;

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

function reportedRequest(entry: JournalEntry, images: ImageBlobs): ReportedRequest {
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
  images: ImageBlobs,
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

function reportedFields({ fields }: RecordedBody, images: ImageBlobs): ReportedField[] | undefined {
  if (fields === undefined) return undefined;
  return Object.entries(fields).map(([name, value]) => {
    if (typeof value === "string") return { name, text: value };
    const { filename, image, bytes } = value;
    const kind = image === undefined ? "neither PNG nor JPEG" : image.format;
    return { name, filename, text: `${kind}, ${bytes.length} bytes`, ...images.addRecorded(image) };
  });
}

/** When processing ends. `finishProcessing` records no time, so such a target counts as processed from the start. */
const processedAt = ({ processed, lastModifiedDate, processingTimeSeconds }: Target): number =>
  processed ? lastModifiedDate : lastModifiedDate + processingTimeSeconds * 1000;

function reportedTarget(target: Target, now: number, images: ImageBlobs): ReportedTarget {
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

function eventsOf(target: Target, database: string, now: number): ReportedEvent[] {
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
