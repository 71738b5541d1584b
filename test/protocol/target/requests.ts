import type { DatabaseKeys, ServiceUnderTest } from "../../support/backends.ts";
import { type Client, type ClientRequest, type ClientResponse, nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";
import { signedRequest } from "../../support/signed-request.ts";

/** Small noise: an accepted image that ends `success`. */
export const acceptedImage = makePng();
/** One colour: an accepted image that ends `failed`. */
export const flatImage = makePng({ fill: 200 });

export const newTarget = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "target",
  width: 1,
  image: acceptedImage.toString("base64"),
  ...fields,
});

export interface TargetRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly date?: string | undefined;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly client?: Client;
}

/** A signed request to the target API, answered. */
export function send(
  service: Pick<ServiceUnderTest, "urls" | "clock">,
  { serverAccessKey, serverSecretKey }: { serverAccessKey: string; serverSecretKey: string },
  { client = nodeClient, ...request }: TargetRequest,
): Promise<ClientResponse> {
  return client(signed(service, { serverAccessKey, serverSecretKey }, request));
}

export function signed(
  service: Pick<ServiceUnderTest, "urls" | "clock">,
  {
    serverAccessKey: accessKey,
    serverSecretKey: secretKey,
  }: { serverAccessKey: string; serverSecretKey: string },
  request: Omit<TargetRequest, "client">,
): ClientRequest {
  const now = service.clock.now();
  return signedRequest({ ...request, baseUrl: service.urls.target, accessKey, secretKey, now });
}

export const json = (response: ClientResponse): Record<string, unknown> =>
  JSON.parse(response.body.toString());

/** Adds a target and returns its id. */
export async function add(
  service: ServiceUnderTest,
  database: DatabaseKeys,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const response = await send(service, database, {
    method: "POST",
    path: "/targets",
    body: newTarget(fields),
  });
  if (response.status !== 201) throw new Error(`not added: ${response.status} ${response.body.toString()}`);
  return String(json(response).target_id);
}

export const PROCESSING_SECONDS = 2;

/** Adds a target that is past its processing time. */
export async function addProcessed(
  service: ServiceUnderTest,
  database: DatabaseKeys,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const id = await add(service, database, fields);
  service.clock.advance(PROCESSING_SECONDS);
  return id;
}
