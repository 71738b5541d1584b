import * as z from "zod/mini";
import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import { type HeaderList, header } from "../../emulator/message.ts";
import { percentDecoded } from "../../emulator/router.ts";
import type { FaultRequest } from "../../schema/fault.ts";
import { record } from "../../schema/kernel/record.ts";
import { anyText, listOf, oneOf } from "../../schema/kernel/values.ts";
import { isOperation, type Operation, SERVICES } from "../../schema/operation-names.ts";
import type { RecordsKey, Version } from "../backing.ts";
import { rateRule, type StoredChange, storedChange } from "../codec.ts";
import type { RateRule } from "../rate-history.ts";

/*
 * The protocol between the servers and the target manager, below `/internal/`. An `ETag` names a version of records.
 *
 * - `GET  records`: scopes of all databases
 * - `POST records`: creates a database; 409 with the unique field that another one has
 * - `GET  records/{field}/{value}`: records; with `If-None-Match`, what changed since, or 304; 204: there are none
 * - `POST records/scope/{scope}`: commits changes to the version in `If-Match`; 412: it is not the latest, 410: the database
 *   was deleted, 424: an image has to be uploaded again
 * - `POST rate-limits/{scope}`: counts a request towards its limits; 429 with the limit that is reached
 * - `POST images`, `GET images/{sha256}`: image bytes
 * - `POST sketches`: the sketches of images, whose SHA-256 the body lists
 * - `GET, PUT, DELETE state`: all state: takes a snapshot, restores one, resets
 * - `GET  clock`: only the clock setting
 * - `POST faults`: the fault that applies to a request, which counts it as applied; 204: none does
 * - `GET, POST journal`: the shared journal
 * - `GET  openapi.json`: the OpenAPI document
 *
 * Every response has the clock setting, if the clock was moved, and says if there are faults. Each request needs it, and most read their database anyway,
 * so that it rarely costs another round trip.
 */

export const INTERNAL_PREFIX = "/internal/";
export const RECORDS_PATH = `${INTERNAL_PREFIX}records`;
export const IMAGES_PATH = `${INTERNAL_PREFIX}images`;
export const SKETCHES_PATH = `${INTERNAL_PREFIX}sketches`;
export const STATE_PATH = `${INTERNAL_PREFIX}state`;
export const CLOCK_PATH = `${INTERNAL_PREFIX}clock`;
export const JOURNAL_PATH = `${INTERNAL_PREFIX}journal`;
export const FAULTS_PATH = `${INTERNAL_PREFIX}faults`;
export const RATE_LIMITS_PATH = `${INTERNAL_PREFIX}rate-limits`;

/**
 * Header in which servers identify themselves to each other: role and instance, such as `query 3f2a…`. A server that is not a
 * target manager refuses requests with it instead of forwarding them. This prevents endless forwarding when a server's manager
 * is another server, or the server itself.
 */
export const SERVER_HEADER = "Mock-Cloud-Reco-Server";

/** The value is JSON, because a name may contain what a URL cannot. */
export const recordsPath = ([field, value]: RecordsKey): string =>
  `${RECORDS_PATH}/${field}/${encodeURIComponent(JSON.stringify(value))}`;

const recordsKeySchema = z.tuple([
  oneOf("databaseId", "databaseName", "serverAccessKey", "clientAccessKey", "scope", "global"),
  anyText,
]);

/** The key in a path that {@link recordsPath} made. */
export function recordsKey(field: string, encoded: string): RecordsKey | undefined {
  try {
    return recordsKeySchema.safeParse([field, JSON.parse(percentDecoded(encoded))]).data;
  } catch {
    return undefined;
  }
}

export const etagOf = ({ scope, version }: Version): string => `"${scope}.${version}"`;

/** The version in an `ETag` that {@link etagOf} made. */
export function versionIn(etag: string | undefined): Version | undefined {
  const [, scope, version] = /^"([^".]*)\.(\d+)"$/.exec(etag ?? "") ?? [];
  return scope === undefined ? undefined : { scope, version: Number(version) };
}

/** Records, and the version that they are relative to. */
interface RecordsMessage {
  readonly since?: number | undefined;
  readonly changes: readonly StoredChange[];
}
export const changes = listOf(storedChange);
export const recordsMessage = z.lazy(() =>
  record<RecordsMessage>({ since: z.optional(z.number()), changes }),
);
export const scopes = listOf(anyText);
export const sha256s = listOf(anyText);
export const take = z.lazy(() =>
  record<{ readonly rules: readonly RateRule[]; readonly now: number }>({
    rules: listOf(rateRule),
    now: z.number(),
  }),
);

/** Each part with its length before it; none is the length 0. */
export const packParts = (parts: readonly (Buffer | undefined)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part = Buffer.alloc(0)) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(part.length);
      return [length, part];
    }),
  );

/** Reads what {@link packParts} wrote. */
export function unpackParts(packed: Buffer): readonly (Buffer | undefined)[] {
  const parts: (Buffer | undefined)[] = [];
  for (let at = 0; at + 4 <= packed.length; ) {
    const length = packed.readUInt32LE(at);
    parts.push(length === 0 ? undefined : packed.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}

/** A request, as far as faults that JSON can hold depend on it. */
export type FaultQuestion = Pick<FaultRequest, "api" | "operation" | "database">;
export const faultQuestion = z.lazy(() =>
  record<FaultQuestion>({
    api: oneOf(...SERVICES),
    operation: z.optional(z.custom<Operation>(isOperation)),
    database: z.optional(anyText),
  }),
);

/** Header that is only sent while there are faults. */
export const FAULTS_HEADER = "Faults";
const AHEAD = "Clock-Ahead";
const FROZEN_AT = "Clock-Frozen-At";

/** Headers with the clock setting; none when the clock was not moved. */
export function packClock({ ahead, frozenAt }: ClockSetting): HeaderList {
  if (frozenAt !== null) return [[FROZEN_AT, String(frozenAt)]];
  return ahead === 0 ? [] : [[AHEAD, String(ahead)]];
}

/** Reads the headers that {@link packClock} made; without valid ones, the clock was not moved. */
export function unpackClock(headers: HeaderList): ClockSetting {
  const number = (name: string) => Number(header({ headers }, name) ?? Number.NaN);
  const [frozenAt, ahead] = [number(FROZEN_AT), number(AHEAD)];
  if (Number.isFinite(frozenAt)) return { ahead: 0, frozenAt };
  return Number.isFinite(ahead) ? { ahead, frozenAt: null } : UNMOVED;
}
