import { mkdir, writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { inConsumer, inModules, runNode } from "./run.ts";

const FILES = {
  "package.json": `{ "private": true, "jest": { "testMatch": ["**/*.jest.cjs"], "transform": {} } }`,
  "vitest.config.mjs": `export default { test: { include: ["**/*.vitest.mjs"] } };`,
  "refused.vitest.mjs": `
    import { test } from "mock-cloud-reco/vitest";
    import { expect } from "vitest";
    test.override({ mockOptions: { failOnRefusedRequests: true } });
    test("ignores a refusal", async () => { await fetch("https://vws.vuforia.com/summary"); });
    test("ignores an unserved path", async () => { await fetch("https://vws.vuforia.com/sumary").catch(() => {}); });
    test("begins anew", async ({ mock }) => expect(mock.requests).toEqual([]));
  `,
  "refused.jest.cjs": `
    const { useMockCloudReco } = require("mock-cloud-reco/jest");
    const recognition = useMockCloudReco({ failOnRefusedRequests: true });
    test("ignores a refusal", async () => { await fetch("https://vws.vuforia.com/summary"); });
    test("ignores an unserved path", async () => { await fetch("https://vws.vuforia.com/sumary").catch(() => {}); });
    test("begins anew", () => expect(recognition.mock.requests).toEqual([]));
  `,
  "refused.node.mjs": `
    import assert from "node:assert";
    import { test } from "node:test";
    import { withMockCloudReco } from "mock-cloud-reco/node-test";
    const options = { failOnRefusedRequests: true };
    test("ignores a refusal", withMockCloudReco(options, async () => {
      await fetch("https://vws.vuforia.com/summary");
    }));
    test("ignores an unserved path", withMockCloudReco(options, async () => {
      await fetch("https://vws.vuforia.com/sumary").catch(() => {});
    }));
    test("begins anew", withMockCloudReco(options, ({ mock }) => assert.deepEqual(mock.requests, [])));
  `,
  "advice.jest.cjs": `
    const { MockCloudReco } = require("mock-cloud-reco");
    const { useMockCloudReco } = require("mock-cloud-reco/jest");
    const before = fetch;
    describe("fake timers", () => {
      afterEach(() => jest.useRealTimers());
      test("that hold up requests are told of", () => {
        jest.useFakeTimers();
        expect(() => new MockCloudReco()).toThrow('jest.useFakeTimers({ doNotFake: ["nextTick"] })');
      });
      test("of the old kind are refused", () => {
        expect(() => useMockCloudReco({ fakeTimers: { legacyFakeTimers: true } })).toThrow("legacyFakeTimers");
      });
    });
    describe("outside of a test", () => {
      const recognition = useMockCloudReco();
      let error;
      try { recognition.mock } catch (caught) { error = caught }
      test("there is no mock, and the error says so", () => {
        expect(error.message).toContain("the mock exists only while a test runs");
        expect(recognition.mock.requests).toEqual([]);
      });
    });
    test("all is put back after a test", () => expect(fetch).toBe(before));
  `,
};

beforeAll(async () => {
  await mkdir(inConsumer("refusals"));
  for (const [name, source] of Object.entries(FILES)) {
    await writeFile(inConsumer("refusals", name), source);
  }
});

const jest = (file: string) => [inModules("jest/bin/jest.js"), "--runInBand", file];

describe("failOnRefusedRequests fails only the test with a refused request, and explains it:", () => {
  const runners: readonly [string, readonly string[], RegExp][] = [
    ["Vitest", [inModules("vitest/vitest.mjs"), "run"], /Tests +2 failed \| 1 passed \(3\)/],
    ["Jest", jest("refused.jest.cjs"), /Tests: +2 failed, 1 passed, 3 total/],
    ["node:test", ["--test", "refused.node.mjs"], /pass 1\n.*fail 2/],
  ];

  it.each(runners)("%s", async (_, args, counts) => {
    const { code, printed } = await runNode("refusals", args);
    expect(code, printed).toBe(1);
    expect(printed).toMatch(counts);
    expect(printed).toContain("the mock refused 1 request, and failOnRefusedRequests is set");
    expect(printed).toMatch(
      /GET \/summary → 401 AuthenticationFailure .*\s+\[authorization\.missing\]\n *\w+: send an Authorization header: the request has/,
    );
    expect(printed).toMatch(/GET \/sumary → no response \[path\.unknown\]\n *route: .*GET \/summary/);
  });
});

it("Jest users learn what to change about fake timers and about mocks outside of tests", async () => {
  const { code, printed } = await runNode("refusals", jest("advice.jest.cjs"));
  expect(code, printed).toBe(0);
  expect(printed).toMatch(/Tests: +4 passed, 4 total/);
});
