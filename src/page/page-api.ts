import { LRUCache } from "lru-cache";
import { datasetArchive } from "../apis/model-target/responses.ts";
import { svgInstance } from "../apis/vumark/instances.ts";
import type { MovableClock } from "../emulator/clock.ts";
import { formatOf } from "../emulator/image-header.ts";
import type { Journal } from "../emulator/journal.ts";
import { header, type MaybePromise, type WireRequest, type WireResponse } from "../emulator/message.ts";
import { percentDecoded } from "../emulator/operation.ts";
import { findFeatures } from "../images/matching/features/rank.ts";
import { Thumbnails } from "../images/thumbnails.ts";
import { datasetStatusAt } from "../schema/model-target.ts";
import { isProcessed } from "../schema/processing.ts";
import { type Report, reportCsv } from "../schema/report.ts";
import type { ServedResponse } from "../servers/http/http-messages.ts";
import type { Store } from "../store/store.ts";
import type { PageFeatures, PageReportRow, PageRequestDetails, ShownImage } from "./model.ts";
import { PageFeed } from "./page-feed.ts";
import { NOT_BUILT, readPage, requestDetails } from "./report.ts";
import { type PageContext, PageStateReader } from "./state.ts";
import { StateFeed } from "./state-feed.ts";
import { compareImages, findTargets, tryImage } from "./trial.ts";

