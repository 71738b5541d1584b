import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { isJsonObject, type JsonObject } from "../../src/http/request-body.ts";
import type { Answered, DirectEmulator } from "./direct-emulator.ts";

export interface Keys {
  readonly server_access_key: string;
  readonly server_secret_key: string;
}

/** Sends a correctly signed JSON request to the target API. */
export function sendSigned(
  emulator: DirectEmulator,
  { server_access_key, server_secret_key }: Keys,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const bytes = body === undefined ? "" : JSON.stringify(body);
  const date = rfc1123Date(new Date(emulator.now));
  const contentType = "application/json";
  const authorization = authorizationHeader({
    accessKey: server_access_key,
    secretKey: server_secret_key,
    method,
    path,
    body: bytes,
    contentType,
    date,
  });
  const all = { Authorization: authorization, Date: date, "Content-Type": contentType, ...headers };
  return emulator.send("target", { method, path, headers: all, body: bytes });
}

/** A JSON object of a response, or a failed test. */
export function jsonObject({ status, json }: Answered): JsonObject {
  if (!isJsonObject(json)) throw new Error(`the ${status} response is no JSON object`);
  return json;
}
