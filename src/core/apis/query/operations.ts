import { addRemark } from "../../emulator/context.ts";
import { enumSchema, type JsonSchema, objectSchema, withDescription } from "../../emulator/json-schemas.ts";
import { acceptsEncoding, header } from "../../emulator/message.ts";
import { type Api, operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { Services } from "../services.ts";
import { recordsOfKey } from "../signed/authentication.ts";
import { malformedChecks } from "../signed/framing.ts";
import { retriable } from "../signed/responses.ts";
import { contentLengthIsInteger, headerLinesFit, queryTable } from "./checks.ts";
import {
  addedHeaders,
  anyFailure,
  encodeResponse,
  headerTooLargePage,
  isGzipped,
  lengthNotAnInteger,
  nothingServed,
  queryResults,
  serverText,
} from "./responses.ts";
import { searchTargets } from "./search.ts";

/** In the words of OpenAPI 3.0 too, by which code generators know a file. */
const image: JsonSchema = {
  type: "string",
  format: "binary",
  contentMediaType: "application/octet-stream",
};

export const query = operation({
  name: "query",
  method: "POST",
  path: "/v1/query",
  summary: "Finds the targets that an image matches.",
  security: "clientKeys",
  checks: queryTable,
  body: {
    contentType: "multipart/form-data",
    schema: objectSchema(
      {
        image: withDescription(
          image,
          "A file: PNG or JPEG of at most 2097152 bytes and 30000 pixels a side.",
        ),
      },
      {
        max_num_results: { type: "integer", minimum: 1, maximum: 50, default: 1 },
        include_target_data: { ...enumSchema(["top", "all", "none"]), default: "top" },
      },
    ),
  },
  responses: [queryResults],
  handle: async (context) => {
    const { targets, services, image, maxNumResults, includeTargetData, entry, now } = context;
    const { answerOptions } = services;
    const search = await targets.search((seen) =>
      searchTargets(seen, image, answerOptions, maxNumResults, now),
    );
    const isUnasked =
      isGzipped(queryResults.status, context, services) &&
      !acceptsEncoding(header(context.request, "accept-encoding"), "gzip");
    const remark =
      search.whyNone ??
      (isUnasked
        ? services.journal.once(cause("gzip.unasked", { advice: answerOptions.advice.identity }))
        : undefined);
    if (remark !== undefined) addRemark(entry, remark);
    entry.considered = [...search.considered, ...(search.unseen ?? [])];
    if (search.otherTargets !== undefined) entry.otherTargets = search.otherTargets;
    const detailed = { all: search.found.length, top: 1, none: 0 }[includeTargetData];
    return ok(queryResults, {
      results: search.found.map(({ targetId, name, applicationMetadata, lastModifiedDate }, index) => ({
        target_id: targetId,
        ...(index < detailed && {
          target_data: {
            target_timestamp: Math.floor(lastModifiedDate / 1000),
            name,
            application_metadata:
              applicationMetadata && (decodeServiceBase64(applicationMetadata)?.toString("base64") ?? null),
          },
        }),
      })),
    });
  },
});

/** The query API; see README.md. */
export const queryApi: Api<Services> = {
  name: "query",
  title: "query API",
  urlOption: "queryUrl",
  operations: [query],
  unservedChecks: [contentLengthIsInteger, headerLinesFit],
  unserved: () => ok(nothingServed),
  failure: (code, status) => ok(anyFailure(code, status)),
  serverText,
  malformed: {
    contentLength: lengthNotAnInteger,
    headersTooLarge: headerTooLargePage,
    malformed: lengthNotAnInteger,
    unended: lengthNotAnInteger,
    bodyTooLarge: serverText(413),
    overloaded: retriable(serverText(503)),
  },
  malformedChecks,
  encode: encodeResponse,
  addedHeaders,
  holdsSecrets: false,
  isDelayed: true,
  databaseOf: async (authorization, services) =>
    (await recordsOfKey("clientAccessKey", authorization, services))?.database,
};
