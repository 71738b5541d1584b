import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { datasetArchive } from "../core/apis/model-target/responses.ts";
import { svgInstance } from "../core/apis/vumark/instances.ts";
import type { JournalEntry } from "../core/emulator/journal.ts";
import { type HeaderList, header, type WireRequest, type WireResponse } from "../core/emulator/message.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { formatOf } from "../core/general/image-header.ts";
import { percentDecoded } from "../core/general/text.ts";
import type { ServedResponse } from "../core/http/http-messages.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import type { TemplateTarget } from "../core/schema/database.ts";
import { datasetStatusAt } from "../core/schema/model-target.ts";
import { isProcessed } from "../core/schema/processing.ts";
import { reportCsv } from "../core/schema/report.ts";
import * as changes from "../core/store/changes.ts";
import * as reads from "../core/store/reads.ts";
import { ofDatabase } from "../core/store/records.ts";
import { findFeatures } from "../recognition/pictures.ts";
import { Changes } from "./changes.ts";
import type { PageFeatures, PageReportRow } from "./model.ts";
import { PAGE_PREFIX } from "./page-requests.ts";
import { createReads, type ReadParts, type ReadResult, type View } from "./reads.ts";
import { NOT_BUILT, readPage, requestDetails } from "./report.ts";
import { Thumbnails } from "./thumbnails.ts";
import { compareWindows, findTargets, tryImage } from "./trial.ts";

