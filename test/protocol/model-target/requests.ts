import { expect } from "vitest";
import type { Api, Received, Sent } from "./api.ts";

export const EVERY_SCOPE = [
  "modeltargets.advancedmodeltarget.all",
  "modeltargets.advancedstatebasedmodeltarget.all",
  "modeltargets.all",
  "modeltargets.standardmodeltarget.all",
  "modeltargets.statebasedmodeltarget.all",
  "oauth2.clientcredentials.all",
].join(" ");

export const STANDARD = "/modeltargets/datasets";
export const ADVANCED = "/modeltargets/advancedDatasets";
export const CREDENTIALS = "/oauth2/clientcredentials";

export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token made by the test: the API verifies only the form. */
export const tokenFor = (scope: string): string => `${part({ alg: "RS256" })}.${part({ scope })}.c2ln`;

export const bearer = (token: string = tokenFor(EVERY_SCOPE)): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
});

export const basic = (id: string, secret: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

export const form = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

/** A token request of the configured client, with changes. */
export const tokenRequest = (changes: Partial<Sent> = {}): Sent => ({
  method: "POST",
  path: "/oauth2/token",
  headers: basic("client-id", "client-secret"),
  ...changes,
});

/** A model that both families and both profiles accept. */
export const model = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: "engine",
  cadDataUrl: "https://cad.example/engine.glb",
  views: [],
  ...changes,
});

/** A creation body with these models. */
export const dataset = (...models: unknown[]): Record<string, unknown> => ({
  name: "machine room",
  targetSdk: "10.9",
  models: models.length === 0 ? [model()] : models,
});

/** A request that creates a dataset, with changes. */
export const creation = (body: unknown, changes: Partial<Sent> = {}): Sent => ({
  method: "POST",
  path: STANDARD,
  headers: { ...bearer(), "Content-Type": "application/json" },
  body,
  ...changes,
});

export const jsonOf = ({ body }: Received): unknown => JSON.parse(body.toString());

/** A text field of a JSON response. */
export function textIn(received: Received, key: string): string {
  const value = new Map(Object.entries(Object(jsonOf(received)))).get(key);
  if (typeof value !== "string") throw new Error(`no ${key} in ${received.body}`);
  return value;
}

export async function createdUuid(api: Api, request: Sent = creation(dataset())): Promise<string> {
  const created = await api.send(request);
  expect(created.status, created.body.toString()).toBe(201);
  return textIn(created, "uuid");
}

/** Checks status and body, and that a JSON response has its two headers and nothing else. */
export function expectJson(received: Received, status: number, content: unknown): void {
  expect({ status: received.status, body: received.body.toString() }).toEqual({
    status,
    body: inAscii(JSON.stringify(content)),
  });
  expect(received.headers).toEqual([
    ["Content-Type", "application/json"],
    ["Content-Length", String(received.body.length)],
  ]);
}

const inAscii = (json: string): string =>
  json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

export function expectEmpty(received: Received, status: number): void {
  expect(received).toEqual({ status, headers: [["Content-Length", "0"]], body: Buffer.alloc(0) });
}

/** Checks a validation error, and returns its details' messages. */
export function validationMessages(received: Received): string[] {
  const content = jsonOf(received);
  expect(content).toEqual({
    error: {
      code: "BAD_REQUEST",
      message: expect.stringMatching(/^Validation error for request [0-9a-f]{32}$/),
      target: expect.stringMatching(/^[0-9a-f]{32}$/),
      details: expect.any(Array),
    },
  });
  expect(received.status).toBe(400);
  const [, uuid, target] = /for request (\w+)","target":"(\w+)","details":\[/.exec(`${received.body}`) ?? [];
  expect(uuid).toBe(target);
  const messages = [
    ...received.body.toString().matchAll(/\{"code":"VALIDATION_ERROR","message":("(?:[^"\\]|\\.)*")\}/g),
  ];
  return messages.map(([, message]) => String(JSON.parse(message ?? "")));
}

export const get = (api: Api, path: string): Promise<Received> =>
  api.send({ method: "GET", path, headers: bearer() });

/** The response to the download of a dataset that is not done. */
export const unsupported = (uuid: string, status: string) => ({
  error: {
    code: "UNSUPPORTED_STATE",
    message: `Training status for dataset ${uuid} is ${status} != done`,
    target: uuid,
  },
});

/** The moment some seconds from now, as the API writes it. */
export const timeIn = (api: Api, seconds: number): string =>
  new Date(api.now().getTime() + seconds * 1000).toISOString();
