import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import type { ClientRequest } from "./clients.ts";

export interface SignedParts {
  readonly method: string;
  /** Base URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** Path without the base URL's prefix. */
  readonly path: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The service's current time. */
  readonly now: Date;
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly date?: string | undefined;
  /** Headers that replace those of the signed request, or remove them when null. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Signs a request as a correct client does, with any mistakes that a test adds. */
export function signedRequest({
  method,
  baseUrl,
  path,
  now,
  headers = {},
  ...parts
}: SignedParts): ClientRequest {
  const body = toBytes(parts.body);
  const contentType = parts.contentType ?? (body === undefined ? undefined : "application/json");
  const date = parts.date ?? rfc1123Date(now);
  const { accessKey, secretKey } = parts;
  const authorization = authorizationHeader({
    accessKey,
    secretKey,
    method,
    path: path.split("?", 1)[0] ?? path,
    body,
    contentType,
    date,
  });
  const all: Record<string, string | null | undefined> = {
    Authorization: authorization,
    Date: date,
    "Content-Type": contentType,
    ...headers,
  };
  const sent = Object.entries(all).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return { method, url: baseUrl + path, headers: Object.fromEntries(sent), body };
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
