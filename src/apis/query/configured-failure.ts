import type { Answer } from "../../http/endpoint.ts";
import type { ConfiguredResponse } from "../../services.ts";

/** The failure that a test configured, to the byte: no header of its own, no encoding. */
export function configuredFailure({ status, headers = {}, body = "" }: ConfiguredResponse): Answer {
  return {
    reply: { status, headers: Object.entries(headers), body: Buffer.from(body) },
    refusedBy: "cloudQueryFailure",
    reason: `every query fails with ${status}, as the option cloudQueryFailure says`,
  };
}
