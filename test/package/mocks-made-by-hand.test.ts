import { mkdir, writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { inConsumer, inModules, runNode } from "./run.ts";

/** Signs with the wrong secret key, as in every failing test here. */
const SUMMARY = `
  async function summary({ serverAccessKey: accessKey, clientSecretKey: secretKey }) {
    const date = rfc1123Date();
    const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date });
    return (await fetch("https://vws.vuforia.com/summary", { headers: { authorization, date } })).status;
  }
`;
const MODULE = `
  import { authorizationHeader, ManualClock, MockCloudReco, rfc1123Date, samplePicture } from "mock-cloud-reco";
  import { VuforiaClient } from "mock-cloud-reco/examples/client";
  ${SUMMARY}
  const make = (options) => {
    const mock = new MockCloudReco(options);
    return { mock, database: mock.addCloudDatabase() };
  };
`;
const REQUIRED = MODULE.replace(/import (\{.*\}) from (".*")/g, "const $1 = require($2)");

/** Four tests fail with an explanation: a mock made at once, later, in a hook, and one that has more to say. `equal` is the runner's assertion. */
const TESTS = (test: string, equal: (got: string, wanted: number | string) => string) => `
  ${test}("made at once", async () => {
    const { mock, database } = make();
    try { ${equal("await summary(database)", 200)} } finally { mock.stop(); }
  });
  ${test}("made later", async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { mock, database } = make();
    try { ${equal("await summary(database)", 200)} } finally { mock.stop(); }
  });
  ${test}("gave up", async () => {
    const { mock, database } = make({ clock: new ManualClock() });
    try {
      mock.addFault({ operation: "query", response: { status: 503 } });
      await mock.addTarget(database, { image: await samplePicture(1) });
      await summary(database);
      throw new Error("timed out");
    } finally { mock.stop(); }
  });
  ${test}("finishes too early", async () => {
    const { mock, database } = make({ processingTimeSeconds: 60 });
    try {
      const adding = new VuforiaClient(database).addTarget("poster", await samplePicture(1));
      mock.finishProcessing();
      ${equal("await new VuforiaClient(database).statusOf(await adding)", "'success'")}
    } finally { mock.stop(); }
  });
  ${test}("turned off", async () => {
    const { mock, database } = make({ explainFailures: false });
    try { ${equal("await summary(database)", 200)} } finally { mock.stop(); }
  });
  ${test}("passes", async () => {
    const { mock, database } = make();
    try { ${equal("await summary(database)", 401)} } finally { mock.stop(); }
  });
  ${test}("asks another host, after a test that passed", async () => {
    const { mock } = make();
    try { await fetch("http://127.0.0.1:1/"); } finally { mock.stop(); }
  });
`;
const toBe = (got: string, wanted: number | string) => `expect(${got}).toBe(${wanted});`;

/** Two more fail: of mocks that several tests share, whose earlier tests passed although a request was refused. */
const SHARED = `
  describe("in beforeAll", () => {
    let made;
    beforeAll(() => { made = make(); });
    afterAll(() => made.mock.stop());
    test("passes", async () => { ${toBe("await summary(made.database)", 401)} });
    test("made before all tests", async () => { ${toBe("await summary(made.database)", 200)} });
    test("sends nothing", () => { throw new Error("own"); });
  });
  describe("outside of any test", () => {
    const made = make();
    afterAll(() => made.mock.stop());
    test("passes", async () => { ${toBe("await summary(made.database)", 401)} });
    test("made while the file loads", async () => { ${toBe("await summary(made.database)", 200)} });
  });
`;

const FILES = {
  "package.json": `{ "private": true, "jest": { "testMatch": ["**/*.jest.cjs"], "transform": {} } }`,
  "vitest.config.mjs": `export default { test: { include: ["**/*.vitest.mjs"] } };`,
  "by-hand.vitest.mjs": `
    import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
    ${MODULE}
    ${TESTS("test", toBe)}
    ${SHARED}
    describe("in a hook", () => {
      let made;
      beforeEach(() => { made = make(); return () => made.mock.stop(); });
      test("made in a hook", async () => { ${toBe("await summary(made.database)", 200)} });
    });
  `,
  "by-hand.jest.cjs": `
    ${REQUIRED}
    ${TESTS("test", toBe)}
    ${SHARED}
    describe("in a hook", () => {
      let made;
      beforeEach(() => { made = make(); });
      afterEach(() => made.mock.stop());
      test("made in a hook", async () => { ${toBe("await summary(made.database)", 200)} });
    });
  `,
  "by-hand.node.mjs": `
    import assert from "node:assert";
    import { test } from "node:test";
    ${MODULE}
    ${TESTS("test", (got, wanted) => `assert.equal(${got}, ${wanted});`)}
  `,
  "no-test.mjs": `
    ${MODULE}
    const { mock, database } = make();
    console.log(await summary(database));
    mock.stop();
  `,
};

beforeAll(async () => {
  await mkdir(inConsumer("by-hand"));
  for (const [name, source] of Object.entries(FILES)) await writeFile(inConsumer("by-hand", name), source);
});

describe("a mock made by hand explains the test that fails, once, in", () => {
  it.each<[string, number, readonly string[]]>([
    ["Vitest", 6, [inModules("vitest/vitest.mjs"), "run"]],
    ["Jest", 6, [inModules("jest/bin/jest.js"), "--runInBand"]],
    ["node:test", 3, ["--test", "--test-reporter=tap", "by-hand.node.mjs"]],
  ])("%s", async (_runner, times, args) => {
    const { code, printed } = await runNode("by-hand", args);
    expect(code, printed).toBe(1);
    expect(printed.split("The mock refused 1 request:"), printed).toHaveLength(times + 1);
    const reason = "sign with the secret key that belongs to the access key: the signature was made";
    expect(printed.split(reason), printed).toHaveLength(times + 1);
    expect(printed.split("No request reached the mock"), printed).toHaveLength(2);
    expect(printed.split("(for query) applied to no request"), printed).toHaveLength(2);
    expect(
      printed.split(/finishProcessing\(\) was called at by-hand\.\S+:\d+, before/),
      printed,
    ).toHaveLength(2);
    expect(printed.split("1 target is still processing, but the clock does not move"), printed).toHaveLength(
      2,
    );
  });
});

it("a mock in a program without tests reports none, whatever the environment says", async () => {
  const { code, printed } = await runNode("by-hand", ["no-test.mjs"], {
    NODE_TEST_CONTEXT: "child-v8",
    VITEST: "true",
  });
  expect([code, printed.trim()]).toEqual([0, "401"]);
});
