import type { WireRequest, WireResponse } from "../http/wire-message.ts";
import { openApiDocument } from "../openapi/document.ts";
import { PROFILE_NAMES, type ProfileName } from "../profiles.ts";
import { bodyReply } from "../responses/plain.ts";
import { INTERNAL_PREFIX } from "../store/internal-protocol.ts";

const OPENAPI_PATH = `${INTERNAL_PREFIX}openapi.json`;

/**
 * `GET /internal/openapi.json?profile=…`: the OpenAPI document of the four APIs. Undefined: another route is asked for.
 *
 * @param own - the profile when the request names none.
 */
export function answerOpenApi(
  { method, path, query }: WireRequest,
  own: ProfileName,
): WireResponse | undefined {
  if (method !== "GET" || path !== OPENAPI_PATH) return undefined;
  const wanted = new URLSearchParams(query).get("profile") ?? own;
  const profile = PROFILE_NAMES.find((name) => name === wanted);
  if (profile === undefined) {
    const accepted = PROFILE_NAMES.join(" or ");
    return bodyReply(400, "text/plain", `profile is ${JSON.stringify(wanted)}; accepted is ${accepted}`);
  }
  return bodyReply(200, "application/json", JSON.stringify(openApiDocument({ profile })));
}
