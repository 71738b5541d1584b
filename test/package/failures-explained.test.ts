import { mkdir, readFile, writeFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { ALL } from "../support/combinations.ts";
import { hasMatrix } from "../support/matrix.ts";
import { unwrapped } from "../support/unwrapped.ts";
import { inConsumer, inModules, runNode } from "./run.ts";

/** Every project makes the same mistake: it signs with the wrong secret key. The output must explain it once. */
const HELPERS = `
  import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
  export async function summary({ serverAccessKey: accessKey, clientSecretKey: secretKey }) {
    const date = rfc1123Date();
    const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date });
    const { status } = await fetch("https://vws.vuforia.com/summary", { headers: { authorization, date } });
    return status;
  }
`;

const FILES = {
  "package.json": `{ "private": true, "jest": { "testMatch": ["**/*.jest.cjs"] } }`,
  "vitest.config.mjs": `export default { test: { include: ["**/*.vitest.mjs"] } };`,
  "ava.config.mjs": `export default { files: ["*.ava.mjs"] };`,
  "summary.mjs": HELPERS,
  "explained.vitest.mjs": `
    import { test } from "mock-cloud-reco/vitest";
    import { expect } from "vitest";
    import { summary } from "./summary.mjs";
    test.override({ mockOptions: { report: "on-failure" } });
    test("explained", async ({ database }) => { expect(await summary(database)).toBe(200); });
    test("passes", async ({ database }) => { expect(await summary(database)).toBe(401); });
  `,
  "explained.jest.cjs": `
    const { useMockCloudReco } = require("mock-cloud-reco/jest");
    const { authorizationHeader, rfc1123Date } = require("mock-cloud-reco");
    const recognition = useMockCloudReco({ report: "on-failure" });
    async function summary({ serverAccessKey: accessKey, clientSecretKey: secretKey }) {
      const date = rfc1123Date();
      const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date });
      return (await fetch("https://vws.vuforia.com/summary", { headers: { authorization, date } })).status;
    }
    test("explained", async () => { expect(await summary(recognition.database)).toBe(200); });
    test("passes", async () => { expect(await summary(recognition.database)).toBe(401); });
  `,
  "explained.node.mjs": `
    import assert from "node:assert";
    import { test } from "node:test";
    import { withMockCloudReco } from "mock-cloud-reco/node-test";
    import { summary } from "./summary.mjs";
    test("explained", withMockCloudReco({ report: "on-failure" }, async ({ database }) => { assert.equal(await summary(database), 200); }));
    test("passes", withMockCloudReco(async ({ database }) => { assert.equal(await summary(database), 401); }));
  `,
  "unused.mjs": `
    import { describe, test } from "node:test";
    import { withMockCloudReco } from "mock-cloud-reco/node-test";
    test("forgets to run it", () => { withMockCloudReco(() => { throw new Error("not reached"); }); });
    test("skipped", { skip: true }, withMockCloudReco(() => {}));
    describe("in a block", () => { test("skipped", { skip: true }, withMockCloudReco(() => {})); });
    test("runs", async (context) => { await context.test("inner", withMockCloudReco(() => {})); });
  `,
  "explained.hooks.mjs": `
    import assert from "node:assert";
    import { afterEach, beforeEach, test } from "node:test";
    import { mockHooks } from "mock-cloud-reco/assert";
    import { summary } from "./summary.mjs";
    const recognition = mockHooks({ report: "on-failure" });
    beforeEach(recognition.beforeEach);
    afterEach(recognition.afterEach);
    test("explained", async () => { assert.equal(await summary(recognition.database), 200); });
    test("passes", async () => { assert.equal(await summary(recognition.database), 401); });
  `,
  "explained.mocha.mjs": `
    import assert from "node:assert";
    import { mockHooks } from "mock-cloud-reco/assert";
    import { summary } from "./summary.mjs";
    const recognition = mockHooks({ report: "on-failure" });
    beforeEach(recognition.beforeEach);
    afterEach(recognition.afterEach);
    it("explained", async () => { assert.equal(await summary(recognition.database), 200); });
    it("passes", async () => { assert.equal(await summary(recognition.database), 401); });
  `,
  "playwright.config.mjs": `export default { testMatch: "*.playwright.mjs", reporter: "line", outputDir: "playwright" };`,
  "explained.playwright.mjs": `
    import { expect, test } from "playwright/test";
    import { mockHooks } from "mock-cloud-reco/assert";
    import { summary } from "./summary.mjs";
    const recognition = mockHooks({ report: "on-failure" });
    test.beforeEach(() => recognition.beforeEach());
    test.afterEach(({}, testInfo) => recognition.afterEach(testInfo));
    test("explained", async () => { expect(await summary(recognition.database)).toBe(200); });
    test("passes", async () => { expect(await summary(recognition.database)).toBe(401); });
  `,
  "happy-dom.config.mjs": `export default { test: { environment: "happy-dom", include: ["happy-dom.mjs"] } };`,
  "happy-dom.mjs": `
    import { test } from "mock-cloud-reco/vitest";
    import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
    import { expect } from "vitest";
    test("is signed", async ({ database: { serverAccessKey: accessKey, serverSecretKey: secretKey } }) => {
      const date = rfc1123Date();
      const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date });
      const headers = new Headers({ authorization, date });
      expect((await fetch("https://vws.vuforia.com/summary", { headers })).status).toBe(200);
    });
  `,
  "required.config.mjs": `export default { test: { include: ["required.mjs"] } };`,
  "required.mjs": `
    import { createRequire } from "node:module";
    import { test } from "mock-cloud-reco/vitest";
    import { expect } from "vitest";
    import { summary } from "./summary.mjs";
    const { MockCloudReco } = createRequire(import.meta.url)("mock-cloud-reco");
    test("of a required mock", async () => {
      const mock = new MockCloudReco();
      expect(await summary(mock.addCloudDatabase())).toBe(200);
    });
  `,
  "explained.ava.mjs": `
    import test from "ava";
    import { mockHooks } from "mock-cloud-reco/assert";
    import { summary } from "./summary.mjs";
    const recognition = mockHooks({ report: "on-failure" });
    test.beforeEach(recognition.beforeEach);
    test.afterEach.always((t) => recognition.afterEach(t));
    test.serial("explained", async (t) => { t.is(await summary(recognition.database), 200); });
    test.serial("passes", async (t) => { t.is(await summary(recognition.database), 401); });
  `,
};

type Run = readonly [runner: string, times: number, args: readonly string[]];
const VITEST = [inModules("vitest/vitest.mjs"), "run"];
const OTHER_RUNNERS: readonly Run[] = [
  ["Mocha", 1, [inModules("mocha/bin/mocha.js"), "explained.mocha.mjs"]],
  ["AVA", 1, [inModules("ava/entrypoints/cli.mjs")]],
];
const OTHER_WAYS: readonly Run[] = [
  ["Vitest, with its verbose reporter", 2, [...VITEST, "--reporter=verbose"]],
  ["node:test, for machines", 1, ["--test", "--test-reporter=tap", "explained.node.mjs"]],
  ["Playwright", 1, [inModules("playwright/cli.js"), "test"]],
];

beforeAll(async () => {
  await mkdir(inConsumer("explained"));
  for (const [name, source] of Object.entries(FILES)) await writeFile(inConsumer("explained", name), source);
});

describe("a failing test prints once what the mock refused and where its report is, and a passing test prints nothing, in", () => {
  // Some reporters print each failure twice: when it happens, and at the end. That of node:test no longer does since Node 22.
  const specTimes = Number(process.versions.node.split(".")[0]) < 22 ? 2 : 1;
  it.each<Run>([
    ["Vitest", 1, VITEST],
    ["Jest", 1, [inModules("jest/bin/jest.js"), "--runInBand"]],
    ["node:test", specTimes, ["--test", "--test-reporter=spec", "explained.node.mjs"]],
    ["node:test with hooks", specTimes, ["--test", "--test-reporter=spec", "explained.hooks.mjs"]],
    ...(hasMatrix ? OTHER_RUNNERS : []),
    ...(ALL ? OTHER_WAYS : []),
  ])("%s", async (_runner, times, args) => {
    const { code, printed } = await runNode("explained", args);
    expect(code, printed).toBe(1);
    expect(printed).toContain("200");
    expect(printed.split("The mock refused 1 request:"), printed).toHaveLength(times + 1);
    const reason = "sign with the secret key that belongs to the access key: the signature was made";
    expect(printed.split(reason), printed).toHaveLength(times + 1);
    const reports = [...printed.matchAll(/Report of all requests: (\S+\.html)/g)].map(([, path]) => path);
    expect(reports, printed).toHaveLength(times);
    const html = await readFile(reports[0] ?? "", "utf8");
    // Not `toContain`, which would print the whole page.
    expect(/"test":(\{.*?\}),/.exec(html)?.[1]).toMatch(
      /^\{"name":"(explained\.playwright\.mjs > )?explained"/,
    );
    expect(html.includes(reason)).toBe(true);
  });
});

it("a test of node:test that never runs what withMockCloudReco returned is told so", async () => {
  const { code, printed } = await runNode("explained", ["--test", "--test-reporter=spec", "unused.mjs"]);
  expect(code, printed).toBe(0);
  expect(printed.split("never ran"), printed).toHaveLength(2);
  expect(printed).toMatch(
    /the function that withMockCloudReco returned at unused\.mjs:4 never ran, so its test/,
  );
});

it.skipIf(!hasMatrix)("a test in happy-dom is told that its fetch drops the Date header", async () => {
  const { code, printed } = await runNode("explained", [...VITEST, "--config=happy-dom.config.mjs"]);
  expect(code, printed).toBe(1);
  expect(unwrapped(printed)).toContain(
    "run the test in the node environment: the request has no Date header, because this runtime's fetch drops it, as happy-dom",
  );
});

it("a mock that was made by require explains itself in the fixture of a module", async () => {
  const { code, printed } = await runNode("explained", [...VITEST, "--config=required.config.mjs"]);
  expect(code, printed).toBe(1);
  expect(unwrapped(printed)).toContain("Another mock of this process, not the fixture's, refused 1 request:");
  expect(unwrapped(printed)).toContain("the signature was made with the database's client secret key");
});

it("Vitest prints what the README shows", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [shown] = codeBlocks(readme).filter(({ language }) => language === "text");
  const pieces = shown?.text.split(/\s*(?:…|\n)\s*/).filter((piece) => piece !== "") ?? [];
  const { printed } = await runNode("explained", VITEST);
  const text = stripVTControlCharacters(printed);
  // The annotation, which reporters get.
  expect(text).toContain("↳ explained by mock-cloud-reco");
  expect(pieces.length).toBeGreaterThan(4);
  let end = 0;
  for (const piece of pieces) {
    const start = text.indexOf(piece, end);
    expect(start, `${piece} in ${text}`).toBeGreaterThan(-1);
    end = start + piece.length;
  }
});
