/** The README's first test, an empty test and one of bare nock, for each runner; and the same in plain Node. */

const CALLS = `
  const client = new VuforiaClient(database);
  const poster = await samplePicture(1);
  const id = await client.addTarget("poster", poster);
  mock.finishProcessing();
  const found = await client.find(poster);
  if (found[0]?.target_id !== id) throw new Error("not found");
`;
const IMPORTS = `import { samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
`;
const NOCK = `
  nock("https://service.example").get("/").reply(200, "found");
  const response = await fetch("https://service.example/");
  if ((await response.text()) !== "found") throw new Error("not found");
`;
export const PROGRAMS = {
  "package.json": '{ "private": true }',
  "vitest.config.mjs": 'export default { test: { include: ["*.vitest.mjs"] } };',
  "readme.vitest.mjs": `${IMPORTS}import { test } from "mock-cloud-reco/vitest";
test("finds", async ({ mock, database }) => {${CALLS}});`,
  "empty.vitest.mjs": 'import { test } from "vitest"; test("nothing", () => {});',
  "nock.vitest.mjs": `import nock from "nock"; import { test } from "vitest"; test("finds", async () => {${NOCK}});`,
  "readme.node.mjs": `${IMPORTS}import { test } from "node:test";
import { withMockCloudReco } from "mock-cloud-reco/node-test";
test("finds", withMockCloudReco(async ({ mock, database }) => {${CALLS}}));`,
  "empty.node.mjs": 'import { test } from "node:test"; test("nothing", () => {});',
  "nock.node.mjs": `import nock from "nock"; import { test } from "node:test"; test("finds", async () => {${NOCK}});`,
  "jest.config.cjs": 'module.exports = { testMatch: ["**/*.jest.cjs"], testTimeout: 60000 };',
  "readme.jest.cjs": `const { samplePicture } = require("mock-cloud-reco");
const { VuforiaClient } = require("mock-cloud-reco/examples/client");
const fixture = require("mock-cloud-reco/jest").useMockCloudReco();
test("finds", async () => { const { mock, database } = fixture;${CALLS}});`,
  "empty.jest.cjs": 'test("nothing", () => {});',
  "nock.jest.cjs": `const nock = require("nock"); test("finds", async () => {${NOCK}});`,
  "mock.mjs": 'import { MockCloudReco } from "mock-cloud-reco"; new MockCloudReco();',
  "nock.mjs": 'import nock from "nock"; nock("https://service.example").get("/").reply(200, "found");',
  "flow.mjs": `import { readFileSync } from "node:fs";
const laps = {};
let last = process.cpuUsage();
const lap = (name) => {
  const { user, system } = process.cpuUsage(last);
  laps[name] = (user + system) / 1000;
  last = process.cpuUsage();
};
const { MockCloudReco, samplePicture } = await import("mock-cloud-reco");
const { VuforiaClient } = await import("mock-cloud-reco/examples/client");
lap("import");
const mock = new MockCloudReco();
const database = mock.addCloudDatabase();
lap("mock");
const client = new VuforiaClient(database);
const poster = await samplePicture(1);
lap("picture");
await samplePicture(1);
lap("again");
const id = await client.addTarget("poster", poster);
lap("add");
mock.finishProcessing();
const found = await client.find(poster);
if (found[0]?.target_id !== id) throw new Error("not found");
lap("query");
mock.stop();
const peak = /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
console.log(JSON.stringify({ ...laps, megabytes: peak / 1024 }));`,
} as const;

/** The arguments of Node that run a test file. */
export const RUNNERS = {
  Vitest: (modules: string, file: string) => [`${modules}/vitest/vitest.mjs`, "run", `${file}.vitest.mjs`],
  "node:test": (_modules: string, file: string) => ["--test", `${file}.node.mjs`],
  Jest: (modules: string, file: string) => [
    `${modules}/jest/bin/jest.js`,
    "--runInBand",
    "--config=jest.config.cjs",
    `${file}.jest.cjs`,
  ],
} as const;
