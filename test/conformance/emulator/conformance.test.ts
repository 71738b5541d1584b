import { ManualClock, MockCloudReco, type ProfileName } from "mock-cloud-reco";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Backend, type BackendOptions, describeBackends } from "../../support/backends.ts";
import { ALL } from "../../support/combinations.ts";
import { describeOnRedis } from "../../support/redis-backend.ts";
import { factRun, overTheWire, PROCESSING_SECONDS } from "../engine/emulator-run.ts";
import type { Fact } from "../engine/fact.ts";
import type { Run } from "../engine/run.ts";
import type { SendRequest } from "../engine/wire-client.ts";
import { FACTS } from "../facts.ts";
import { holds, titleOf } from "../holds.ts";
import { byMockFetch, inProcess } from "./transports.ts";

/*
 * Every row through sockets, through `mock.fetch` and to servers, on every backing, under both profiles. verify/verify.test.ts
 * tries the row about TLS.
 */

interface Emulator extends AsyncDisposable, Pick<MockCloudReco, "urls"> {
  readonly clock: ManualClock;
  addCloudDatabase: Parameters<typeof factRun>[0]["addCloudDatabase"];
  /** The journal's last entry. */
  latest(): Promise<{ readonly refusedBy?: string | undefined; readonly reason?: string | undefined }>;
  readonly send: SendRequest;
}
type Open = (profile: ProfileName) => Promise<Emulator>;

/** A hundred targets are removed, on a machine that does other things too. */
const HOOK_TIMEOUT = 120_000;

interface Some {
  readonly profiles?: readonly ProfileName[];
  readonly byFetch?: boolean;
}

const PROFILES: readonly ProfileName[] = ["neutral", "vuforia"];
/** What the profiles differ in has nothing to do with the transport: by default, both are tried in process only. */
const orBoth = (one: ProfileName): Some => ({ profiles: ALL ? PROFILES : [one] });

function tryRows(open: Open, { profiles = PROFILES, byFetch = false }: Some = {}): void {
  describe.each(profiles)("%s", (profile) => {
    let emulator: Emulator;
    let run: Run;
    beforeAll(async () => {
      emulator = await open(profile);
      run = await factRun(emulator, { profile, send: emulator.send });
    }, HOOK_TIMEOUT);
    afterAll(async () => {
      const left = await run.close();
      await emulator[Symbol.asyncDispose]();
      expect(left).toEqual([]);
    }, HOOK_TIMEOUT);
    const facts = FACTS.filter((fact) => fact.overTls !== true && !(byFetch && fact.byFetch === false));
    for (const fact of facts)
      test(titleOf(fact), async (context) => {
        await holds(fact, run, context);
        await expectCheck(fact, emulator);
      });
  });
}

/** The check that a row names is the one that the journal names. */
async function expectCheck({ check, isCut }: Fact, emulator: Emulator): Promise<void> {
  if (check === undefined || isCut === true) return;
  const { refusedBy, reason } = await emulator.latest();
  expect(refusedBy).toBe(check);
  expect(reason).toMatch(/\w{3}/);
}

const opened =
  (backend: Backend, options: BackendOptions = {}): Open =>
  async (profile) => {
    const processingTimeSeconds = PROCESSING_SECONDS;
    const service = await backend.open({ profile, processingTimeSeconds, ...options });
    return { ...service, send: backend.overSockets ? overTheWire : inProcess(service.fetch) };
  };

/** The mock keeps every change, as it does for a lag, but has no lag; one request in a billion gets an error. */
const REALISM = { realism: { gatewayErrorRate: 1e-9 } };

const backed = (backend: Backend): void => {
  tryRows(opened(backend), backend.overSockets ? orBoth("neutral") : {});
  if (!ALL) return;
  describe("with realism and every lag 0", () =>
    tryRows(opened(backend, REALISM), { profiles: ["neutral"] }));
};

describeBackends("every row holds", backed);

const mocked =
  (intercept: "sockets" | false, sendOf: (mock: MockCloudReco) => SendRequest): Open =>
  async (profile) => {
    const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
    const mock = new MockCloudReco({ profile, clock, processingTimeSeconds: PROCESSING_SECONDS, intercept });
    return {
      urls: mock.urls,
      clock,
      addCloudDatabase: () => mock.addCloudDatabase(),
      latest: async () => mock.requests.at(-1) ?? {},
      send: sendOf(mock),
      [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
    };
  };

if (process.env.TEST_BACKEND !== "redis") {
  describe("every row holds (sockets)", () =>
    tryRows(
      mocked("sockets", () => overTheWire),
      orBoth("vuforia"),
    ));
  describe("every row holds (mock.fetch)", () =>
    tryRows(mocked(false, byMockFetch), { ...orBoth("vuforia"), byFetch: true }));
  describeOnRedis("every row holds", backed);
}
