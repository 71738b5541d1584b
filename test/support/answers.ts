import type { ServerKeys, ServiceUnderTest } from "./backends.ts";
import { type Client, type ClientResponse, nodeClient } from "./clients.ts";
import { signedRequest } from "./signed-request.ts";
import { isJsonObject } from "./values.ts";

/** A response with the views that tests need. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As sent, in order. */
  readonly headerNames: readonly string[];
  readonly body: Buffer;
  readonly text: string;
  readonly json: unknown;
  /** The body as a JSON object; fails the test if it is not one. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const answer = ({ status, headers, rawHeaders = [], body }: ClientResponse): Answer => ({
  status,
  headers,
  headerNames: rawHeaders.map(([name]) => name),
  body,
  text: body.toString("utf8"),
  get json() {
    return JSON.parse(this.text);
  },
  get fields() {
    if (!isJsonObject(this.json)) throw new Error(`the ${status} response is no JSON object: ${this.text}`);
    return this.json;
  },
});

/** Sends a request to the target manager: text and bytes unchanged, other values as JSON. */
export async function manage(
  service: ServiceUnderTest,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const url = service.urls.manager + path;
  return answer(await nodeClient({ method, url, headers: {}, body: toBytes(body) }));
}

export interface SignedJson {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Sends a correctly signed request to the target API. */
export async function sendSigned(
  service: ServiceUnderTest,
  keys: Pick<ServerKeys, "serverAccessKey" | "serverSecretKey">,
  request: SignedJson,
): Promise<Answer> {
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
  const signing = { accessKey, secretKey, baseUrl: service.urls.target, now: service.clock.now() };
  return answer(await nodeClient(signedRequest({ ...request, ...signing })));
}

/** Sends an unsigned `GET` request. */
export async function get(
  url: string | URL,
  headers: Readonly<Record<string, string>> = {},
  client: Client = nodeClient,
): Promise<Answer> {
  return answer(await client({ method: "GET", url: String(url), headers }));
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
