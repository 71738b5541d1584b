import { createHmac, hash } from "node:crypto";
import { systemClock } from "./clock.ts";

/** The signed parts of a request. */
export interface SignedParts {
  /** HTTP method; signed in upper case. */
  readonly method: string;
  /** Request path as sent, without the query string and without the base URL's own prefix. */
  readonly path: string;
  /** Request body as bytes, or as text that is sent as UTF-8. Absent: no body. */
  readonly body?: Uint8Array | string | undefined;
  /** `Content-Type` header; only the part up to the first `;` is signed. Absent: empty. */
  readonly contentType?: string | undefined;
  /** Exact value of the `Date` header, for example from {@link rfc1123Date}. Absent: empty. */
  readonly date?: string | undefined;
}

/** A pair of keys of a database: server keys sign target API requests, client keys sign queries. */
export interface SigningKeys {
  /** Sent as it is. */
  readonly accessKey: string;
  /** Never sent. */
  readonly secretKey: string;
}

/** Precomputed, because most requests have no body. */
const DIGEST_OF_NO_BODY = hash("md5", "");

/** The lower-case hexadecimal MD5 of a body. */
export const bodyDigest = (body: Uint8Array | string): string =>
  body.length === 0 ? DIGEST_OF_NO_BODY : hash("md5", body);

/**
 * The five signed lines, joined with a line feed.
 *
 * @param digest - that of the body, if it is known.
 */
export function stringToSign(
  { method, path, body = "", contentType = "", date = "" }: SignedParts,
  digest = bodyDigest(body),
): string {
  const mainType = contentType.split(";", 1)[0];
  return [method.toUpperCase(), digest, mainType, date, path].join("\n");
}

/**
 * The `Authorization` header of a signed request: server keys sign target API requests,
 * client keys sign queries. A `contentType` that differs from the one sent makes the service refuse the request.
 *
 * @example
 * const date = rfc1123Date();
 * const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/targets", date });
 */
export function authorizationHeader({ accessKey, secretKey, ...parts }: SigningKeys & SignedParts): string {
  return headerOf({ accessKey, secretKey }, stringToSign(parts));
}

/** The `Authorization` header for a string to sign: with the base64 of its HMAC-SHA1, keyed with the UTF-8 secret key. */
export const headerOf = ({ accessKey, secretKey }: SigningKeys, text: string): string =>
  `VWS ${accessKey}:${createHmac("sha1", secretKey).update(text).digest("base64")}`;

/**
 * Formats a moment for the `Date` header: `Sat, 21 Nov 2026 10:42:00 GMT`.
 *
 * @param moment - any `Date`; absent means now.
 * @throws RangeError when `moment` is an invalid date.
 * @example rfc1123Date(new Date("2026-11-21T10:42:00Z")) // "Sat, 21 Nov 2026 10:42:00 GMT"
 */
export function rfc1123Date(moment: Date = systemClock.now()): string {
  if (Number.isNaN(moment.getTime())) throw new RangeError("expected a valid date; got an invalid one");
  return moment.toUTCString();
}

/** The access key that an `Authorization` header names: between the space and the colon. */
export function namedAccessKey(authorization: string | undefined): string | undefined {
  return /^[^ :]+ ([^ :]+):/.exec(authorization ?? "")?.[1];
}
