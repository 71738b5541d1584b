import type { Answer } from "../../http/endpoint.ts";
import { configuredReply } from "../../responses/configured.ts";
import type { ConfiguredResponse } from "../../services.ts";

/** The failure that a test configured, to the byte: no header of its own, no encoding. */
export function configuredFailure(failure: ConfiguredResponse): Answer {
  return {
    reply: configuredReply(failure),
    refusedBy: "cloudQueryFailure",
    reason: `every query fails with ${failure.status}, as the option cloudQueryFailure says`,
  };
}
