import * as z from "zod/mini";
import { type ClockSetting, UNMOVED } from "../../core/clock.ts";
import { type HeaderList, header } from "../../core/message.ts";
import { percentDecoded } from "../../core/router.ts";
import { record } from "../../schema/kernel/record.ts";
import { anyText, listOf, oneOf } from "../../schema/kernel/values.ts";
import type { RecordsKey, Version } from "../backing.ts";
import { rateRule, type StoredChange, storedChange } from "../codec.ts";
import type { RateRule } from "../rate-history.ts";

/*
 * What the servers say to the target manager, below `/internal/`. An `ETag` names a version of records.
 *
 * - `GET  records`: scopes of all databases
 * - `POST records`: adds a database; 409 with what another one has
 * - `GET  records/{field}/{value}`: records; with `If-None-Match` what changed since, or 304; 204: there are none
 * - `POST records/scope/{scope}`: keeps changes of the version in `If-Match`; 412: it is not the latest, 410: the database
 *   is gone, 424: an image has to be put again
 * - `POST rate-limits/{scope}`: takes a request from its budgets; 429 with the rule that is full
 * - `POST images`, `GET images/{sha256}`: image bytes
 * - `GET, PUT, DELETE state`: everything: a snapshot, restoring one, a reset
 * - `GET  clock`: nothing but how the clock is set
 * - `GET, POST journal`: the journal of all servers
 * - `GET  openapi.json`: the OpenAPI document, for those who want to read it
 *
 * Every answer says how the clock is set, if it was moved: requests ask before they look at it, and mostly ask for their
 * database, so that it costs them no exchange of its own.
 */

export const INTERNAL_PREFIX = "/internal/";
export const RECORDS_PATH = `${INTERNAL_PREFIX}records`;
export const IMAGES_PATH = `${INTERNAL_PREFIX}images`;
export const STATE_PATH = `${INTERNAL_PREFIX}state`;
export const CLOCK_PATH = `${INTERNAL_PREFIX}clock`;
export const JOURNAL_PATH = `${INTERNAL_PREFIX}journal`;
export const RATE_LIMITS_PATH = `${INTERNAL_PREFIX}rate-limits`;

/**
 * Header in which servers name themselves to each other: role and instance, such as `query 3f2a…`. Who answers a request
 * that carries it, without being a target manager, refuses it and passes nothing on: that bounds the way of a request
 * whose manager is another server, or the server itself.
 */
export const SERVER_HEADER = "Mock-Cloud-Reco-Server";

/** As JSON, because a name may hold what no URL can. */
export const recordsPath = ([field, value]: RecordsKey): string =>
  `${RECORDS_PATH}/${field}/${encodeURIComponent(JSON.stringify(value))}`;

const recordsKeySchema = z.tuple([
  oneOf("databaseId", "databaseName", "serverAccessKey", "clientAccessKey", "scope", "global"),
  anyText,
]);

/** What {@link recordsPath} names. */
export function recordsKey(field: string, encoded: string): RecordsKey | undefined {
  try {
    return recordsKeySchema.safeParse([field, JSON.parse(percentDecoded(encoded))]).data;
  } catch {
    return undefined;
  }
}

export const etagOf = ({ scope, version }: Version): string => `"${scope}.${version}"`;

/** What {@link etagOf} names. */
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
export const take = z.lazy(() =>
  record<{ readonly rules: readonly RateRule[]; readonly now: number }>({
    rules: listOf(rateRule),
    now: z.number(),
  }),
);

const AHEAD = "Clock-Ahead";
const FROZEN_AT = "Clock-Frozen-At";

/** Headers that tell how the clock is set; none when nobody moved it. */
export function packClock({ ahead, frozenAt }: ClockSetting): HeaderList {
  if (frozenAt !== null) return [[FROZEN_AT, String(frozenAt)]];
  return ahead === 0 ? [] : [[AHEAD, String(ahead)]];
}

/** What {@link packClock} packed; what it never packs is a clock that was not moved. */
export function unpackClock(headers: HeaderList): ClockSetting {
  const number = (name: string) => Number(header({ headers }, name) ?? Number.NaN);
  const [frozenAt, ahead] = [number(FROZEN_AT), number(AHEAD)];
  if (Number.isFinite(frozenAt)) return { ahead: 0, frozenAt };
  return Number.isFinite(ahead) ? { ahead, frozenAt: null } : UNMOVED;
}
