import { hash } from "node:crypto";
import { promises as fs } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { factsOf, type JournalEntry } from "../core/emulator/journal.ts";
import { HIDDEN } from "../core/emulator/masking.ts";
import type { RecordedBody, RecordedRequest, RecordedResponse } from "../core/emulator/recorded-message.ts";
import { formatOf, shownSizeOf } from "../core/general/image-header.ts";
import { loadModule } from "../core/general/load-module.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import type { EntryFacts } from "../core/schema/journal-entry.ts";
import { ratingAt, statusAt } from "../core/schema/processing.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import type { Target } from "../core/schema/target.ts";
import { encodeTarget } from "../core/store/codec.ts";
import { isOfCloud, type ReadableRecords } from "../core/store/records.ts";
import type {
  MockReport,
  PageRequestDetails,
  ReportDetails,
  ShownImage,
  ShownMessage,
  ShownRequest,
  ShownTarget,
} from "./model.ts";
import { MAX_METADATA_SHOWN } from "./select.ts";

export interface ReportSource extends ReportDetails {
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly urls: Readonly<Record<ApiName, string>>;
  readonly databases: readonly ReadableRecords[];
  readonly entries: readonly JournalEntry[];
  readonly dropped: number;
}

type ReportedTest = NonNullable<ReportDetails["test"]>;
type ReportedEvent = MockReport["timeline"][number];

const MAX_IMAGE_BYTES = 16 * 1024 * 1024;

export function buildReport({ test, now, urls, databases, entries, dropped }: ReportSource): MockReport {
  let left = MAX_IMAGE_BYTES;
  const images = new ShownImages((bytes) => {
    if (bytes.length > left) return {};
    left -= bytes.length;
    return { base64: bytes.toString("base64") };
  });
  // Before the images of targets, which may use up the limit.
  const requests = entries.map((entry) => shownRequest(entry, images));
  const timeline: ReportedEvent[] = [];
  const cloud = databases.filter(isOfCloud).map((records) => {
    const { serverSecretKey, clientSecretKey, ...database } = records.database;
    const targets = records.listTargets().map((target) => {
      const bytes = target.image.bytes();
      if (Buffer.isBuffer(bytes)) images.add(bytes, target.image.sha256);
      timeline.push(...eventsOf(target, database.databaseName, now));
      return { ...shownTarget(target), status: statusAt(target, now), trackingRating: ratingAt(target, now) };
    });
    return { ...database, targets };
  });
  const vumark = databases.flatMap(({ database: found, templates }) => {
    if (found?.kind !== "vumark") return [];
    const { serverSecretKey, ...database } = found;
    return [{ ...database, targets: [...templates.values()] }];
  });
  return {
    format: "mock-cloud-reco report",
    version: 2,
    createdAt: now,
    ...(test && { test: withoutSecrets(test, databases) }),
    urls,
    databases: [...cloud, ...vumark],
    requests,
    droppedRequests: dropped,
    timeline: timeline.sort((a, b) => a.time - b.time),
    images: images.all,
  };
}

/** A target with the beginning of its metadata. */
export function shownTarget(target: Target): ShownTarget {
  const { applicationMetadata: metadata } = target;
  return {
    ...encodeTarget(target),
    applicationMetadata: metadata?.slice(0, MAX_METADATA_SHOWN) ?? null,
    metadataLength: metadata?.length ?? 0,
  };
}

/** A test's error may quote a key. */
function withoutSecrets({ name, error }: ReportedTest, databases: readonly ReadableRecords[]): ReportedTest {
  const secrets = databases
    .flatMap(({ database }) => [
      database?.serverSecretKey ?? "",
      database?.kind === "cloud" ? database.clientSecretKey : "",
    ])
    .filter((secret) => secret !== "");
  const hidden = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  return { name: hidden(name), ...(error !== undefined && { error: hidden(error) }) };
}

/** @param keep - receives each image of the request. */
export function requestDetails(
  entry: JournalEntry,
  keep: (bytes: Buffer, sha256: string) => void,
): PageRequestDetails {
  const images = new ShownImages((bytes, sha256) => {
    keep(bytes, sha256);
    return {};
  });
  return { request: shownRequest(entry, images), images: images.all };
}

class ShownImages {
  readonly all: Record<string, ShownImage> = {};

  /** @param show - called once for each image; returns its shown bytes. */
  constructor(private readonly show: (bytes: Buffer, sha256: string) => { readonly base64?: string }) {}

