import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { formatOf, pixelSizeOf } from "../emulator/image-header.ts";
import { factsOf, type JournalEntry } from "../emulator/journal.ts";
import { HIDDEN } from "../emulator/masking.ts";
import type { RecordedBody, RecordedImage } from "../emulator/recorded-body.ts";
import type { RecordedRequest, RecordedResponse } from "../emulator/recorded-message.ts";
import { ratingAt, statusAt } from "../schema/processing.ts";
import type { Service } from "../schema/protocol.ts";
import type { Target } from "../schema/target.ts";
import { encodeTarget } from "../store/codec.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type {
  MockReport,
  PageRequestDetails,
  ReportDetails,
  ShownImage,
  ShownMessage,
  ShownRequest,
  ShownTarget,
} from "./model.ts";

/** What a report is built from. */
export interface ReportSource extends ReportDetails {
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly urls: Readonly<Record<Service, string>>;
  readonly store: MemoryStore;
  readonly entries: readonly JournalEntry[];
  readonly dropped: number;
}

type ReportedTest = NonNullable<ReportDetails["test"]>;
type ReportedEvent = MockReport["timeline"][number];

const MAX_METADATA_SHOWN = 4096;
const MAX_IMAGE_BYTES = 16 * 1024 * 1024;

export function buildReport({ test, now, urls, store, entries, dropped }: ReportSource): MockReport {
  const images = new ImageBlobs();
  // Before the images of targets, which may use up the limit on their own.
  const requests = entries.map((entry) => shownRequest(entry, images));
  const cloud = store.listCloudDatabases().map(({ serverSecretKey, clientSecretKey, ...database }) => {
    const targets = store.listTargets(database.databaseName);
    return { database, targets };
  });
  const vumark = store.listVuMarkDatabases().map(({ serverSecretKey, ...database }) => ({
    ...database,
    targets: store.listTemplateTargets(database.databaseName),
  }));
  return {
    format: "mock-cloud-reco report",
    version: 2,
    createdAt: now,
    ...(test && { test: withoutSecrets(test, store) }),
    urls,
    databases: [
      ...cloud.map(({ database, targets }) => ({
        ...database,
        targets: targets.map((target) => {
          images.addTarget(target);
          return {
            ...shownTarget(target),
            status: statusAt(target, now),
            trackingRating: ratingAt(target, now),
          };
        }),
      })),
      ...vumark,
    ],
    requests,
    droppedRequests: dropped,
    timeline: cloud
      .flatMap(({ database: { databaseName }, targets }) =>
        targets.flatMap((target) => eventsOf(target, databaseName, now)),
      )
      .sort((a, b) => a.time - b.time),
    images: images.all,
  };
}

/** A target as snapshots hold it, with the beginning of its metadata. */
export function shownTarget(target: Target): ShownTarget {
  const { applicationMetadata: metadata } = target;
  return {
    ...encodeTarget(target),
    applicationMetadata: metadata?.slice(0, MAX_METADATA_SHOWN) ?? null,
    metadataLength: metadata?.length ?? 0,
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

/** A request as a report shows it, and the images that it refers to. */
export function requestDetails(entry: JournalEntry): PageRequestDetails {
  const images = new ImageBlobs();
  const request = shownRequest(entry, images);
  return { request, images: images.all };
}

/** The images of a report by hash, within a limit on their total size. */
class ImageBlobs {
  private readonly kept = new Map<string, ShownImage>();
  private left = MAX_IMAGE_BYTES;

  get all(): Readonly<Record<string, ShownImage>> {
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

  addTarget({ image }: Target): void {
    const bytes = image.bytes();
    if (Buffer.isBuffer(bytes)) this.add(bytes, image.sha256);
  }
}

function shownRequest(entry: JournalEntry, images: ImageBlobs): ShownRequest {
  const { request, response } = entry;
  return {
    ...factsOf(entry),
    request: { query: request.query, ...shownMessage(request, images) },
    ...(response && { response: shownMessage(response, images) }),
  };
}

function shownMessage(
  { headerLines, body }: RecordedRequest | RecordedResponse,
  images: ImageBlobs,
): ShownMessage {
  const { shortJson: json } = body;
  const fields = shownFields(body, images);
  return {
    headers: headerLines,
    size: body.size,
    ...(body.dropped && { dropped: true }),
    text: String(body),
    ...(json !== undefined && { json }),
    ...(fields && { fields }),
    ...images.addRecorded(body.image),
  };
}

function shownFields({ fields }: RecordedBody, images: ImageBlobs): ShownMessage["fields"] {
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

function eventsOf(target: Target, database: string, now: number): ReportedEvent[] {
  const { targetId, name, uploadDate, lastModifiedDate } = target;
  const at = (time: number, event: ReportedEvent["event"]): ReportedEvent => ({
    time,
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

export interface PageFile {
  readonly html: Buffer;
  /** The page's own content security policy. */
  readonly policy: string;
}

export const NOT_BUILT = "the page has not been built; run `npm run build:page` in the checkout";

/** Compressed, because the package is small without it. Next to this module in the package; in the build's output folder in a checkout. */
const LOCATIONS = ["./page.html.br", "../../dist/page.html.br"];

/** Reads the built page; undefined in a checkout where it has not been built. */
export async function readPage(): Promise<PageFile | undefined> {
  for (const location of LOCATIONS) {
    try {
      const compressed = await fs.readFile(fileURLToPath(new URL(location, import.meta.url)));
      const html = await promisify(brotliDecompress)(compressed);
      const [, policy = ""] =
        /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html.toString()) ?? [];
      return { html, policy };
    } catch {
      // Try the next location.
    }
  }
  return undefined;
}

/**
 * Returns the page with a report embedded, which needs no server.
 *
 * @throws Error in a checkout where the page has not been built.
 */
export async function reportPage(report: MockReport): Promise<string> {
  const page = await readPage();
  if (page === undefined) throw new Error(NOT_BUILT);
  // Escaped, so that no text in the report can end the script element.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="report">${data}</script>\n`;
  return page.html.toString().replace(/<script>/, () => `${element}<script>`);
}
