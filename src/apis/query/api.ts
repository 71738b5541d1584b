import type { Api } from "../../emulator/api.ts";
import type { FaultRule } from "../../emulator/faults.ts";
import { ok } from "../../emulator/response.ts";
import type { Services, Settings } from "../services.ts";
import { headerLinesFit } from "../signed/framing.ts";
import { ownerOfClientKey } from "../signed/key-owner.ts";
import { headerTooLargePage } from "../signed/pages.ts";
import { query } from "./operations.ts";
import {
  addedHeaders,
  anyFailure,
  encodeResponse,
  lengthNotAnInteger,
  notFound,
  serverText,
} from "./responses.ts";

/** `cloudQueryFailure`: every query gets the configured response. */
function presetFaults({ cloudQueryFailure }: Settings): readonly FaultRule[] {
  if (cloudQueryFailure === undefined) return [];
  return [
    {
      origin: "cloudQueryFailure",
      effect: `every query fails with ${cloudQueryFailure.status}, as the option cloudQueryFailure says`,
      matches: ({ operation }) => operation === "query",
      response: cloudQueryFailure,
    },
  ];
}

/** The query API; see README.md. */
export const queryApi: Api<Services> = {
  name: "query",
  title: "query API",
  urlOption: "queryUrl",
  operations: [query],
  unservedChecks: [headerLinesFit],
  unserved: () => ok(notFound),
  failure: (code, status) => ok(anyFailure(code, status)),
  serverText,
  malformed: {
    contentLength: lengthNotAnInteger,
    headersTooLarge: headerTooLargePage,
    malformed: lengthNotAnInteger,
    bodyTooLarge: serverText(413),
    overloaded: serverText(503),
  },
  presetFaults,
  finish: (response, context, { settings }) =>
    encodeResponse(response, context, settings.queryContentEncoding),
  addedHeaders,
  holdsSecrets: false,
  isDelayed: true,
  owner: ownerOfClientKey,
};
