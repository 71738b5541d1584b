import type { Profile } from "../profiles.ts";
import { RESULT_CODES, type ResultCode } from "../responses/result-codes.ts";
import {
  constant,
  described,
  flag,
  hex32,
  type JsonSchema,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  wholeNumber,
} from "./schema.ts";
import { failureWith, ownHeaders, PLAIN_HEADERS, refusals } from "./target-refusals.ts";
import type { ApiDescription, Description, Variant } from "./variant.ts";

/** Sections 4 to 7 of the protocol. */
export function targetApi(profile: Profile): ApiDescription {
  return {
    title: "Target API, instances and reports",
    operations: operations(profile),
    refusals: refusals(profile),
    security: (operation) => (operation === "downloadReport" ? null : "serverKeys"),
  };
}

const status = oneOf(["processing", "success", "failed"]);
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
const newTarget = {
  name: { type: "string", minLength: 1, maxLength: 64, description: "Unique among undeleted targets." },
  width: { type: "number", exclusiveMinimum: 0, description: "In scene units." },
  image: described(text, "Base64 of a PNG or JPEG of at most 2359293 bytes and 37748736 pixels."),
};
const targetOptions = {
  active_flag: orNull(flag),
  application_metadata: orNull(described(text, "Base64 of at most 1048575 bytes.")),
};
const json = (schema: JsonSchema) => ({ contentType: "application/json", schema });

function operations(profile: Profile): Readonly<Record<string, Description>> {
  const headers = ownHeaders(profile);
  const answer = (
    properties: Readonly<Record<string, JsonSchema>>,
    code: ResultCode = "Success",
    description = "Done.",
  ): Variant => ({
    status: RESULT_CODES[code].status,
    description,
    headers,
    contentType: "application/json",
    schema: object({ transaction_id: hex32, result_code: constant(code), ...properties }),
  });
  const failure = failureWith(profile);
  const download = (statusCode: number, description: string, contentType = "application/xml"): Variant => ({
    status: statusCode,
    description,
    headers: PLAIN_HEADERS,
    contentType,
    schema: text,
  });
  const parameter = (name: string) => `${profile.reportParameterPrefix}${name}`;
  return {
    addTarget: {
      summary: "Adds a target, which is then processed.",
      body: json(object(newTarget, targetOptions)),
      responses: [
        answer({ target_id: hex32 }, "TargetCreated", "The target was added."),
        failure("TargetNameExist"),
        failure("TargetQuotaReached"),
      ],
    },
    listTargets: {
      summary: "Lists the ids of the undeleted targets, by upload date.",
      responses: [answer({ results: listOf(text) })],
    },
    getTarget: {
      summary: "Gives a target's record.",
      responses: [
        answer({
          target_record: object({
            target_id: text,
            active_flag: flag,
            name: text,
            width: { type: "number" },
            tracking_rating: rating,
            reco_rating: constant(""),
          }),
          status,
        }),
      ],
    },
    updateTarget: {
      summary: "Changes what is given of a target, which is then processed again.",
      body: json(object({}, { ...newTarget, ...targetOptions })),
      responses: [answer({}), failure("TargetStatusNotSuccess"), failure("Fail"), failure("TargetNameExist")],
    },
    deleteTarget: {
      summary: "Deletes a target that is not being processed.",
      responses: [answer({}), failure("TargetStatusProcessing")],
    },
    getDuplicates: {
      summary: "Lists the targets whose images are like a target's.",
      responses: [answer({ similar_targets: listOf(text) })],
    },
    databaseSummary: {
      summary: "Gives the database's quotas and counts.",
      responses: [
        answer({
          name: text,
          active_images: wholeNumber,
          inactive_images: wholeNumber,
          failed_images: wholeNumber,
          processing_images: wholeNumber,
          target_quota: wholeNumber,
          ...recognitions,
          reco_threshold: wholeNumber,
          request_quota: wholeNumber,
          request_usage: { type: "integer", const: 0 },
          request_count: { type: "integer", const: 0 },
        }),
      ],
    },
    targetSummary: {
      summary: "Gives a target's state and recognition counts.",
      responses: [
        answer({
          status,
          database_name: text,
          target_name: text,
          upload_date: { type: "string", format: "date" },
          active_flag: flag,
          tracking_rating: rating,
          ...recognitions,
        }),
      ],
    },
    generateInstance: {
      summary: "Makes an instance of a template (VuMark) target, as the image that the Accept header names.",
      body: json(object({ instance_id: { type: "string", minLength: 1 } })),
      responses: [
        ...["image/png", "image/svg+xml", "application/pdf"].map((contentType) => ({
          status: 200,
          description: "The image.",
          headers,
          contentType,
        })),
        // If so configured.
        ...(["QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"] as const).map((code) => ({
          ...failureWith(profile)(code),
          headers: PLAIN_HEADERS,
        })),
      ],
    },
    requestReport: {
      summary: "Makes the recognition report of the current or the previous month.",
      body: json(
        object({ month: described({ type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" }, "YYYY-MM, in UTC.") }),
      ),
      responses: [
        answer({
          presigned_url: described({ type: "string", format: "uri" }, "Where it will be, once ready."),
        }),
      ],
    },
    downloadReport: {
      summary: "Downloads a report once it is ready.",
      query: {
        [parameter("Security-Token")]: text,
        [parameter("Algorithm")]: constant(profile.reportAlgorithm),
        [parameter("Date")]: { type: "string", pattern: "^[0-9]{8}T[0-9]{6}Z$" },
        [parameter("SignedHeaders")]: text,
        [parameter("Credential")]: text,
        [parameter("Expires")]: { type: "string", pattern: "^[0-9]+$", description: "In seconds." },
        [parameter("Signature")]: text,
      },
      responses: [
        download(200, "CSV: target_id and reco_count.", "text/plain"),
        download(404, "There is no such report, or it is not ready."),
      ],
    },
  };
}
