import { type RecognitionCounts, ratingAt, type Target } from "../../domain/target.ts";
import { withoutUndefined } from "../../domain/without-undefined.ts";
import type { NewTarget, TargetChanges } from "../../store/store.ts";
import { base64Bytes, base64Text, flag, positiveNumber, seconds, text, wholeNumber } from "./field-kinds.ts";
import { type Fields, nullable } from "./fields.ts";

const isoDate = (time: number): string => new Date(time).toISOString();

/** A target as the target manager shows it (protocol section 10). */
export const targetResource = async (target: Target, now: number) => ({
  name: target.name,
  width: target.width,
  image_base64: (await target.image.bytes()).toString("base64"),
  active_flag: target.active,
  processing_time_seconds: target.processingTimeSeconds,
  application_metadata: target.metadata,
  target_id: target.id,
  last_modified_date: isoDate(target.modifiedAt),
  delete_date_optional: target.deletedAt === null ? null : isoDate(target.deletedAt),
  upload_date: isoDate(target.uploadedAt),
  tracking_rating: ratingAt(target, now),
  current_month_recos: target.currentMonthRecos,
  previous_month_recos: target.previousMonthRecos,
  total_recos: target.totalRecos,
  reco_rating: "",
});

/** What a new target is given; its processing time and id may be left to the emulator. Dates and ratings are ignored. */
export const readNewTarget = (fields: Fields) =>
  ({
    name: fields.required("name", text),
    width: fields.required("width", positiveNumber),
    image: fields.required("image_base64", base64Bytes),
    active: fields.optional("active_flag", flag) ?? true,
    processingTimeSeconds: fields.optional("processing_time_seconds", seconds),
    metadata: fields.optional("application_metadata", nullable(base64Text)) ?? null,
    id: fields.optional("target_id", text),
  }) satisfies Partial<Record<keyof NewTarget, unknown>>;

export const readTargetChanges = (fields: Fields): TargetChanges =>
  withoutUndefined({
    name: fields.optional("name", text),
    width: fields.optional("width", positiveNumber),
    image: fields.optional("image", base64Bytes),
    active: fields.optional("active_flag", flag),
    metadata: fields.optional("application_metadata", nullable(base64Text)),
  });

export const readRecognitionCounts = (fields: Fields): Partial<RecognitionCounts> =>
  withoutUndefined({
    currentMonthRecos: fields.optional("current_month_recos", wholeNumber),
    previousMonthRecos: fields.optional("previous_month_recos", wholeNumber),
    totalRecos: fields.optional("total_recos", wholeNumber),
  });
