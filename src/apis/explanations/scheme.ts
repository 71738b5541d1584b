import { header, type WireRequest } from "../../emulator/message.ts";
import { missingHeadersAdvice } from "./date.ts";

/** Why an `Authorization` header was refused as malformed. */
export function malformedAuthorizationReason(request: WireRequest, wanted: string): string {
  const given = header(request, "authorization") ?? "";
  const [, scheme = ""] = /^(\S*)/.exec(given) ?? [];
  return `the Authorization header is malformed${detail(given, scheme)}; expected ${wanted}`;
}

function detail(given: string, scheme: string): string {
  if (/^bearer$/i.test(scheme)) {
    return ": Bearer tokens belong to the Model Target API; requests to this API are signed with the database's keys";
  }
  if (/^basic$/i.test(scheme))
    return ": HTTP Basic belongs to POST /oauth2/token; requests to this API are signed";
  if (/^vws$/i.test(scheme) && /^\S+ +$/.test(`${given} `)) return ": nothing follows VWS";
  if (/undefined|null/.test(given)) return ": it contains a value that was not set";
  if (!given.includes(":")) return ": there is no colon between access key and signature";
  if (!given.includes(" ")) return ": there is no space after VWS";
  if (/^\S+ [^:]+:$/.test(given)) return ": the signature is empty";
  if (/^\S+ +:/.test(given)) return ": the access key is empty";
  return given.split(":").length > 2 ? ": it has more than one colon" : ": it has more than one space";
}

/** Why a request without an `Authorization` header was refused. */
export const missingAuthorizationReason = (request: WireRequest, wanted: string): string =>
  `the request has no Authorization header; expected ${wanted}${missingHeadersAdvice(request)}`;