const PREFIX = "/page/";
/** Keeps pages of other origins from using these responses, and browsers from guessing other content types. */
const PROTECTION = [
  ["X-Content-Type-Options", "nosniff"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
] as const;
/** Keeps an image that is opened as a document from running scripts. */
const SANDBOX = ["Content-Security-Policy", "default-src 'none'; sandbox"] as const;
/** The page may use the camera; what others might embed in it may not. */
const PERMISSIONS = "camera=(self), microphone=(), geolocation=(), display-capture=()";
const MAX_SENT_BYTES = 64 * 2 ** 20;
const NOT_KEPT = "the journal no longer keeps this request";
const NO_PICTURE = "there is no such picture";
const FOREVER = ["Cache-Control", "private, max-age=31536000, immutable"] as const;

export interface PageParts extends PageContext {
  readonly store: Store;
  readonly findImage: (sha256: string) => MaybePromise<Buffer | undefined>;
  readonly clock: MovableClock;
  readonly journal: Journal;
  /** Identifies this run of the server. */
  readonly epoch: string;
  /** Called before the state and the journal are read. */
  readonly beforeReading?: (() => Promise<void>) | undefined;
}

/** Serves the page to browsers, and the data that the page asks for. The journal records none of these requests. */
export class PageApi {
  private readonly state: PageStateReader;
  private readonly feed: PageFeed;
  private readonly thumbnails = new Thumbnails();
  /** Images from the bodies of requests that the page has shown. */
  private readonly sent = new LRUCache<string, Buffer>({
    maxSize: MAX_SENT_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });

  constructor(private readonly parts: PageParts) {
    const { store, clock, journal, faults, epoch, beforeReading } = parts;
    this.state = new PageStateReader(store, clock, faults, epoch);
    const state = new StateFeed(this.state, clock, parts);
    this.feed = new PageFeed(journal, epoch, state, beforeReading);
  }

  /** Whether a request asks for the page, from a browser, or comes from the page. */
  serves(request: WireRequest): boolean {
    return request.path.startsWith(PREFIX) || isForBrowser(request);
  }

  async answer(request: WireRequest): Promise<ServedResponse> {
    if (request.path === "/") return pageResponse(request);
    const [kind, name = "", ...more] = request.path.slice(PREFIX.length).split("/").map(percentDecoded);
    if (more.length > 0) return failed(404, "nothing is served there");
    const query = new URLSearchParams(request.query);
    switch (`${request.method} ${kind}`) {
      case "GET events":
        return this.events(header(request, "last-event-id") ?? query.get("after") ?? undefined);
      case "GET targets":
        return this.targets(query.get("database") ?? "");
      case "GET requests":
        return this.request(name);
      case "GET bodies":
        return this.body(name);
      case "POST continue":
        this.parts.pause?.resume();
        return json({});
      case "POST try":
        return this.try(request.body, query.get("database") ?? "");
      case "POST find":
        return this.find(request.body, query.get("database") ?? "");
      case "POST features":
        return this.features(request.body, query);
      case "GET features":
        return this.features(await this.findImage(name), query);
      case "POST compare":
        return this.compare(request.body, name);
      case "POST finish":
        return (await this.parts.store.finishTarget(query.get("database") ?? "", name))
          ? json({})
          : failed(404, "there is no such target");
      case "GET datasets":
        return this.dataset(name);
      case "GET instances":
        return this.instance(name, query);
      case "GET reports":
        return this.report(name, query.get("database") ?? "");
      case "GET thumbnails":
        return this.thumbnail(name);
      case "GET images":
        return this.image(name);
      default:
        return failed(404, "nothing is served there");
    }
  }

  private events(lastId: string | undefined): ServedResponse {
    return {
      status: 200,
      headers: [["Content-Type", "text/event-stream"], ["Cache-Control", "no-store"], ...PROTECTION],
      stream: (signal) => this.feed.events(lastId, signal),
    };
  }

  private async targets(database: string): Promise<ServedResponse> {
    const pieces = await this.state.targets(database);
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    const { status, headers } = content(Buffer.alloc(0), "application/json", undefined, undefined, size);
    return { status, headers, stream: () => pieces };
  }

  private request(id: string): WireResponse {
    const entry = this.feed.find(id);
    if (entry === undefined) return failed(404, NOT_KEPT);
    const { request, images } = requestDetails(entry);
    const facts: Record<string, ShownImage> = {};
    for (const [sha256, { base64, ...image }] of Object.entries(images)) {
      facts[sha256] = image;
      if (base64 !== undefined) this.sent.set(sha256, Buffer.from(base64, "base64"));
    }
    const details: PageRequestDetails = { request, images: facts };
    return json(details);
  }

  /** A request's body as a file, for example for curl. */
  private body(id: string): WireResponse {
    const bytes = this.feed.find(id)?.request.body.bytes;
    if (bytes === undefined) return failed(404, NOT_KEPT);
    return content(bytes, "application/octet-stream", download("request-body"));
  }

  private async try(image: Buffer, database: string): Promise<WireResponse> {
    const { store, queryMatcher } = this.parts;
    const targets = await store.listTargets(database);
    return json(await tryImage(image, targets, queryMatcher, this.now));
  }

  /** Like `try`, but as fast as a query. */
  private async find(image: Buffer, database: string): Promise<WireResponse> {
    const { store, queryMatcher } = this.parts;
    return json(await findTargets(image, await store.listTargets(database), queryMatcher, this.now));
  }

  private async features(image: Buffer | undefined, query: URLSearchParams): Promise<WireResponse> {
    const as = query.get("as") === "target" ? "target" : "query";
    const features: PageFeatures | undefined = image && (await findFeatures(image, as));
    return features === undefined ? failed(404, NO_PICTURE) : json(features);
  }

  private async compare(image: Buffer, sha256: string): Promise<WireResponse> {
    const other = await this.findImage(sha256);
    const comparison = other && (await compareImages(image, other));
    return comparison === undefined ? failed(404, NO_PICTURE) : json(comparison);
  }

  /** What clients download with an access token. */
  private async dataset(uuid: string): Promise<WireResponse> {
    const dataset = await this.parts.store.findDataset(uuid);
    return dataset !== undefined && datasetStatusAt(dataset, this.now) === "done"
      ? content(await datasetArchive(dataset), "application/zip", download(`${uuid}.zip`))
      : failed(404, "there is no such dataset, or it is not done");
  }

  /** The SVG of an instance of a template target. */
  private async instance(targetId: string, query: URLSearchParams): Promise<WireResponse> {
    const id = query.get("id") ?? "";
    const template = await this.parts.store.findTemplateTarget(query.get("database") ?? "", targetId);
    return template !== undefined && isProcessed(template, this.now) && id !== ""
      ? content(svgInstance(id), "image/svg+xml", [["Cache-Control", "no-store"], SANDBOX])
      : failed(404, "there is no such VuMark target, or it is processing");
  }

  /** A report as CSV, or its rows as JSON. */
  private async report(name: string, databaseId: string): Promise<WireResponse> {
    const file = name.replace(/\.csv$/, "");
    const report = await this.parts.store.findReport(databaseId, file);
    if (report === undefined) return failed(404, "there is no such report");
    return file === name
      ? json(await this.rowsOf(report))
      : content(Buffer.from(reportCsv(report)), "text/csv", download(name));
  }

  /** The rows of a report with the names of their targets, most recognitions first. */
  private async rowsOf({ databaseId, rows }: Report): Promise<readonly PageReportRow[]> {
    const { store } = this.parts;
    const databases = await store.listCloudDatabases();
    const name = databases.find((database) => database.databaseId === databaseId)?.databaseName;
    const targets = name === undefined ? [] : await store.listTargets(name);
    const names = new Map(targets.map((target) => [target.targetId, target.name]));
    return rows
      .map((row) => ({ ...row, name: names.get(row.targetId) ?? null }))
      .sort((a, b) => b.count - a.count);
  }

  private get now(): number {
    return this.parts.clock.now().getTime();
  }

  private async findImage(sha256: string): Promise<Buffer | undefined> {
    return this.sent.get(sha256) ?? this.parts.findImage(sha256);
  }

  private async thumbnail(sha256: string): Promise<WireResponse> {
    const thumbnail = await this.thumbnails.get(sha256, () => this.findImage(sha256));
    if (thumbnail === undefined) return failed(404, NO_PICTURE);
    return content(thumbnail, "image/webp", [FOREVER, SANDBOX]);
  }

  private async image(sha256: string): Promise<WireResponse> {
    const bytes = await this.findImage(sha256);
    if (bytes === undefined) return failed(404, NO_PICTURE);
    const type = { PNG: "image/png", JPEG: "image/jpeg", none: "application/octet-stream" };
    return content(bytes, type[formatOf(bytes) ?? "none"], [FOREVER, SANDBOX]);
  }
}

function isForBrowser(request: WireRequest): boolean {
  const { method, path } = request;
  const accept = header(request, "accept") ?? "";
  return (method === "GET" || method === "HEAD") && path === "/" && /\btext\/html\b/i.test(accept);
}

async function pageResponse({ method }: WireRequest): Promise<WireResponse> {
  const page = await readPage();
  if (page === undefined) return failed(503, NOT_BUILT);
  const { status, headers, body } = content(page.html, "text/html; charset=utf-8", [
    ["Cache-Control", "no-cache"],
    ["Content-Security-Policy", `${page.policy}; frame-ancestors 'none'`],
    ["Permissions-Policy", PERMISSIONS],
    ["Vary", "Accept"],
  ]);
  return { status, headers, body: method === "HEAD" ? Buffer.alloc(0) : body };
}

function content(
  body: Buffer,
  type: string,
  headers: WireResponse["headers"] = [["Cache-Control", "no-store"]],
  status = 200,
  size = body.length,
): WireResponse {
  return {
    status,
    headers: [["Content-Type", type], ["Content-Length", String(size)], ...PROTECTION, ...headers],
    body,
  };
}

/** @param name - a file name of the characters of ids and dates. */
const download = (name: string): WireResponse["headers"] => [
  ["Cache-Control", "no-store"],
  ["Content-Disposition", `attachment; filename="${name.replace(/[^\w.-]/g, "-")}"`],
];

const json = (value: unknown): WireResponse =>
  content(Buffer.from(JSON.stringify(value)), "application/json");

const failed = (status: number, reason: string): WireResponse =>
  content(Buffer.from(reason), "text/plain; charset=utf-8", undefined, status);
