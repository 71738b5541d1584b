import type { ProfileName } from "mock-cloud-reco";
import { expect } from "vitest";
import { type Send, wireClient } from "../../src/verify/client.ts";
import type { Verified } from "../../src/verify/exchanges.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { type Outcome, Run } from "../../src/verify/run.ts";
import type { Backend, BackendOptions, DatabaseKeys, ServiceUnderTest } from "./backends.ts";
import { fetchBy } from "./clients.ts";

export const PROCESSING_SECONDS = 2;

const overTheWire = wireClient(30);

/** In process no bytes are sent, so a wrong `Content-Length` is given to the only function that passes it on. */
const inProcess =
  (mocked: ServiceUnderTest["fetch"] = fetch): Send =>
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

const CASES = [
  ...["Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Type", "Date"],
  ...["Server", "WWW-Authenticate"],
];
/** Envoy writes its own name in lower case. */
export const originalCase = ([name, value]: [string, string]): [string, string] => [
  value === "envoy" ? name : (CASES.find((one) => one.toLowerCase() === name) ?? name),
  value,
];

const NEVER = new AbortController().signal;

/** Tries facts at a service, with its clock instead of waiting. */
export async function factRun(
  service: Pick<ServiceUnderTest, "urls" | "clock" | "fetch"> & {
    addCloudDatabase(): DatabaseKeys | Promise<DatabaseKeys>;
  },
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
    send: overSockets ? overTheWire : inProcess(service.fetch),
    clock: { now: () => clock.now(), sleep: async (seconds) => clock.advance(seconds) },
    waitSeconds: 60,
    prefix: "verify-test-",
    stopped: NEVER,
    closed: NEVER,
    ...changes,
  });
}

/** Hundreds of requests, on a machine that does other things too. */
export const FACTS_TIMEOUT = 240_000;

/** What a failed test shows of an outcome. */
export const shown = (outcome: Outcome) => ({
  result: outcome.result,
  ...(outcome.result === "differs" && { differences: outcome.differences }),
  ...(outcome.result === "notTried" && { why: outcome.why }),
});

/** Tries every fact: it holds, and the check that it names refuses the request. */
export async function expectEveryFact(
  backend: Backend,
  profile: ProfileName,
  options: BackendOptions = {},
): Promise<void> {
  const processingTimeSeconds = PROCESSING_SECONDS;
  await using service = await backend.open({ profile, processingTimeSeconds, ...options });
  const run = await factRun(service, { profile, overSockets: backend.overSockets });
  const found = [];
  // Those about TLS have a test of their own.
  for (const fact of FACTS.filter(({ overTls }) => overTls !== true)) {
    const outcome = await run.try(fact);
    const { refusedBy, reason } = await service.latest();
    if (outcome.result !== "holds") found.push({ id: fact.id, ...shown(outcome) });
    // A malformed Content-Length on a socket does not get as far as the checks.
    if (fact.check === undefined || fact.check.startsWith("contentLength")) continue;
    if (refusedBy !== fact.check) found.push({ id: fact.id, expected: fact.check, refusedBy });
    expect(reason, fact.id).toMatch(/\w{3}/);
  }
  expect(found).toEqual([]);
  expect(await run.close()).toEqual([]);
}
