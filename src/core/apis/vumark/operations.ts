import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { CONFIGURED_FAILURES } from "../signed/configured-failures.ts";
import { bodyWithKeys } from "../signed/responses.ts";
import { instanceTable } from "./checks.ts";
import { FORMATS } from "./formats.ts";

const generateInstance = operation({
  name: "generateInstance",
  method: "POST",
  path: "/targets/{id}/instances",
  summary:
    "Generates an instance of a template (VuMark) target in the image format that the Accept header names.",
  security: "serverKeys",
  checks: instanceTable,
  body: bodyWithKeys({ instance_id: { type: "string", minLength: 1 } }),
  responses: [
    ...[...FORMATS.values()].map(({ response }) => response),
    ...Object.values(CONFIGURED_FAILURES),
  ],
  handle: async ({ format: { response, render }, body }) =>
    // None of the formats can hold a lone surrogate.
    ok(response, render(Buffer.from(String(body.fields.instance_id)).toString())),
});

export const instanceOperations = [generateInstance];
