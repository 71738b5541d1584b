import { isJsonObject, type JsonObject, RequestBody } from "../../http/request-body.ts";

/** The bytes of padded base64, and nothing but that; undefined when the text is anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, "base64")
    : undefined;
}

/** The bytes of unpadded base64url; undefined when the text is anything else. */
export function decodeBase64Url(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64url") : undefined;
}

export const encodeBase64Url = (text: string): string => Buffer.from(text).toString("base64url");

/** The JSON object that a JWT's part holds; undefined when it holds none. */
export function jsonObjectPart(part: string): JsonObject | undefined {
  const bytes = decodeBase64Url(part);
  if (bytes === undefined) return undefined;
  const { json } = new RequestBody(bytes);
  return json.error === undefined && isJsonObject(json.value) ? json.value : undefined;
}
