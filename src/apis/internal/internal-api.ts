import type { MovableClock } from "../../emulator/clock.ts";
import { Faults } from "../../emulator/faults.ts";
import type { Journal } from "../../emulator/journal.ts";
import { type HeaderList, header, type WireRequest, type WireResponse } from "../../emulator/message.ts";
import { createRandom, type Random } from "../../emulator/random.ts";
import { messageOf } from "../../emulator/text.ts";
import { packedSketchOf } from "../../images/matching/ranking.ts";
import { databaseRecord } from "../../schema/database.ts";
import { type FaultRequest, faultToJson } from "../../schema/fault.ts";
import type { RecordsKey, Version } from "../../store/backing.ts";
import { decodeChange, decoded, encodeChange, fromLargeText, imageIn, toText } from "../../store/codec.ts";
import { keptImage } from "../../store/image-blobs.ts";
import { packJournal, recordEntries, unpackSentJournal } from "../../store/journal-codec.ts";
import {
  CLOCK_PATH,
  changes as changesSchema,
  etagOf,
  FAULTS_HEADER,
  faultQuestion,
  INTERNAL_PREFIX,
  JOURNAL_PATH,
  packClock,
  packParts,
  recordsKey,
  SERVER_HEADER,
  sha256s,
  take,
  versionIn,
} from "../../store/manager/internal-protocol.ts";
import type { Scope } from "../../store/memory-state.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { takeToken } from "../../store/rate-history.ts";
import { readLargeSnapshot } from "../../store/snapshot.ts";

/** The target manager's routes for the other servers; see `internal-protocol.ts`. Their requests are not in the journal. */
export class InternalApi {
  /** @param epoch - names this run of the manager: versions of an earlier run are not valid any more. */
  constructor(
    private readonly store: MemoryStore,
    private readonly journal: Journal,
    private readonly clock: MovableClock,
    private readonly epoch: string,
    private readonly faults: Faults = new Faults([]),
    private readonly random: Random = createRandom(),
  ) {}

  /** Whether the path is one of these routes, served or not. */
  serves({ path }: WireRequest): boolean {
    return path.startsWith(INTERNAL_PREFIX);
  }

  async answer(request: WireRequest): Promise<WireResponse> {
    const { headers, ...response } = await this.route(request);
    const self = [SERVER_HEADER, `target-manager ${this.epoch}`] as const;
    const faults: HeaderList = this.faults.isEmpty ? [] : [[FAULTS_HEADER, "yes"]];
    return { ...response, headers: [...headers, self, ...packClock(this.clock.setting), ...faults] };
  }

  /** Any error is a 400: the other server's request is invalid, or a rater failed. */
  private async route(request: WireRequest): Promise<WireResponse> {
    try {
      return (await this.served(request)) ?? reply(404);
    } catch (error) {
      return reply(400, Buffer.from(messageOf(error)));
    }
  }

  private async served(request: WireRequest): Promise<WireResponse | undefined> {
    const { method, path, body } = request;
    const [kind, ...rest] = path.slice(INTERNAL_PREFIX.length).split("/");
    const [first = "", second = ""] = rest;
    const route = `${method} ${[kind, ...rest.map(() => "*")].join("/")}`;
    switch (route) {
      case "GET records":
        return json(
          200,
          this.store.state.databases.map((scope) => this.scopeName(scope)),
        );
      case "POST records":
        return this.create(body);
      case "GET records/*/*":
        return this.records(recordsKey(first, second), versionIn(header(request, "if-none-match")));
      case "POST records/*/*":
        return this.commit(recordsKey(first, second), versionIn(header(request, "if-match")), body);
      case "POST rate-limits/*":
        return this.takeRateToken(first, body);
      case "POST faults": {
        const question = { ...NO_REQUEST, ...decoded(faultQuestion, await content(body), "request") };
        const fault = this.faults.chooseAdded(question, this.random);
        return fault === undefined ? reply(204) : json(200, faultToJson(fault));
      }
      case "POST images":
        return json(200, await this.store.putImage(body));
      case "GET images/*": {
        const image = this.store.state.images.find(first);
        return image && reply(200, image.bytes());
      }
      case "POST sketches":
        return reply(200, await this.sketches(decoded(sha256s, await content(body), "images")));
      case "GET state":
        return json(200, this.store.snapshot());
      case "PUT state": {
        const state = await readLargeSnapshot(await content(body));
        const problem = typeof state === "string" ? state : this.store.restore(state);
        return problem === undefined ? reply(204) : reply(422, Buffer.from(problem));
      }
      case "DELETE state":
        this.store.reset();
        return reply(204);
    }
    if (method === "GET" && path === CLOCK_PATH) return reply(204);
    return path === JOURNAL_PATH ? this.journalPage(request) : undefined;
  }

