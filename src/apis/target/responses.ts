import type { Profile } from "../../emulator/profiles.ts";
import {
  constant,
  described,
  enumOf,
  hex32,
  type JsonSchema,
  listOf,
  object,
  text,
  trueOrFalse,
  wholeNumber,
} from "../../emulator/response.ts";
import { resultCode, success, transaction } from "../signed/responses.ts";

const status = enumOf(["processing", "success", "failed"]);
const rating: JsonSchema = {
  type: "integer",
  minimum: -1,
  maximum: 5,
  description: "-1 in the first half of processing.",
};
const recognitions = {
  total_recos: wholeNumber,
  current_month_recos: wholeNumber,
  previous_month_recos: wholeNumber,
};

export const targetCreated = success(
  { ...transaction, ...resultCode("TargetCreated"), target_id: hex32 },
  "TargetCreated",
  "The target was added.",
);
export const targetList = success({ ...transaction, ...resultCode(), results: listOf(text) });
export const targetRecord = success({
  ...resultCode(),
  ...transaction,
  target_record: object({
    target_id: text,
    active_flag: trueOrFalse,
    name: text,
    width: { type: "number" },
    tracking_rating: rating,
    reco_rating: constant(""),
  }),
  status,
});
export const targetUpdated = success({ ...resultCode(), ...transaction });
export const targetDeleted = success({ ...transaction, ...resultCode() });
export const similarTargets = success({
  ...transaction,
  ...resultCode(),
  similar_targets: described(listOf(text), "Other active targets, the most similar first."),
});
const specifiedSummary = success({
  ...resultCode(),
  ...transaction,
  name: text,
  active_images: wholeNumber,
  inactive_images: wholeNumber,
  failed_images: wholeNumber,
  target_quota: wholeNumber,
  ...recognitions,
  processing_images: wholeNumber,
  reco_threshold: wholeNumber,
  request_quota: wholeNumber,
  request_usage: { type: "integer", const: 0 },
  request_count: { type: "integer", const: 0 },
});
/** As the real service was recorded in 2019. */
const recordedSummary: typeof specifiedSummary = success({
  name: text,
  ...resultCode(),
  ...transaction,
  active_images: wholeNumber,
  inactive_images: wholeNumber,
  failed_images: wholeNumber,
  processing_images: wholeNumber,
  target_quota: wholeNumber,
  request_quota: wholeNumber,
  reco_threshold: wholeNumber,
  request_usage: { type: "integer", const: 0 },
  ...recognitions,
});
export const summaryOfDatabase = ({ successBodies }: Profile) =>
  successBodies === "recorded" ? recordedSummary : specifiedSummary;
export const summaryOfTarget = success({
  status,
  ...transaction,
  ...resultCode(),
  database_name: text,
  target_name: text,
  upload_date: { type: "string", format: "date" },
  active_flag: trueOrFalse,
  tracking_rating: rating,
  ...recognitions,
});
