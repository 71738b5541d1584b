import { ManualClock } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { add, json, send } from "../../protocol/target/requests.ts";
import { type DatabaseKeys, type ServiceUnderTest, serversBackend } from "../../support/backends.ts";
import { FACTS } from "../facts.ts";
import { factRun } from "./emulator-run.ts";
import { Pace } from "./pace.ts";
import { type Meddle, startProxy } from "./proxy.ts";
import type { Outcome, Run } from "./run.ts";
import { wireClient } from "./wire-client.ts";

const facts = (pattern: RegExp) => FACTS.filter(({ id }) => pattern.test(id));

async function tryAll(run: Run, pattern: RegExp): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const fact of facts(pattern)) outcomes.push(await run.try(fact));
  return outcomes;
}
const results = (outcomes: readonly Outcome[]) => [...new Set(outcomes.map(({ result }) => result))];
const reasons = (outcomes: readonly Outcome[]) => [
  ...new Set(outcomes.map((one) => (one.result === "notTried" ? one.why : one.result))),
];

interface Behind {
  readonly service: ServiceUnderTest;
  readonly keys: DatabaseKeys;
  readonly run: Run;
  /** How long the run slept altogether, in seconds. */
  readonly slept: () => number;
}

const patient = wireClient(30);
const impatient = wireClient(0.2);

/** A run at the servers through a proxy that misbehaves. */
async function behind(
  meddle: Meddle,
  use: (behind: Behind) => Promise<void>,
  { stopped = new AbortController().signal, isSilent = false } = {},
) {
  await using service = await serversBackend.open({ processingTimeSeconds: 2 });
  const keys = await service.addCloudDatabase();
  await using proxy = await startProxy(service.urls.target, meddle);
  const urls = { ...service.urls, target: proxy.url, modelTarget: proxy.url };
  let slept = 0;
  const run = await factRun(service, {
    profile: "neutral",
    urls,
    keys,
    stopped,
    // Only a proxy that never answers is waited for in vain.
    send: (url, request, signal) =>
      (url === proxy.url && isSilent ? impatient : patient)(url, request, signal),
    clock: {
      now: () => service.clock.now(),
      sleep: async (seconds) => {
        slept += seconds;
        service.clock.advance(seconds);
      },
    },
  });
  await use({ service, keys, run, slept: () => slept });
}

const targetsOf = async ({ service, keys }: Behind): Promise<unknown> =>
  json(await send(service, keys, { method: "GET", path: "/targets" })).results;

