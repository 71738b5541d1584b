import type { ProfileName } from "mock-cloud-reco";
import { type Send, wireClient } from "../../src/verify/client.ts";
import type { Verified } from "../../src/verify/plan.ts";
import { Run } from "../../src/verify/run.ts";
import type { ServiceUnderTest } from "./backends.ts";
import { fetchClient } from "./clients.ts";

export const PROCESSING_SECONDS = 2;

const overTheWire = wireClient(30);

/** In process no bytes are sent, so a wrong `Content-Length` is given to the only client that passes it on. */
const inProcess: Send = async (baseUrl, request) => {
  const { method, path, headers, body, contentLength } = request;
  const url = baseUrl + path;
  if (contentLength === undefined) return overTheWire(baseUrl, request);
  const sent = { ...headers, "Content-Length": contentLength };
  const response = await fetchClient({ method, url, headers: sent, body });
  // fetch shows neither the case of names nor the encoding.
  const named = Object.entries(response.headers).filter(([name]) => name !== "content-length");
  const length = ["Content-Length", String(response.body.length)] as const;
  return { status: response.status, headers: [...named.map(originalCase), length], body: response.body };
};

const CASES = ["Connection", "Content-Encoding", "Content-Type", "Date", "Server", "WWW-Authenticate"];
/** Envoy writes its own name in lower case. */
const originalCase = ([name, value]: [string, string]): [string, string] => [
  value === "envoy" ? name : (CASES.find((one) => one.toLowerCase() === name) ?? name),
  value,
];

/** Tries facts at a service, with its clock instead of waiting. */
export async function factRun(
  service: ServiceUnderTest,
  { profile, overSockets, ...changes }: { profile: ProfileName; overSockets: boolean } & Partial<Verified>,
): Promise<Run> {
  const { clock, urls } = service;
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
    send: overSockets ? overTheWire : inProcess,
    clock: { now: () => clock.now(), sleep: async (seconds) => clock.advance(seconds) },
    waitSeconds: 60,
    prefix: "verify-test-",
    isStopped: () => false,
    ...changes,
  });
}
