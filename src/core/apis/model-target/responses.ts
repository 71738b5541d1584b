import type * as Fflate from "fflate";
import type { Context } from "../../emulator/context.ts";
import {
  arraySchema,
  constantSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from "../../emulator/json-schemas.ts";
import type { HeaderList } from "../../emulator/message.ts";
import type { DeclaredResponse } from "../../emulator/response.ts";
import { isJsonObject } from "../../general/json.ts";
import { loadOnceInProcess } from "../../general/load-module.ts";
import { asciiJson } from "../../general/text.ts";
import type { Dataset } from "../../schema/model-target.ts";

/** The response envelopes of OAuth 2.0 and the Model Target API. */

const typed = (contentType: string) => (): HeaderList => [["Content-Type", contentType]];
const json = typed("application/json");

/** A success; the details are the body. */
export const success = (
  status: number,
  description: string,
  schema: JsonSchema,
): DeclaredResponse<object> => ({
  status,
  description,
  headers: json,
  schema,
  body: (_context, content) => asciiJson(content),
});

export const emptyResponse = (status: number): DeclaredResponse => ({
  status,
  description: "Done (empty body).",
  headers: () => [],
});

export const zip: DeclaredResponse<Buffer> = {
  status: 200,
  description: "A zip of MTDataset.dat and MTDataset.xml.",
  headers: () => [
    ["Content-Type", "application/zip"],
    ["Content-Disposition", "attachment; filename=full-dataset.zip"],
  ],
  body: (_context, archive) => archive,
};

export const lacksScope: DeclaredResponse = {
  status: 403,
  description: "The token lacks the scope.",
  headers: typed("text/plain"),
  schema: constantSchema("User does not have the required scopes to perform this action"),
  body: () => "User does not have the required scopes to perform this action",
};

interface ErrorContent {
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly { readonly code: string; readonly message: string }[];
}

/** `{"error":{"code","message","target"?,"details"?}}` */
export const serviceError = <Details = unknown>(
  status: number,
  code: string,
  description: string,
  content: (details: Details, context: Context) => ErrorContent,
): DeclaredResponse<Details> => ({
  status,
  resultCode: code,
  description,
  headers: json,
  schema: objectSchema({
    error: objectSchema(
      { code: constantSchema(code), message: stringSchema },
      {
        target: stringSchema,
        details: arraySchema(
          objectSchema({ code: constantSchema("VALIDATION_ERROR"), message: stringSchema }),
        ),
      },
    ),
  }),
  body: (context, details) => {
    // Keys are sent in this order; undefined ones are left out.
    const { message, target, details: list } = content(details, context);
    return asciiJson({ error: { code, message, target, details: list } });
  },
});

/** `{"error","error_description"?}`: the shape of the token route's errors. */
export const tokenError = (
  status: number,
  code: string,
  description: string,
  shown?: string,
): DeclaredResponse => ({
  status,
  resultCode: code,
  description,
  headers: json,
  schema: objectSchema({ error: constantSchema(code) }, { error_description: stringSchema }),
  body: () => asciiJson({ error: code, error_description: shown }),
});

/** One detail for each finding, under a new uuid. */
export const validationError = serviceError<readonly string[]>(
  400,
  "BAD_REQUEST",
  "The request is invalid; the details say why.",
  (messages, { random }) => {
    const uuid = random.hex(32);
    return {
      message: `Validation error for request ${uuid}`,
      target: uuid,
      details: messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
    };
  },
);

/** The same in each zip. Times inside are local, as is text without a zone: bytes do not depend on the time zone. */
const ENTRY_TIME = "1980-01-01T12:00:00";

const DESCRIPTION = `<?xml version="1.0" encoding="UTF-8"?>
<MTDataset version="1.0"/>
`;

/** Uncompressed: bytes do not depend on a compressor's version. */
export async function datasetArchive(dataset: Dataset): Promise<Buffer> {
  const { strToU8, zipSync }: typeof Fflate = loadOnceInProcess("fflate");
  const files = { "MTDataset.dat": strToU8(metadataOf(dataset)), "MTDataset.xml": strToU8(DESCRIPTION) };
  return Buffer.from(zipSync(files, { level: 0, mtime: ENTRY_TIME }));
}

/** The request without the CAD data, which may be large. */
function metadataOf({ datasetTypeName: family, requestBody }: Dataset): string {
  const { models } = requestBody;
  const request = Array.isArray(models) ? { ...requestBody, models: models.map(withoutBlob) } : requestBody;
  return sortedJson({ datasetType: family, request });
}

function withoutBlob(model: unknown): unknown {
  if (!isJsonObject(model)) return model;
  const { cadDataBlob: _left, ...rest } = model;
  return rest;
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isJsonObject(value)) return asciiJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${asciiJson(key)}:${sortedJson(value[key])}`);
  return `{${members.join(",")}}`;
}
