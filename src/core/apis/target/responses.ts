import {
  arraySchema,
  booleanSchema,
  constantSchema,
  enumSchema,
  hex32Schema,
  type JsonSchema,
  objectSchema,
  stringSchema,
  wholeNumberSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import type { Profile } from "../../emulator/profiles.ts";
import { resultCode, success, transaction } from "../signed/responses.ts";

const status = enumSchema(["processing", "success", "failed"]);
const rating: JsonSchema = {
  type: "integer",
  minimum: -1,
  maximum: 5,
  description: "-1 in the first half of processing.",
};
const recognitions = {
  total_recos: wholeNumberSchema,
  current_month_recos: wholeNumberSchema,
  previous_month_recos: wholeNumberSchema,
};

export const targetCreated = success(
  { ...transaction, ...resultCode("TargetCreated"), target_id: hex32Schema },
  "TargetCreated",
  "The target was added.",
);
export const targetList = success({ ...transaction, ...resultCode(), results: arraySchema(stringSchema) });
export const targetRecordResponse = success({
  ...resultCode(),
  ...transaction,
  target_record: objectSchema({
    target_id: stringSchema,
    active_flag: booleanSchema,
    name: stringSchema,
    width: { type: "number" },
    tracking_rating: rating,
    reco_rating: constantSchema(""),
  }),
  status,
});
export const targetUpdated = success({ ...resultCode(), ...transaction });
export const targetDeleted = success({ ...transaction, ...resultCode() });
export const similarTargets = success({
  ...transaction,
  ...resultCode(),
  similar_targets: withDescription(
    arraySchema(stringSchema),
    "Other active targets, the most similar first.",
  ),
});
const specifiedSummary = success({
  ...resultCode(),
  ...transaction,
  name: stringSchema,
  active_images: wholeNumberSchema,
  inactive_images: wholeNumberSchema,
  failed_images: wholeNumberSchema,
  target_quota: wholeNumberSchema,
  ...recognitions,
  processing_images: wholeNumberSchema,
  reco_threshold: wholeNumberSchema,
  request_quota: wholeNumberSchema,
  request_usage: { type: "integer", const: 0 },
  request_count: { type: "integer", const: 0 },
});
/** As the real service was recorded in 2019. */
const recordedSummary: typeof specifiedSummary = success({
  name: stringSchema,
  ...resultCode(),
  ...transaction,
  active_images: wholeNumberSchema,
  inactive_images: wholeNumberSchema,
  failed_images: wholeNumberSchema,
  processing_images: wholeNumberSchema,
  target_quota: wholeNumberSchema,
  request_quota: wholeNumberSchema,
  reco_threshold: wholeNumberSchema,
  request_usage: { type: "integer", const: 0 },
  ...recognitions,
});
export const summaryOfDatabase = ({ successBodies }: Profile) =>
  successBodies === "recorded" ? recordedSummary : specifiedSummary;
export const summaryOfTarget = success({
  status,
  ...transaction,
  ...resultCode(),
  database_name: stringSchema,
  target_name: stringSchema,
  upload_date: { type: "string", format: "date" },
  active_flag: booleanSchema,
  tracking_rating: rating,
  ...recognitions,
});
