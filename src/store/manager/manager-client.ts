import type * as z from "zod/mini";
import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import { type FaultEffect, faultRule } from "../../emulator/faults.ts";
import { type HeaderList, header, type WireRequest, type WireResponse } from "../../emulator/message.ts";
import type { Database } from "../../schema/database.ts";
import { type FaultRequest, faultFromJson } from "../../schema/fault.ts";
import { type Snapshot, snapshot as snapshotSchema } from "../../schema/snapshot.ts";
import {
  type Committed,
  type FoundRecords,
  type RecordsKey,
  type SharedState,
  StateUnavailableError,
  type Version,
} from "../backing.ts";
import {
  conflict,
  decoded,
  fromText,
  rateRule,
  type StoredChange,
  type StoredImage,
  storedImage,
  toText,
} from "../codec.ts";
import type { RateRule } from "../rate-history.ts";
import type { Conflict } from "../unique-fields.ts";
import {
  CLOCK_PATH,
  etagOf,
  FAULTS_HEADER,
  FAULTS_PATH,
  type FaultQuestion,
  IMAGES_PATH,
  JOURNAL_PATH,
  RATE_LIMITS_PATH,
  RECORDS_PATH,
  recordsMessage,
  recordsPath,
  SKETCHES_PATH,
  STATE_PATH,
  scopes,
  unpackClock,
  unpackParts,
  versionIn,
} from "./internal-protocol.ts";

/** The target manager cannot be reached, or another server answers in its place. The message is one line. */
export class ManagerUnavailableError extends StateUnavailableError {
  override readonly name = "ManagerUnavailableError";
}

/**
 * Sends one request to the target manager.
 *
 * @throws ManagerUnavailableError when there is no response.
 */
export type ManagerExchange = (request: WireRequest) => Promise<WireResponse>;

const NO_BODY = Buffer.alloc(0);
/** Why changes were not committed, by status. */
const NOT_KEPT: Readonly<Record<number, Committed>> = { 410: "gone", 412: "stale", 424: "missingImage" };

/**
 * State that a target manager keeps, accessed over HTTP.
 *
 * @throws ManagerUnavailableError from every method while the manager cannot be reached.
 */
export class ManagerClient implements SharedState {
  /** The clock setting of the manager and so of all servers, as of its latest response. */
  clock: ClockSetting = UNMOVED;
  hasFaults = false;

  constructor(private readonly exchange: ManagerExchange) {}

  async read(key: RecordsKey, known: Version | undefined): Promise<FoundRecords | "unchanged" | undefined> {
    const headers: HeaderList = known === undefined ? [] : [["If-None-Match", etagOf(known)]];
    const response = await this.ask("GET", recordsPath(key), NO_BODY, headers);
    if (response.status === 304) return "unchanged";
    if (response.status === 204) return undefined;
    const { since, changes } = content(recordsMessage, response, "records");
    return { ...versionOf(response), since, changes };
  }

  async list(): Promise<readonly string[]> {
    return content(scopes, await this.ask("GET", RECORDS_PATH), "databases");
  }

  async create(database: Database): Promise<Conflict | undefined> {
    const response = await this.ask("POST", RECORDS_PATH, json(database), [], [409]);
    return response.status === 409 ? content(conflict, response, "conflict") : undefined;
  }

  async commit(at: Version, changes: readonly StoredChange[]): Promise<Committed> {
    const path = recordsPath(["scope", at.scope]);
    const expected = Object.keys(NOT_KEPT).map(Number);
    const response = await this.ask("POST", path, json(changes), [["If-Match", etagOf(at)]], expected);
    return NOT_KEPT[response.status] ?? versionOf(response).version;
  }

  async takeRateToken(scope: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const path = `${RATE_LIMITS_PATH}/${scope}`;
    const response = await this.ask("POST", path, json({ rules, now }), [], [429]);
    return response.status === 429 ? content(rateRule, response, "limit") : undefined;
  }

  async putImage(bytes: Buffer): Promise<StoredImage> {
    return content(storedImage, await this.ask("POST", IMAGES_PATH, bytes), "image");
  }

  async getImage(sha256: string): Promise<Buffer> {
    return (await this.ask("GET", `${IMAGES_PATH}/${sha256}`)).body;
  }

  async getSketches(list: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    return unpackParts((await this.ask("POST", SKETCHES_PATH, json(list))).body);
  }

  async readClock(): Promise<void> {
    await this.ask("GET", CLOCK_PATH);
  }

  async chooseFault({ api, operation, database }: FaultRequest): Promise<FaultEffect | undefined> {
    const question: FaultQuestion = { api, operation, database };
    const response = await this.ask("POST", FAULTS_PATH, json(question));
    return response.status === 204 ? undefined : faultRule(faultFromJson(fromText(response.body.toString())));
  }

  async putJournal(packed: Buffer): Promise<void> {
    await this.ask("POST", JOURNAL_PATH, packed);
  }

  async reset(): Promise<void> {
    await this.ask("DELETE", STATE_PATH);
  }

  async snapshot(): Promise<Snapshot> {
    return content(snapshotSchema, await this.ask("GET", STATE_PATH), "snapshot");
  }

  async restore(snapshot: unknown): Promise<string | undefined> {
    const response = await this.ask("PUT", STATE_PATH, json(snapshot), [], [422]);
    return response.status === 422 ? response.body.toString() : undefined;
  }

  /**
   * @param expected - statuses of 400 and above that are not failures.
   * @throws ManagerUnavailableError when there is no response, or another server sent it.
   */
  async ask(
    method: string,
    path: string,
    body: Buffer = NO_BODY,
    headers: HeaderList = [],
    expected: readonly number[] = [],
  ): Promise<WireResponse> {
    const response = await this.exchange({
      method,
      path,
      query: "",
      headers: [...headers, ["Content-Length", String(body.length)]],
      body,
    });
    if (response.status !== 403) {
      this.clock = unpackClock(response.headers);
      this.hasFaults = header(response, FAULTS_HEADER) !== undefined;
    }
    if (response.status < 400 || expected.includes(response.status)) return response;
    const said = [400, 403].includes(response.status) ? `: ${response.body.toString()}` : "";
    throw new ManagerUnavailableError(
      `the target manager answered ${method} ${path.split("/", 3).join("/")} with ${response.status}${said}`,
    );
  }
}

function versionOf(response: WireResponse): Version {
  const version = versionIn(header(response, "etag"));
  if (version === undefined)
    throw new TypeError("expected an ETag that names a version; got another or none");
  return version;
}

const json = (value: unknown): Buffer => Buffer.from(toText(value));

const content = <T>(schema: z.ZodMiniType<T>, { body }: WireResponse, name: string): T =>
  decoded(schema, fromText(body.toString()), name);
