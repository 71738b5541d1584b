import { addRemark } from "../../emulator/context.ts";
import {
  booleanSchema,
  type JsonSchemas,
  orNullSchema,
  stringSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import { type Api, operation } from "../../emulator/operation.ts";
import { ok, refuse } from "../../emulator/response.ts";
import { cause } from "../../schema/causes/causes.ts";
import { ratingAt, statusAt } from "../../schema/processing.ts";
import {
  MAX_METADATA_BYTES,
  MAX_TARGET_IMAGE_BYTES,
  MAX_TARGET_IMAGE_PIXELS,
} from "../../schema/protocol.ts";
import type { Services } from "../services.ts";
import { databaseOfServerKey } from "../signed/authentication.ts";
import { contentLengthIsInteger, headerLinesFit, malformedChecks } from "../signed/framing.ts";
import {
  anyFailure,
  bodyWithKeys,
  fail,
  failure,
  malformedPages,
  notFound,
  plainText,
} from "../signed/responses.ts";
import { nameTaken, targetTable } from "./checks.ts";
import { getDuplicates } from "./duplicates.ts";
import {
  summaryOfDatabase,
  summaryOfTarget,
  targetCreated,
  targetDeleted,
  targetList,
  targetRecordResponse,
  targetUpdated,
} from "./responses.ts";

const signed = { security: "serverKeys", checks: targetTable } as const;

const targetFields: JsonSchemas = {
  name: { type: "string", minLength: 1, maxLength: 64, description: "Unique among undeleted targets." },
  width: { type: "number", exclusiveMinimum: 0, description: "In scene units." },
  image: withDescription(
    stringSchema,
    `Base64 of a PNG or JPEG of at most ${MAX_TARGET_IMAGE_BYTES} bytes and ${MAX_TARGET_IMAGE_PIXELS} pixels.`,
  ),
};

const targetOptions: JsonSchemas = {
  active_flag: withDescription(
    { anyOf: [orNullSchema(booleanSchema), { type: "integer", enum: [0, 1] }] },
    "Default true.",
  ),
  application_metadata: orNullSchema(
    withDescription(stringSchema, `Base64 of at most ${MAX_METADATA_BYTES} bytes.`),
  ),
};

const addTarget = operation({
  name: "addTarget",
  method: "POST",
  path: "/targets",
  summary: "Adds a target and starts its processing.",
  ...signed,
  body: bodyWithKeys(targetFields, targetOptions),
  responses: [targetCreated, failure("TargetNameExist"), failure("TargetQuotaReached"), fail(400)],
  handle: async (context) => {
    const { database, targets, body, applicationMetadata, activeFlag = true, image } = context;
    const { name } = body.fields;
    const width = Number(body.fields.width);
    const created = await targets.add({ name: String(name), width, activeFlag, applicationMetadata, image });
    // The store detects what other requests changed after the checks ran.
    if (created === "nameTaken") return nameTaken(name);
    if (created === "quotaReached")
      return refuse(failure("TargetQuotaReached"), cause("quota.targets", { quota: database.targetQuota }));
    if (typeof created === "string") return refuse(fail(400), cause("database.deleted"));
    return ok(targetCreated, { target_id: created.targetId });
  },
});

const listTargets = operation({
  name: "listTargets",
  method: "GET",
  path: "/targets",
  summary: "Lists the ids of the undeleted targets, by upload date.",
  ...signed,
  responses: [targetList],
  handle: async ({ targets }) => ok(targetList, { results: targets.list().map(({ targetId }) => targetId) }),
});

const getTarget = operation({
  name: "getTarget",
  method: "GET",
  path: "/targets/{id}",
  summary: "Returns a target's record and status.",
  ...signed,
  responses: [targetRecordResponse],
  handle: async ({ target, now, entry }) => {
    const status = statusAt(target, now);
    if (status === "failed") addRemark(entry, cause("target.failed"));
    return ok(targetRecordResponse, {
      target_record: {
        target_id: target.targetId,
        active_flag: target.activeFlag,
        name: target.name,
        width: target.width,
        tracking_rating: ratingAt(target, now),
        reco_rating: "",
      },
      status,
    });
  },
});

const updateTarget = operation({
  name: "updateTarget",
  method: "PUT",
  path: "/targets/{id}",
  summary: "Changes the given fields of a target and starts its processing again.",
  ...signed,
  body: bodyWithKeys({}, { ...targetFields, ...targetOptions }),
  responses: [
    targetUpdated,
    failure("TargetStatusNotSuccess"),
    fail(400),
    failure("UnknownTarget"),
    failure("TargetNameExist"),
  ],
  handle: async (context) => {
    const { target, targets, now, profile, body, applicationMetadata, activeFlag, image } = context;
    const { name, width, active_flag, application_metadata } = body.fields;
    const status = statusAt(target, now);
    const updatable = profile.failedTargetsCanBeUpdated
      ? (["success", "failed"] as const)
      : (["success"] as const);
    const wrongStatus = refuse(
      failure("TargetStatusNotSuccess"),
      cause("target.status", { status, accepted: updatable.join(" or ") }),
    );
    if (!updatable.some((accepted) => accepted === status)) return wrongStatus;
    for (const [key, value] of Object.entries({ active_flag, application_metadata })) {
      if (value === null) return refuse(fail(400), cause("update.null", { field: key }));
    }
    const changes = {
      ...(typeof name === "string" && { name }),
      ...(typeof width === "number" && { width }),
      ...(image !== undefined && { image }),
      ...(activeFlag !== undefined && { activeFlag }),
      ...(applicationMetadata !== null && { applicationMetadata }),
    };
    const updated = await targets.update(target, changes, updatable);
    if (updated === "unknown") return deletedMeanwhile();
    if (updated === "nameTaken") return nameTaken(name);
    if (updated === "wrongStatus") return wrongStatus;
    return ok(targetUpdated, {});
  },
});

const deletedMeanwhile = () => refuse(failure("UnknownTarget"), cause("target.deleted"));

const deleteTarget = operation({
  name: "deleteTarget",
  method: "DELETE",
  path: "/targets/{id}",
  summary: "Deletes a target that is not being processed.",
  ...signed,
  responses: [targetDeleted, failure("TargetStatusProcessing"), failure("UnknownTarget")],
  handle: async ({ target, targets }) => {
    const deleted = await targets.delete(target);
    if (deleted === "processing") {
      return refuse(
        failure("TargetStatusProcessing"),
        cause("target.processing", { seconds: target.processingTimeSeconds, asked: "deletion" }),
      );
    }
    return deleted === "unknown" ? deletedMeanwhile() : ok(targetDeleted, {});
  },
});

const databaseSummary = operation({
  name: "databaseSummary",
  method: "GET",
  path: "/summary",
  summary: "Returns a database's quotas and counts of targets by status.",
  ...signed,
  responses: (profile) => [summaryOfDatabase(profile)],
  handle: async ({ database, targets, profile }) => {
    const counts = targets.counts();
    return ok(summaryOfDatabase(profile), {
      name: database.databaseName,
      active_images: counts.active,
      inactive_images: counts.inactive,
      failed_images: counts.failed,
      target_quota: database.targetQuota,
      total_recos: database.totalRecos,
      current_month_recos: database.currentMonthRecos,
      previous_month_recos: database.previousMonthRecos,
      processing_images: counts.processing,
      reco_threshold: database.recoThreshold,
      request_quota: database.requestQuota,
      request_usage: 0,
      request_count: 0,
    });
  },
});

const targetSummary = operation({
  name: "targetSummary",
  method: "GET",
  path: "/summary/{id}",
  summary: "Returns a target's status and recognition counts.",
  ...signed,
  responses: [summaryOfTarget],
  handle: async ({ database, target, now }) => {
    return ok(summaryOfTarget, {
      status: statusAt(target, now),
      database_name: database.databaseName,
      target_name: target.name,
      upload_date: new Date(target.uploadDate).toISOString().slice(0, 10),
      active_flag: target.activeFlag,
      tracking_rating: ratingAt(target, now),
      total_recos: target.totalRecos,
      current_month_recos: target.currentMonthRecos,
      previous_month_recos: target.previousMonthRecos,
    });
  },
});

export const targetOperations = [
  addTarget,
  listTargets,
  getTarget,
  updateTarget,
  deleteTarget,
  getDuplicates,
  databaseSummary,
  targetSummary,
];

/** The target API; see README.md. */
export const targetApi: Api<Services> = {
  name: "target",
  title: "target API",
  urlOption: "targetUrl",
  operations: targetOperations,
  unservedChecks: [contentLengthIsInteger, headerLinesFit],
  unserved: notFound,
  failure: (code, status) => ok(anyFailure(code, status)),
  serverText: plainText,
  malformed: malformedPages,
  malformedChecks,
  holdsSecrets: false,
  isDelayed: true,
  databaseOf: databaseOfServerKey,
};
