import { CheckTable } from "../../emulator/check.ts";
import { described, object } from "../../emulator/json-schema.ts";
import { header } from "../../emulator/message.ts";
import { operation } from "../../emulator/operation.ts";
import { type JsonSchema, ok } from "../../emulator/response.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import type { Target } from "../../schema/target.ts";
import type { ApiContext } from "../services.ts";
import { headerLinesFit } from "../signed/framing.ts";
import {
  acceptsJson,
  authenticated,
  authorizationGiven,
  authorizationWellFormed,
  boundaryNamed,
  contentLengthFits,
  contentTypeGiven,
  contentTypeIsMultipart,
  dateCurrent,
  dateGiven,
  dateWellFormed,
  projectActive,
} from "./checks.ts";
import {
  boundaryOccurs,
  fieldsKnown,
  imageGiven,
  imageOpens,
  imageSmallEnough,
  includeTargetDataValid,
  maxNumResultsValid,
} from "./form-checks.ts";
import { found } from "./responses.ts";
import { searchTargets } from "./search.ts";

/** The query API's checks, in the order of README.md. */
export const queryTable = CheckTable.on<ApiContext, "query">()
  .row(headerLinesFit) // 1
  .row(contentLengthFits) // 2
  .row(authorizationGiven) // 3
  .row(authorizationWellFormed) // 4
  .row(authenticated) // 5: finds the database
  .row(projectActive) // 6
  .row(acceptsJson) // 7
  .row(dateGiven) // 8
  .row(dateWellFormed) // 9: finds the date
  .row(dateCurrent) // 10
  .row(contentTypeGiven) // 11
  .row(contentTypeIsMultipart) // 12
  .row(boundaryNamed) // 13: finds the form's boundary
  .row(boundaryOccurs) // 14
  .row(fieldsKnown) // 15: finds the form
  .row(imageGiven) // 16: finds the image
  .row(imageOpens) // 17
  .row(imageSmallEnough) // 18
  .row(maxNumResultsValid) // 19
  .row(includeTargetDataValid); // 20

const image: JsonSchema = { contentMediaType: "application/octet-stream" };

export const query = operation({
  name: "query",
  method: "POST",
  path: "/v1/query",
  summary: "Finds the targets that an image matches.",
  security: "clientKeys",
  checks: queryTable,
  body: {
    contentType: "multipart/form-data",
    schema: object(
      {
        image: described(image, "A file: PNG or JPEG of at most 2097152 bytes and 30000 pixels a side."),
      },
      {
        max_num_results: { type: "integer", minimum: 1, maximum: 50, default: 1 },
        include_target_data: { enum: ["top", "all", "none"], default: "top" },
      },
    ),
  },
  responses: [found],
  handle: async (context) => {
    const { services, database, maxNumResults, includeTargetData, notes, now } = context;
    const targets = await services.store.listTargets(database.databaseName);
    const search = await searchTargets(
      targets,
      context.image,
      services.settings.queryMatcher,
      maxNumResults,
      now,
    );
    if (
      services.settings.queryContentEncoding === "gzip" &&
      header(context.request, "accept-encoding") === undefined
    ) {
      notes.reason = GZIP_UNASKED;
    }
    if (search.whyNone !== undefined) notes.reason = search.whyNone;
    notes.considered = search.considered;
    if (search.otherTargets !== undefined) notes.otherTargets = search.otherTargets;
    const detailed = { all: search.found.length, top: 1, none: 0 }[includeTargetData];
    return ok(found, {
      results: search.found.map((target, index) => ({
        target_id: target.targetId,
        ...(index < detailed && { target_data: targetData(target) }),
      })),
    });
  },
});

/** The service sends gzip whether or not the request accepts it. */
const GZIP_UNASKED =
  "the response is gzip-encoded although the request has no Accept-Encoding: decode it, or set the option queryContentEncoding to " +
  '"identity"';

function targetData({ name, applicationMetadata: metadata, lastModifiedDate: modifiedAt }: Target) {
  return {
    target_timestamp: Math.floor(modifiedAt / 1000),
    name,
    application_metadata:
      metadata === null ? null : (decodeServiceBase64(metadata)?.toString("base64") ?? null),
  };
}