  private async sketches(list: readonly string[]): Promise<Buffer> {
    const images = list.map((sha256) => this.store.state.images.find(sha256));
    return packParts(await Promise.all(images.map((image) => image && packedSketchOf(image))));
  }

  private async journalPage({ method, body }: WireRequest): Promise<WireResponse | undefined> {
    if (method === "GET") return reply(200, packJournal(this.journal));
    if (method !== "POST") return undefined;
    const { dropped, entries } = await unpackSentJournal(body);
    this.journal.countLost(dropped);
    recordEntries(this.journal, entries);
    return reply(200);
  }

  private async create(body: Buffer): Promise<WireResponse> {
    const taken = this.store.createDatabase(decoded(databaseRecord, await content(body), "database"));
    return taken === undefined ? reply(201) : json(409, taken);
  }

  private records(key: RecordsKey | undefined, known: Version | undefined): WireResponse | undefined {
    if (key === undefined) return undefined;
    const scope = this.find(key);
    if (scope === undefined) return reply(204);
    const at = this.version(scope);
    const since = known?.scope === at.scope ? known.version : undefined;
    if (since === at.version) return reply(304);
    const changed = since === undefined ? undefined : scope.since(since);
    const changes = [...(changed ?? scope.all())].map(encodeChange);
    const body = { ...(changed !== undefined && { since }), changes };
    return json(200, body, [["ETag", etagOf(at)]]);
  }

  private async commit(
    key: RecordsKey | undefined,
    at: Version | undefined,
    body: Buffer,
  ): Promise<WireResponse | undefined> {
    if (key?.[0] !== "scope" || at === undefined) return undefined;
    const given = await content(body);
    // Below, nothing may wait: the version must still be the latest when the changes are committed.
    const scope = this.find(key);
    if (scope === undefined) return reply(410);
    if (scope.version !== at.version) return reply(412);
    if (Array.isArray(given) && given.length > MOST_CHANGES)
      throw new RangeError(`expected at most ${MOST_CHANGES} changes; got ${given.length}`);
    const changes = decoded(changesSchema, given, "changes");
    const { state } = this.store;
    const images = new Map(changes.flatMap(imageIn).map((sha256) => [sha256, state.images.find(sha256)]));
    if ([...images.values()].includes(undefined)) return reply(424);
    const imageOf = (sha256: string) => images.get(sha256) ?? keptImage(sha256, Buffer.alloc(0));
    state.commit(
      scope,
      changes.map((change) => decodeChange(change, imageOf)),
    );
    return reply(204, undefined, [["ETag", etagOf(this.version(scope))]]);
  }

  private async takeRateToken(scopeName: string, body: Buffer): Promise<WireResponse> {
    const { rules, now } = decoded(take, await content(body), "limits");
    const scope = this.find(["scope", scopeName]);
    const full = scope && takeToken(scope.histories, rules, now);
    return full === undefined ? reply(204) : json(429, full);
  }

  private find(key: RecordsKey): Scope | undefined {
    const { state } = this.store;
    const [field, value] = key;
    if (field === "global") return state.global;
    if (field !== "scope") return state.find([field, value]);
    const [epoch, id] = value.split("-");
    return epoch === this.epoch ? state.scope(Number(id)) : undefined;
  }

  private scopeName(scope: Scope): string {
    return `${this.epoch}-${scope.id}`;
  }

  private version(scope: Scope): Version {
    return { scope: this.scopeName(scope), version: scope.version };
  }
}

/** No request of a client changes as many records. */
const MOST_CHANGES = 1000;

/** Functions of faults, which need more of a request, do not exist on servers in other processes. */
const NO_REQUEST: FaultRequest = {
  api: "target",
  operation: undefined,
  database: undefined,
  method: "",
  path: "",
  query: "",
  headers: {},
  body: Buffer.alloc(0),
};

const content = (body: Buffer): Promise<unknown> => fromLargeText(body.toString());

const json = (status: number, value: unknown, headers?: WireResponse["headers"]): WireResponse =>
  reply(status, Buffer.from(toText(value)), headers);

function reply(
  status: number,
  body: Buffer = Buffer.alloc(0),
  headers: WireResponse["headers"] = [],
): WireResponse {
  const length = status === 204 || status === 304 ? [] : [["Content-Length", String(body.length)] as const];
  return { status, headers: [...headers, ...length], body };
}
