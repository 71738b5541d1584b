import { gunzipSync } from "node:zlib";
import type { ServiceUnderTest } from "../../support/backends.ts";
import { type Client, type ClientResponse, nodeClient } from "../../support/clients.ts";
import { goodPlan, imagePart, type Plan, queryOf } from "../../support/query-plan.ts";

/** 2026-11-21 10:42:00 GMT, a Saturday: the moment of the protocol's examples. */
export const START = new Date(Date.UTC(2026, 10, 21, 10, 42));

/** Sends a query as planned. */
export function sendPlan(
  { urls }: Pick<ServiceUnderTest, "urls">,
  keys: Parameters<typeof queryOf>[1],
  plan: Plan,
  client: Client = nodeClient,
): Promise<ClientResponse> {
  const { headers, contentLength, ...query } = queryOf(plan, keys);
  const length = contentLength === undefined ? {} : { "Content-Length": contentLength };
  return client({ ...query, url: `${urls.query}/v1/query`, headers: { ...headers, ...length } });
}

export interface QueryResult {
  readonly target_id: string;
  readonly target_data?: Readonly<Record<string, unknown>>;
}

/** Sends a valid query and returns its results. */
export async function results(
  service: Pick<ServiceUnderTest, "urls" | "clock">,
  keys: Parameters<typeof queryOf>[1],
  image: Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<readonly QueryResult[]> {
  const plan = goodPlan(service.clock.now());
  const options = Object.entries(fields).map(([name, content]) => ({ name, content }));
  plan.parts = [imagePart(image), ...options];
  const response = await sendPlan(service, keys, plan);
  const text = decoded(response);
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text).results;
}

/** The body as text; node:http does not decode gzip, the other clients do. */
export function decoded({ body, headers }: ClientResponse): string {
  const gzipped = headers["content-encoding"] === "gzip" && body.subarray(0, 2).toString("hex") === "1f8b";
  return (gzipped ? gunzipSync(body) : body).toString();
}