/** Keeps other origins from using responses, and browsers from guessing content types. */
const PROTECTION = [
  ["X-Content-Type-Options", "nosniff"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
] as const;
/** An image that is opened as a document runs no scripts. */
const SANDBOX = ["Content-Security-Policy", "default-src 'none'; sandbox"] as const;
/** The page may use the camera; embedded content may not. */
const PERMISSIONS = "camera=(self), microphone=(), geolocation=(), display-capture=()";
const MAX_SENT_BYTES = 64 * 2 ** 20;
const NOT_KEPT = "the journal no longer keeps this request";
const NO_PICTURE = "there is no such picture";
const NOT_STORED = ["Cache-Control", "no-store"] as const;
const FOREVER = ["Cache-Control", "private, max-age=31536000, immutable"] as const;

const IMAGE_TYPES = { PNG: "image/png", JPEG: "image/jpeg", none: "application/octet-stream" };

export interface PageParts extends ReadParts {
  readonly findImage: (sha256: string) => Promise<Buffer | undefined>;
  readonly targetRater: TargetRater;
}

/** Serves the page to browsers, and the data that the page asks for. The journal records none of these requests. */
export class PageApi {
  private readonly changes: Changes;
  private readonly reads: ReadonlyMap<string, View>;
  private readonly thumbnails = new Thumbnails();
  /** Images from the bodies of requests that the page has shown. */
  private readonly sent = new LRUCache<string, Buffer>({
    maxSize: MAX_SENT_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });

  private readonly run = systemRandom.hex(16);

  constructor(private readonly parts: PageParts) {
    this.changes = new Changes(parts);
    this.reads = new Map(Object.entries(createReads(parts)));
  }

  async answer(request: WireRequest): Promise<ServedResponse> {
    if (request.path === "/") return pageResponse(request);
    const [kind = "", name = "", ...more] = request.path
      .slice(PAGE_PREFIX.length)
      .split("/")
      .map(percentDecoded);
    if (more.length > 0) return failed(404, "nothing is served there");
    const query = new URLSearchParams(request.query);
    const read = request.method === "GET" && name === "" ? this.reads.get(kind) : undefined;
    if (read === undefined) return this.answerItem(`${request.method} ${kind}`, name, query, request.body);
    await this.parts.beforeReading?.();
    return this.unlessKnown(await read(query), request);
  }

  /** Answers what concerns one item rather than a view. `name`: of the item, empty if it is in the query or the body. */
  private async answerItem(
    route: string,
    name: string,
    query: URLSearchParams,
    body: Buffer,
  ): Promise<ServedResponse> {
    const { store, pause } = this.parts;
    const database = query.get("database") ?? "";
    switch (route) {
      case "GET events":
        return this.events();
      case "GET requests":
        return this.details(this.entry(name));
      case "GET bodies":
        return found(this.entry(name)?.request.body.bytes, NOT_KEPT, (bytes) =>
          content(bytes, "application/octet-stream", download("request-body")),
        );
      case "POST continue":
        pause?.resume();
        return json({});
      case "POST try":
        return json(await this.trial(body, database));
      case "POST find":
        return this.find(body, database);
      case "POST features":
        return this.features(body, query);
      case "GET features":
        return this.features(await this.findImage(name), query);
      case "POST compare":
        return this.compare(body, await this.findImage(name));
      case "POST finish":
        return (await store.run(changes.finishTarget(database, name)))
          ? json({})
          : failed(404, "there is no such target");
      case "GET datasets":
        return this.dataset(name);
      case "GET instances":
        return this.instance(await store.read(reads.templateTarget(database, name)), query.get("id") ?? "");
      case "GET reports":
        return this.report(name, database);
      case "GET thumbnails":
        return found(await this.thumbnails.get(name, () => this.findImage(name)), NO_PICTURE, (bytes) =>
          content(bytes, "image/webp", [FOREVER, SANDBOX]),
        );
      case "GET images":
        return found(await this.findImage(name), NO_PICTURE, (bytes) =>
          content(bytes, IMAGE_TYPES[formatOf(bytes) ?? "none"], [FOREVER, SANDBOX]),
        );
      default:
        return failed(404, "nothing is served there");
    }
  }

  private events(): ServedResponse {
    return {
      status: 200,
      headers: [["Content-Type", "text/event-stream"], NOT_STORED, ...PROTECTION],
      stream: (signal) => this.changes.events(signal),
    };
  }

  private async find(image: Buffer, database: string): Promise<WireResponse> {
    const targets = await this.parts.store.read(reads.targets(database));
    return json(await findTargets(image, targets, this.parts.queryMatcher, this.now));
  }

  private async compare(image: Buffer, other: Buffer | undefined): Promise<WireResponse> {
    return found(other && (await compareWindows(image, other)), NO_PICTURE, json);
  }

  private async trial(image: Buffer, databaseName: string) {
    const { store } = this.parts;
    const database = await store.read(reads.database(databaseName));
    const whyRefused =
      database?.stateName === "PROJECT_INACTIVE"
        ? "the database is inactive, and answers no query"
        : undefined;
    return tryImage(image, await store.read(reads.targets(databaseName)), this.parts, this.now, whyRefused);
  }

  /** Returns 304 if the page already has the view's data. */
  private async unlessKnown(reading: ReadResult, request: WireRequest): Promise<WireResponse> {
    const hash = createHash("sha256").update(`${this.run} ${request.path}?${request.query} ${reading.tag}`);
    const etag = `"${hash.digest("base64url")}"`;
    const caching: HeaderList = [
      ["Cache-Control", "no-cache"],
      ["ETag", etag],
    ];
    if (header(request, "if-none-match") === etag)
      return { status: 304, headers: [...PROTECTION, ...caching], body: Buffer.alloc(0) };
    const body = Buffer.from(JSON.stringify(await reading.content()));
    return content(body, "application/json", caching);
  }

  private async details(entry: JournalEntry | undefined): Promise<WireResponse> {
    if (entry === undefined) return failed(404, NOT_KEPT);
    const database = await this.parts.store.read(reads.database(entry.database ?? ""));
    return json({ ...requestDetails(entry, (image, sha256) => this.sent.set(sha256, image)), database });
  }

  private entry(number: string): JournalEntry | undefined {
    return this.parts.journal.entries.find((entry) => String(entry.number) === number);
  }

  private async features(image: Buffer | undefined, query: URLSearchParams): Promise<WireResponse> {
    const as = query.get("as") === "target" ? "target" : "query";
    const features: PageFeatures | undefined = image && (await findFeatures(image, as));
    return found(features, NO_PICTURE, json);
  }

  private async dataset(uuid: string): Promise<WireResponse> {
    const dataset = await this.parts.store.read(reads.dataset(uuid));
    return dataset !== undefined && datasetStatusAt(dataset, this.now) === "done"
      ? content(await datasetArchive(dataset), "application/zip", download(`${uuid}.zip`))
      : failed(404, "there is no such dataset, or it is not done");
  }

  private instance(template: TemplateTarget | undefined, id: string): WireResponse {
    return template !== undefined && isProcessed(template, this.now) && id !== ""
      ? content(svgInstance(id), "image/svg+xml", [NOT_STORED, SANDBOX])
      : failed(404, "there is no such VuMark target, or it is processing");
  }

  /** A report as CSV, or its rows as JSON with the names of their targets, most recognitions first. */
  private async report(name: string, databaseId: string): Promise<WireResponse> {
    const file = name.replace(/\.csv$/, "");
    const records = await this.parts.store.read({ key: ["databaseId", databaseId], answer: ofDatabase });
    const report = records?.reports.get(file);
    if (report === undefined) return failed(404, "there is no such report");
    if (file !== name) return content(Buffer.from(reportCsv(report)), "text/csv", download(name));
    const nameOf = (targetId: string) => records?.targets.get(targetId)?.name ?? null;
    const rows: PageReportRow[] = report.rows.map((row) => ({ ...row, name: nameOf(row.targetId) }));
    return json(rows.sort((a, b) => b.count - a.count));
  }

  private get now(): number {
    return this.parts.clock.now().getTime();
  }

  private async findImage(sha256: string): Promise<Buffer | undefined> {
    return this.sent.get(sha256) ?? this.parts.findImage(sha256);
  }
}

async function pageResponse({ method }: WireRequest): Promise<WireResponse> {
  const page = await readPage();
  if (page === undefined) return failed(503, NOT_BUILT);
  const [, policy = ""] =
    /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page.toString()) ?? [];
  const headers = headersOf("text/html; charset=utf-8", page.length, [
    ["Cache-Control", "no-cache"],
    ["Content-Security-Policy", `${policy}; frame-ancestors 'none'`],
    ["Permissions-Policy", PERMISSIONS],
    ["Vary", "Accept"],
  ]);
  return { status: 200, headers, body: method === "HEAD" ? Buffer.alloc(0) : page };
}

const headersOf = (type: string, size: number, more: HeaderList = [NOT_STORED]): HeaderList => [
  ["Content-Type", type],
  ["Content-Length", String(size)],
  ...PROTECTION,
  ...more,
];

const content = (body: Buffer, type: string, more?: HeaderList): WireResponse => ({
  status: 200,
  headers: headersOf(type, body.length, more),
  body,
});

/** @param name - a file name of the characters of ids and dates. */
const download = (name: string): HeaderList => [
  NOT_STORED,
  ["Content-Disposition", `attachment; filename="${name.replace(/[^\w.-]/g, "-")}"`],
];

const json = (value: unknown): WireResponse =>
  content(Buffer.from(JSON.stringify(value)), "application/json");

const failed = (status: number, reason: string): WireResponse => ({
  ...content(Buffer.from(reason), "text/plain; charset=utf-8"),
  status,
});

const found = <T>(value: T | undefined, whyNot: string, answer: (value: T) => WireResponse): WireResponse =>
  value === undefined ? failed(404, whyNot) : answer(value);
