import { encodeBase64Url } from "./strict-text.ts";

const HEADER = encodeBase64Url(JSON.stringify({ alg: "mock", typ: "JWT" }));
const SIGNATURE = encodeBase64Url("not verified");

/**
 * A token that the bearer check accepts: a JWT, the same for the same request.
 *
 * @param source - the client id or user name that asked for it.
 */
export function accessToken(source: string, scopes: readonly string[]): string {
  const scope = [...new Set(scopes)].sort().join(" ");
  const payload = JSON.stringify({ aud: "modeltargets", src: source, scope });
  return `${HEADER}.${encodeBase64Url(payload)}.${SIGNATURE}`;
}
