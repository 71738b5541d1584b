import type { MockCloudReco, ProfileName } from "mock-cloud-reco";
import type { DatabaseKeys, ServiceUnderTest } from "../../support/backends.ts";
import { fetchBy } from "../../support/clients.ts";
import { Run } from "./run.ts";
import type { Verified } from "./verified.ts";
import { type SendRequest, wireClient } from "./wire-client.ts";

export const PROCESSING_SECONDS = 2;

export const overTheWire = wireClient(30);

/** In process no bytes are sent, so a wrong `Content-Length` is given to the only function that passes it on. */
export const inProcess =
  (mocked: ServiceUnderTest["fetch"] = fetch): SendRequest =>
  async (baseUrl, request) => {
    const { method, path, headers, body, contentLength } = request;
    const url = baseUrl + path;
    if (contentLength === undefined) return overTheWire(baseUrl, request);
    const sent = { ...headers, "Content-Length": contentLength };
    const response = await fetchBy(mocked)({ method, url, headers: sent, body });
    // fetch shows neither the case of names nor the encoding.
    const named = Object.entries(response.headers).filter(([name]) => name !== "content-length");
    const length = ["Content-Length", String(response.body.length)] as const;
    return { status: response.status, headers: [...named.map(originalCase), length], body: response.body };
  };

/** Fetch decodes bodies and shows names in lower case. */
export const byMockFetch =
  (mock: Pick<MockCloudReco, "fetch">): SendRequest =>
  async (baseUrl, { method, path, headers, body, contentLength }) => {
    const sent = { ...headers, ...(contentLength !== undefined && { "Content-Length": contentLength }) };
    const response = await mock.fetch(baseUrl + path, { method, headers: sent, ...(body && { body }) });
    const received = Buffer.from(await response.arrayBuffer());
    const named = [...response.headers].filter(([name]) => name !== "content-length").map(originalCase);
    const length = ["Content-Length", String(received.length)] as const;
    return { status: response.status, headers: [...named, length], body: received };
  };

const CASES = [
  ...["Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Type", "Date"],
  ...["Server", "WWW-Authenticate"],
];
/** Envoy writes its own name in lower case. */
const originalCase = ([name, value]: [string, string]): [string, string] => [
  value === "envoy" ? name : (CASES.find((one) => one.toLowerCase() === name) ?? name),
  value,
];

const NEVER = new AbortController().signal;

/** Tries facts at an emulator, with its clock instead of waiting. */
export async function factRun(
  {
    clock,
    urls,
    ...service
  }: Pick<ServiceUnderTest, "urls" | "clock"> & {
    addCloudDatabase(): DatabaseKeys | Promise<DatabaseKeys>;
  },
  { profile, ...changes }: { readonly profile: ProfileName } & Partial<Verified>,
): Promise<Run> {
  return new Run({
    urls,
    keys: {
      ...(await service.addCloudDatabase()),
      modelTargetClientId: "client-id",
      modelTargetClientSecret: "client-secret",
      modelTargetUsername: "user@example.com",
      modelTargetPassword: "password",
    },
    profile,
    write: true,
    send: overTheWire,
    clock: { now: () => clock.now(), sleep: async (seconds) => clock.advance(seconds) },
    waitSeconds: 60,
    prefix: "verify-test-",
    stopped: NEVER,
    closed: NEVER,
    ...changes,
  });
}
