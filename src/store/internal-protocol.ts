import { type HeaderList, header } from "../http/wire-message.ts";
import { type ClockSetting, UNMOVED } from "../runtime/movable-clock.ts";
import { fromText, toText } from "./codec.ts";

/*
 * What the servers say to the target manager, below `/internal/`:
 *
 * - `GET  /internal/databases/{key}/{value}`: a database, by one of its keys; with `If-None-Match` what changed since
 * - `GET  /internal/images/{sha256}`: an image's bytes
 * - `POST /internal/store/{verb}`: a verb of `Store`, which the manager's own store decides
 * - `GET  /internal/clock`: nothing but how the clock is set
 * - `GET  /internal/journal`, `POST /internal/journal`: the journal of all servers
 * - `GET  /internal/openapi.json`: the OpenAPI document, for those who want to read it
 *
 * Every answer says how the clock is set, if it was moved: requests ask before they look at it, and mostly ask for their
 * database, so that it costs them no exchange of its own.
 */

/** The unique fields that requests name a database by. */
export const DATABASE_KEYS = ["name", "serverAccessKey", "clientAccessKey"] as const;
export type DatabaseKey = (typeof DATABASE_KEYS)[number];

export const INTERNAL_PREFIX = "/internal/";

/** As JSON, because a name may hold what no URL can. */
export const databasePath = (key: DatabaseKey, value: string): string =>
  `${INTERNAL_PREFIX}databases/${key}/${encodeURIComponent(JSON.stringify(value))}`;
export const imagePath = (sha256: string): string => `${INTERNAL_PREFIX}images/${sha256}`;
export const verbPath = (verb: string): string => `${INTERNAL_PREFIX}store/${verb}`;
export const CLOCK_PATH = `${INTERNAL_PREFIX}clock`;
export const JOURNAL_PATH = `${INTERNAL_PREFIX}journal`;

const LENGTH_BYTES = 4;

/** Arguments of a verb, and an image that goes with them as it is: length of the text, text, image. */
export function packCall(args: readonly unknown[], image?: Buffer): Buffer {
  const text = Buffer.from(toText(args));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat(image === undefined ? [length, text] : [length, text, image]);
}

/**
 * What {@link packCall} packed.
 *
 * @throws RangeError, SyntaxError or TypeError when it is something else.
 */
export function unpackCall(bytes: Buffer): { readonly args: readonly unknown[]; readonly image: Buffer } {
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  const args = fromText(bytes.subarray(LENGTH_BYTES, end).toString());
  if (end > bytes.length || !Array.isArray(args)) throw new TypeError("expected the arguments of a verb");
  return { args, image: bytes.subarray(end) };
}

/** A verb's result, which may be nothing. */
export const packResult = (result: unknown): Buffer => Buffer.from(toText([result ?? null]));

export function unpackResult(bytes: Buffer): unknown {
  const list = fromText(bytes.toString());
  return Array.isArray(list) ? (list[0] ?? undefined) : undefined;
}

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
