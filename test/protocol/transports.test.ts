import { ManualClock, MockCloudReco, type ProfileName } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { type Send, wireClient } from "../../src/verify/client.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { FACTS_TIMEOUT, factRun, originalCase, PROCESSING_SECONDS, shown } from "../support/fact-run.ts";

/*
 * The facts by the ways in that are no backend of the other tests: what arrives and what is sent must not depend on the way.
 * test/verify/recording.test.ts tries them on servers of one process.
 */

interface Way {
  readonly emulator: AsyncDisposable & Pick<MockCloudReco, "urls" | "addCloudDatabase">;
  readonly send: Send;
}
interface Options {
  readonly profile: ProfileName;
  readonly clock: ManualClock;
  readonly processingTimeSeconds: number;
}

const onTheWire = wireClient(30);

/** Fetch decodes bodies and shows names in lower case. */
const byMockFetch =
  (mock: MockCloudReco): Send =>
  async (baseUrl, { method, path, headers, body, contentLength }) => {
    const sent = { ...headers, ...(contentLength !== undefined && { "Content-Length": contentLength }) };
    const response = await mock.fetch(baseUrl + path, { method, headers: sent, ...(body && { body }) });
    const received = Buffer.from(await response.arrayBuffer());
    const named = [...response.headers].filter(([name]) => name !== "content-length").map(originalCase);
    const length = ["Content-Length", String(received.length)] as const;
    return { status: response.status, headers: [...named, length], body: received };
  };
/** Fetch sends no body with `GET`, always accepts gzip, and does not show 100. */
const NOT_BY_FETCH = [
  ...["target-12-a-body", "target-order-11-12", "target-order-12-13", "target-unserved-encoding-none"],
  ...["target-expect-continue", "target-expect-continue-add", "query-expect-continue"],
  ...["query-gzip-not-accepted", "query-gzip-not-mentioned"],
];

const ways: readonly {
  readonly name: string;
  readonly leavesOut?: readonly string[];
  open(options: Options): Promise<Way>;
}[] = [
  {
    name: "sockets",
    open: async (options) => {
      const mock = new MockCloudReco({ ...options, intercept: "sockets" });
      return { emulator: mock, send: onTheWire };
    },
  },
  {
    name: "mock.fetch",
    leavesOut: NOT_BY_FETCH,
    open: async (options) => {
      const mock = new MockCloudReco(options);
      return { emulator: mock, send: byMockFetch(mock) };
    },
  },
];

test.each(ways.flatMap((way) => PROFILE_NAMES.map((profile) => ({ ...way, profile }))))(
  "every fact holds ($name, $profile)",
  async ({ open, leavesOut = [], profile }) => {
    const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
    const { emulator, send } = await open({ profile, clock, processingTimeSeconds: PROCESSING_SECONDS });
    await using _ = emulator;
    const service = { urls: emulator.urls, clock, addCloudDatabase: () => emulator.addCloudDatabase() };
    const run = await factRun(service, { profile, overSockets: true, send });
    const found = [];
    for (const fact of FACTS.filter(({ id, overTls }) => overTls !== true && !leavesOut.includes(id))) {
      const outcome = await run.try(fact);
      if (outcome.result !== "holds") found.push({ id: fact.id, ...shown(outcome) });
    }
    expect(found).toEqual([]);
    expect(await run.close()).toEqual([]);
  },
  FACTS_TIMEOUT,
);
