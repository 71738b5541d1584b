import { check } from "../../emulator/check.ts";
import type { FaultRule } from "../../emulator/faults.ts";
import { header } from "../../emulator/message.ts";
import { operation } from "../../emulator/operation.ts";
import { dated } from "../../emulator/plain.ts";
import { type DeclaredResponse, ok } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import type { Database } from "../../schema/database.ts";
import { isProcessed, type Target } from "../../schema/target.ts";
import type { TemplateTarget } from "../../schema/vumark-database.ts";
import type { ApiContext, InstanceFailure, Settings } from "../services.ts";
import { failure, jsonBody, serviceHeaders } from "../signed/target-responses.ts";
import { targetTable } from "../signed/target-table.ts";
import { pdfInstance } from "./pdf-instance.ts";
import { pngInstance } from "./png-instance.ts";
import { svgInstance } from "./svg-instance.ts";

type InstanceContext = ApiContext & {
  readonly database: Database;
  readonly target: Target | TemplateTarget;
};

/** Row 26: the keys belong to a template database. */
const databaseHasTemplates = check({
  name: "databaseHasTemplates",
  concerns: ["generateInstance"],
  refusals: [failure("InvalidTargetType")],
  test: ({ database }: InstanceContext) =>
    database.kind === "vumark" ||
    `the database "${database.databaseName}" is a cloud database; instances need a VuMark database's target`,
});

/** Row 27: the template target is past its processing time. */
const templateProcessed = check({
  name: "templateProcessed",
  concerns: ["generateInstance"],
  refusals: [failure("TargetStatusNotSuccess")],
  test: ({ target, now }: InstanceContext) =>
    isProcessed(target, now) ||
    `the template target is processing for ${target.processingTimeSeconds} s after its last change`,
});

const instance = (contentType: string): DeclaredResponse<Buffer> => ({
  status: 200,
  description: "The image.",
  headers: serviceHeaders(contentType),
  body: (_context, image) => image,
});

/** By media type: the response, and what renders an id. */
const FORMATS = new Map([
  ["image/png", { response: instance("image/png"), render: pngInstance }],
  ["image/svg+xml", { response: instance("image/svg+xml"), render: svgInstance }],
  ["application/pdf", { response: instance("application/pdf"), render: pdfInstance }],
]);

/** Row 28: `Accept` is one of the three media types. Finds the format. */
const mediaTypeAccepted = check({
  name: "mediaTypeAccepted",
  concerns: ["generateInstance"],
  refusals: [failure("InvalidAcceptHeader")],
  test: ({ request }: ApiContext) => {
    const mediaType = header(request, "accept") ?? "";
    const format = FORMATS.get(mediaType);
    return format === undefined
      ? `Accept must be ${[...FORMATS.keys()].join(", ")}; got ${show(mediaType)}`
      : { format };
  },
});

/** A configured failure does not have the headers of other responses. */
const configuredFailure = (code: InstanceFailure): DeclaredResponse => ({
  ...failure(code),
  headers: dated("application/json"),
});

const CONFIGURED_FAILURES: Readonly<Record<InstanceFailure, DeclaredResponse>> = {
  QuotaExceeded: configuredFailure("QuotaExceeded"),
  LicenseCheckFailed: configuredFailure("LicenseCheckFailed"),
  AuthorizationFailed: configuredFailure("AuthorizationFailed"),
};

/** `instanceGenerationFailure`: every request for an instance gets the configured failure. */
export function instanceFaults({ instanceGenerationFailure: code }: Settings): readonly FaultRule[] {
  if (code === undefined) return [];
  return [
    {
      origin: "instanceGenerationFailure",
      effect: `instanceGenerationFailure is configured as ${code}`,
      matches: ({ operation: name }) => name === "generateInstance",
      response: ok(CONFIGURED_FAILURES[code]),
    },
  ];
}

export const generateInstance = operation({
  name: "generateInstance",
  method: "POST",
  path: "/targets/{id}/instances",
  summary:
    "Generates an instance of a template (VuMark) target in the image format that the Accept header names.",
  security: "serverKeys",
  checks: targetTable.row(databaseHasTemplates).row(templateProcessed).row(mediaTypeAccepted),
  body: jsonBody({ instance_id: { type: "string", minLength: 1 } }),
  responses: [
    ...[...FORMATS.values()].map(({ response }) => response),
    ...Object.values(CONFIGURED_FAILURES),
  ],
  handle: ({ format: { response, render }, body }) =>
    // None of the formats can hold a lone surrogate.
    ok(response, render(Buffer.from(String(body.fields.instance_id)).toString())),
});

export const instanceOperations = [generateInstance];
