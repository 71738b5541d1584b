import * as z from "zod/mini";
import type { ClockShift } from "../core/emulator/clock.ts";
import { isJsonObject, parseJson } from "../core/general/json.ts";
import { databaseRecord, templateTargetRecord } from "../core/schema/database.ts";
import { credentialRecord, datasetRecord } from "../core/schema/model-target.ts";
import { reportRecord } from "../core/schema/report.ts";
import { type TargetRecord, targetRecord } from "../core/schema/target.ts";
import { byKind, record } from "../core/schema/zod/record.ts";
import { anyText } from "../core/schema/zod/values.ts";
import { decodeTarget, encodeTarget } from "../core/store/codec.ts";
import type { RecordKinds, Write } from "../core/store/records.ts";

/* Converts records and pages of the journal to text and bytes for Redis, and back, without loss. */

/** A write in JSON form. */
export type StoredWrite = Write<Omit<RecordKinds, "target"> & { readonly target: TargetRecord }>;

const changeOf = <Kind extends string, Stored>(kind: Kind, stored: z.ZodMiniType<Stored>) =>
  z.strictObject({ kind: z.literal(kind), key: anyText, record: z.nullable(stored) });

export const storedWrite = z.lazy(() =>
  byKind<StoredWrite>("a change of a known kind of record", [
    changeOf("database", databaseRecord),
    changeOf("target", targetRecord),
    changeOf("template", templateTargetRecord),
    changeOf("report", reportRecord),
    changeOf("dataset", datasetRecord),
    changeOf("credential", credentialRecord),
  ]),
);

export const encodeWrite = (write: Write): StoredWrite =>
  write.kind === "target" ? { ...write, record: write.record && encodeTarget(write.record) } : write;

export const decodeWrite = (change: StoredWrite, imageOf: Parameters<typeof decodeTarget>[1]): Write =>
  change.kind === "target"
    ? { ...change, record: change.record && decodeTarget(change.record, imageOf) }
    : change;

export const imageIn = (change: StoredWrite): readonly string[] =>
  change.kind === "target" && change.record?.deleteDate === null ? [change.record.image] : [];

/** Marks numbers that JSON cannot express, and strings that look like such a mark. */
const MARK = "\0";

/** JSON that preserves every number, including infinities, NaN and negative zero. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "number" && (!Number.isFinite(inner) || Object.is(inner, -0))) {
      return `${MARK}${Object.is(inner, -0) ? "-0" : inner}`;
    }
    return typeof inner === "string" && inner.startsWith(MARK) ? MARK + inner : inner;
  });
}

/** Reads text of {@link toText}. Throws a SyntaxError for other text. */
export function fromText(text: string | Buffer): unknown {
  const parsed = parseJson(text, Number.POSITIVE_INFINITY);
  if (parsed.error !== undefined) throw new SyntaxError(parsed.error);
  // Without a mark, nothing is copied.
  return text.includes("\\u0000") ? unmarked(parsed.value) : parsed.value;
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unmarked(inner)]));
  if (typeof value !== "string" || !value.startsWith(MARK)) return value;
  const rest = value.slice(1);
  return rest.startsWith(MARK) ? rest : Number(rest);
}

const BYTES = `${MARK}bytes`;
const LENGTH_BYTES = 4;

/** Packs a list for another server: length of the text, text, bytes. Parts may be bytes or undefined, also in inner lists. */
export function pack(parts: readonly unknown[]): Buffer {
  const bytes: Buffer[] = [];
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (!Buffer.isBuffer(value)) return value;
    bytes.push(value);
    return { [BYTES]: value.length };
  };
  const text = Buffer.from(toText(named(parts)));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...bytes]);
}

/** @throws RangeError or SyntaxError for data that {@link pack} did not make. */
export async function unpack(packed: Buffer): Promise<unknown> {
  let at = LENGTH_BYTES;
  const next = (length: number): Buffer => {
    at += length;
    if (at > packed.length) throw new RangeError(`expected ${at} bytes or more; got ${packed.length}`);
    return packed.subarray(at - length, at);
  };
  const value = fromText(next(packed.readUInt32BE(0)));
  const resolved = (part: unknown): unknown => {
    if (part === null) return undefined;
    if (Array.isArray(part)) return part.map(resolved);
    const length = isJsonObject(part) ? part[BYTES] : undefined;
    return typeof length === "number" && length >= 0 ? next(length) : part;
  };
  return resolved(value);
}

export const clockShift = z.lazy(() =>
  record<ClockShift>({ ahead: z.number(), frozenAt: z.nullable(z.number()) }),
);