describe("a service", () => {
  test("that answers 429 is asked again, more slowly", async () => {
    let asked = 0;
    const busy: Meddle = async (_request, forward) => {
      asked += 1;
      if (asked % 3 === 0) return forward();
      return {
        status: 429,
        headers: [
          ["Retry-After", "7"],
          ["Content-Length", "0"],
        ],
        body: Buffer.alloc(0),
      };
    };
    await behind(busy, async ({ run, slept }) => {
      const outcomes = await tryAll(run, /^target-[34]-/);
      expect(results(outcomes)).toEqual(["holds"]);
      expect(slept()).toBeGreaterThanOrEqual(outcomes.length * 14);
    });
  });

  test("that cuts connections is asked again for what changes nothing", async () => {
    let asked = 0;
    const cutting: Meddle = async (_request, forward) => {
      asked += 1;
      return asked % 3 === 0 ? forward() : "cut";
    };
    await behind(cutting, async ({ run }) => {
      const outcomes = await tryAll(run, /^target-[34]-/);
      expect(results(outcomes)).toEqual(["holds"]);
      expect(asked).toBe(outcomes.length * 3);
    });
  });

  test("that always answers 429 is given up, and nothing counts as different", async () => {
    const busy: Meddle = async () => ({
      status: 429,
      headers: [["Content-Length", "0"]],
      body: Buffer.alloc(0),
    });
    await behind(busy, async ({ run }) => {
      const outcomes = await tryAll(run, /^target-/);
      expect(results(outcomes)).toEqual(["notTried"]);
      expect(reasons(outcomes)).toContain("the service answered 429");
      expect(reasons(outcomes)).toContain("the service failed 5 times in a row");
    });
  });

  test.each([
    ["silence", /no response: .*(timeout|abort)/i],
    ["cut", /no response: /],
  ] as const)("that answers with %s is given up, and the others are tried", async (answer, why) => {
    await behind(
      async () => answer,
      async ({ run }) => {
        const outcomes = await tryAll(run, /^target-(3|4|6|12|13)-/);
        expect(results(outcomes)).toEqual(["notTried"]);
        expect(reasons(outcomes)).toEqual([
          expect.stringMatching(why),
          expect.stringMatching(/^the service never answered: /),
        ]);
        expect(results(await tryAll(run, /^query-[34]-/))).toEqual(["holds"]);
      },
      { isSilent: answer === "silence" },
    );
  });

  test("that carries an addition out and loses the response is cleaned up", async () => {
    const losing: Meddle = async ({ method }, forward) => {
      const response = await forward();
      return method === "POST" ? "cut" : response;
    };
    await behind(losing, async (behind) => {
      const { service, keys, run } = behind;
      await add(service, keys, { name: "mine" });
      const [mine, ...others] = Object(await targetsOf(behind));
      expect([others.length, typeof mine]).toEqual([0, "string"]);
      expect(reasons(await tryAll(run, /^target-add$/))).toEqual([expect.stringMatching(/^no response/)]);
      expect(Object(await targetsOf(behind))).toHaveLength(2);
      expect(await run.close()).toEqual([]);
      expect(await targetsOf(behind)).toEqual([mine]);
    });
  });

  test("that adds what it should refuse is cleaned up, also after the run was stopped", async () => {
    const stop = new AbortController();
    const lenient: Meddle = async (_request, forward) => forward();
    await behind(
      lenient,
      async (behind) => {
        await tryAll(behind.run, /^target-(add|record-processing|update)$/);
        expect(Object(await targetsOf(behind)).length).toBeGreaterThanOrEqual(2);
        stop.abort();
        expect(reasons(await tryAll(behind.run, /^target-add$/))).toEqual(["stopped before"]);
        expect(await behind.run.close()).toEqual([]);
        expect(await targetsOf(behind)).toEqual([]);
      },
      { stopped: stop.signal },
    );
  });

  test("that a run leaves before a creation has nothing left", async () => {
    const stop = new AbortController();
    const stopping: Meddle = async ({ path }, forward) => {
      const response = await forward();
      if (path === "/oauth2/token") stop.abort();
      return response;
    };
    await behind(
      stopping,
      async ({ run }) => {
        expect(reasons(await tryAll(run, /^model-target-dataset-delete$/))).toEqual(["stopped before"]);
        expect(await run.close()).toEqual([]);
      },
      { stopped: stop.signal },
    );
  });

  test("that carries an addition out and says that it failed is cleaned up", async () => {
    const failing: Meddle = async ({ method }, forward) => {
      const response = await forward();
      if (method !== "POST") return response;
      return { status: 500, headers: [["Content-Length", "2"]], body: Buffer.from("{}") };
    };
    await behind(failing, async (behind) => {
      const outcomes = await tryAll(behind.run, /^target-keeps-name-x$/);
      expect(reasons(outcomes)).toEqual(["no target_id in the response to what comes before: 500"]);
      expect(Object(await targetsOf(behind))).toHaveLength(1);
      expect(await behind.run.close()).toEqual([]);
      expect(await targetsOf(behind)).toEqual([]);
    });
  });

  test("that does not answer the creation of a dataset is left with what the report names", async () => {
    const losing: Meddle = async ({ path }, forward) => {
      const response = await forward();
      return path === "/modeltargets/datasets" ? "cut" : response;
    };
    await behind(losing, async ({ run }) => {
      await tryAll(run, /^model-target-dataset-delete$/);
      expect(await run.close()).toEqual([
        expect.stringMatching(/^what POST \/modeltargets\/datasets may have added, which got no response: /),
      ]);
    });
  });

  test("that does not delete is left with what the report names", async () => {
    const keeping: Meddle = async ({ method }, forward) =>
      method === "DELETE"
        ? { status: 403, headers: [["Content-Length", "0"]], body: Buffer.alloc(0) }
        : forward();
    await behind(keeping, async (behind) => {
      await tryAll(behind.run, /^target-add$/);
      const [id] = Object(await targetsOf(behind));
      expect(await behind.run.close()).toEqual([`target ${id}`]);
    });
  });
});

test("requests keep to the documented rates", async () => {
  await using service = await serversBackend.open();
  const run = await factRun(service, { profile: "neutral" });
  const repeat = async (count: number, pattern: RegExp) => {
    for (let index = 0; index < count; index += 1) {
      expect(results(await tryAll(run, pattern))).toEqual(["holds"]);
    }
  };
  const start = service.clock.now().getTime();
  const seconds = () => (service.clock.now().getTime() - start) / 1000;
  await repeat(2, /^target-list$/);
  expect(seconds()).toBe(0);
  await repeat(1, /^target-list$/);
  expect(seconds()).toBe(60);
  await repeat(16, /^target-database-summary$/);
  expect(seconds()).toBe(61);
});

test.each([
  ["GET", "/targets", 2, 60],
  ["GET", "/targets/x", 45, 1],
  ["GET", "/duplicates/x", 10, 1],
  ["GET", "/summary/x", 15, 1],
  ["PUT", "/targets/x", 15, 1],
])(
  "%s %s is sent %i times in %i s, and half as often when the service is busy",
  async (method, path, most, seconds) => {
    const clock = new ManualClock();
    const start = clock.now().getTime();
    const elapsed = () => (clock.now().getTime() - start) / 1000;
    const pace = new Pace({ now: () => clock.now(), sleep: async (pause) => clock.advance(pause) });
    const take = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await pace.take("target", { method, path, headers: {} }, () => false);
    };
    await take(most);
    expect(elapsed()).toBe(0);
    await take(1);
    expect(elapsed()).toBe(seconds);
    pace.slowDown();
    await take(most);
    expect(elapsed()).toBe(seconds * 3);
  },
);

test("what is being added when a run ends is removed too", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const underWay = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const slow: Meddle = async ({ method }, forward) => {
    if (method === "POST") {
      arrived();
      await held;
    }
    return forward();
  };
  await behind(slow, async (one) => {
    const trying = tryAll(one.run, /^target-add$/);
    await underWay;
    const closing = one.run.close();
    release();
    await trying;
    expect(await closing).toEqual([]);
    expect(await targetsOf(one)).toEqual([]);
  });
});
