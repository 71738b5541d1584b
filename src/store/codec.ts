import * as z from "zod/mini";
import { credentialRecord } from "../schema/credential.ts";
import { databaseRecord } from "../schema/database.ts";
import { datasetRecord } from "../schema/dataset.ts";
import { joined, type Problem, read } from "../schema/kernel/problems.ts";
import { byKind, record } from "../schema/kernel/record.ts";
import { anyText, oneOf, seconds, wholeNumber } from "../schema/kernel/values.ts";
import { reportRecord } from "../schema/report.ts";
import {
  processingEnd,
  type Target,
  type TargetImage,
  type TargetRecord,
  targetRecord,
} from "../schema/target.ts";
import { templateTargetRecord } from "../schema/vumark-database.ts";
import { freedImage, type ProcessedImage } from "./new-target.ts";
import type { RateRule } from "./rate-history.ts";
import type { Change, RecordKinds } from "./records.ts";
import { type Conflict, UNIQUE_FIELDS } from "./store.ts";

/*
 * Records as JSON and back, without loss: what snapshots keep and what the servers send each other. Every record is
 * plain data already, but for a target's image, which is named by its hash and kept or sent separately.
 */

/** What a budget of requests is, as servers ask for it. */
export const rateRule = z.lazy(() =>
  record<RateRule>({ key: anyText, maxRequests: wholeNumber, windowSeconds: seconds }),
);
export const conflict = z.lazy(() => record<Conflict>({ conflict: oneOf(...UNIQUE_FIELDS), value: anyText }));

/** What a processed image became, and how targets name it. */
export type StoredImage = Omit<ProcessedImage, "image"> & { readonly sha256: string };
export const storedImage = z.lazy(() => record<StoredImage>({ sha256: anyText, ...processingEnd }));

/** What of each kind is sent and kept as JSON. */
type StoredKinds = Omit<RecordKinds, "target"> & { readonly target: TargetRecord };
/** A record as JSON that takes the place of the one with its kind and key; null removes it. */
export type StoredChange = Change<StoredKinds>;

const changeOf = <Kind extends string, Stored>(kind: Kind, stored: z.ZodMiniType<Stored>) =>
  z.strictObject({ kind: z.literal(kind), key: anyText, record: z.nullable(stored) });

export const storedChange = z.lazy(() =>
  byKind<StoredChange>("a change of a known kind of record", [
    changeOf("database", databaseRecord),
    changeOf("target", targetRecord),
    changeOf("template", templateTargetRecord),
    changeOf("report", reportRecord),
    changeOf("dataset", datasetRecord),
    changeOf("credential", credentialRecord),
  ]),
);

export const encodeTarget = (target: Target): TargetRecord => ({ ...target, image: target.image.sha256 });

/** @param imageOf - finds or loads the image with that SHA-256. */
export const decodeTarget = (record: TargetRecord, imageOf: (sha256: string) => TargetImage): Target => ({
  ...record,
  image: record.deleteDate === null ? imageOf(record.image) : freedImage({ sha256: record.image }),
});

export const encodeChange = (change: Change): StoredChange =>
  change.kind === "target" ? { ...change, record: change.record && encodeTarget(change.record) } : change;

/** @param imageOf - as for {@link decodeTarget}. */
export const decodeChange = (change: StoredChange, imageOf: (sha256: string) => TargetImage): Change =>
  change.kind === "target"
    ? { ...change, record: change.record && decodeTarget(change.record, imageOf) }
    : change;

/** SHA-256 of the image that an undeleted target has. */
export const imageIn = (change: StoredChange): readonly string[] =>
  change.kind === "target" && change.record?.deleteDate === null ? [change.record.image] : [];

/** What is wrong with a value that has a name. Shows no text: it may be a secret. */
export const problemText = (name: string, { path, given = "nothing", expected }: Problem): string =>
  `${joined(name, path)}: expected ${expected}; got ${given.startsWith('"') ? "other text" : given}`;

/**
 * What a schema makes of a value.
 *
 * @param name - what the value is called in messages.
 * @throws TypeError with the first thing that is wrong with it.
 */
export function decoded<T>(schema: z.ZodMiniType<T>, value: unknown, name: string): T {
  const reading = read(schema, value);
  if ("value" in reading) return reading.value;
  throw new TypeError(
    reading.problems
      .slice(0, 1)
      .map((problem) => problemText(name, problem))
      .join(""),
  );
}

/** Marks what JSON has no word for, and texts that would look like that. */
const MARK = "\0";

/** JSON that keeps every number: infinities, not-a-number and negative zero too. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "number" && (!Number.isFinite(inner) || Object.is(inner, -0))) {
      return `${MARK}${Object.is(inner, -0) ? "-0" : inner}`;
    }
    return typeof inner === "string" && inner.startsWith(MARK) ? MARK + inner : inner;
  });
}

/**
 * What {@link toText} was given.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function fromText(text: string): unknown {
  // Without any escaped mark there is nothing to restore, and parsing stays fast.
  if (!text.includes("\\u0000")) return JSON.parse(text);
  return JSON.parse(text, (_key, inner: unknown) => {
    if (typeof inner !== "string" || !inner.startsWith(MARK)) return inner;
    const rest = inner.slice(1);
    return rest.startsWith(MARK) ? rest : Number(rest);
  });
}