  /** Returns the key of bytes that are an image. */
  add(bytes: Buffer | undefined, sha256?: string): { readonly image?: string } {
    const format = bytes && formatOf(bytes);
    if (bytes === undefined || format === undefined) return {};
    const image = sha256 ?? hash("sha256", bytes);
    this.all[image] ??= { format, ...shownSizeOf(bytes), size: bytes.length, ...this.show(bytes, image) };
    return { image };
  }
}

/** The facts of an entry, with a sentence that leaves out the strings to sign, which are shown line by line. */
export const shownFacts = (entry: JournalEntry): EntryFacts => ({
  ...factsOf(entry),
  ...(entry.cause && { reason: sentenceOf(entry.cause, true) }),
});

function shownRequest(entry: JournalEntry, images: ShownImages): ShownRequest {
  const { request, response } = entry;
  return {
    ...shownFacts(entry),
    request: { query: request.query, ...shownMessage(request, images) },
    ...(response && { response: shownMessage(response, images) }),
  };
}

function shownMessage(
  { headerLines, body }: RecordedRequest | RecordedResponse,
  images: ShownImages,
): ShownMessage {
  const content = body.content();
  const json = content?.shortJson();
  const fields = shownFields(content?.fields(), images);
  return {
    headers: headerLines,
    size: body.size,
    ...(body.dropped && { dropped: true }),
    text: content?.describe(body.size) ?? String(body),
    ...(json !== undefined && { json }),
    ...(fields && { fields }),
    ...images.add(content?.image()?.bytes),
  };
}

function shownFields(fields: RecordedBody["fields"], images: ShownImages): ShownMessage["fields"] {
  if (fields === undefined) return undefined;
  return Object.entries(fields).map(([name, value]) => {
    if (typeof value === "string") return { name, text: value };
    const { filename, image, bytes } = value;
    const kind = image === undefined ? "neither PNG nor JPEG" : image.format;
    return { name, filename, text: `${kind}, ${bytes.length} bytes`, ...images.add(image?.bytes) };
  });
}

function eventsOf(target: Target, database: string, now: number): ReportedEvent[] {
  const { targetId, name, uploadDate, lastModifiedDate, processed, processingTimeSeconds } = target;
  const at = (time: number, event: ReportedEvent["event"]) => ({ time, database, targetId, name, event });
  const status = statusAt(target, now);
  // Only upload dates have fractions of a millisecond, for the order of creation.
  const addedAt = Math.floor(uploadDate);
  // `finishProcessing` records no time: such a target counts as processed from the start.
  const processedAt = lastModifiedDate + (processed ? 0 : processingTimeSeconds * 1000);
  return [
    at(addedAt, "added"),
    ...(lastModifiedDate === addedAt ? [] : [at(lastModifiedDate, "updated")]),
    ...(status === "processing" ? [] : [at(processedAt, status)]),
  ];
}

/** This module has another name in the package, and in a bundle. */
const isInCheckout = import.meta.url.endsWith("/src/page/report.ts");

export const NOT_BUILT = isInCheckout
  ? "the page has not been built; run `npm run build:page` in the checkout"
  : "the page's file page.html.br was not found; install mock-cloud-reco where this bundle runs, or do not bundle it";

/** In a checkout, in the build's output folder; in the package, next to this module; of a bundle, in the installed package. */
function pathsOfPage(): readonly string[] {
  const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  if (isInCheckout) return [beside("../../dist/page.html.br")];
  try {
    return [beside("page.html.br"), join(dirname(loadModule.resolve("mock-cloud-reco")), "page.html.br")];
  } catch {
    return [beside("page.html.br")];
  }
}

/** Reads the built page; undefined where it is not. */
export async function readPage(): Promise<Buffer | undefined> {
  for (const path of pathsOfPage()) {
    const compressed = await fs.readFile(path).catch(() => undefined);
    if (compressed !== undefined) return promisify(brotliDecompress)(compressed);
  }
  return undefined;
}

/** Embeds a report in the page. Throws an Error where the built page is not. */
export async function reportPage(report: MockReport): Promise<string> {
  const page = await readPage();
  if (page === undefined) throw new Error(NOT_BUILT);
  // No text of the report can end the script element.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="report">${data}</script>\n`;
  return page.toString().replace(/<script>/, () => `${element}<script>`);
}
