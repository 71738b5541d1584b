import { mkdir, writeFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { ALL } from "../support/combinations.ts";
import { copySamples, inConsumer, inModules, runNode } from "./run.ts";

const FILES = 7;
/** Until then, Jest and Node load what stays loaded. */
const WARM_UP = 3;

const REQUESTS = `
  const https = require("node:https");
  const url = "https://vws.vuforia.com/summary";
  test("asks", async () => {
    expect((await fetch(url)).status).toBe(401);
    const status = await new Promise((resolve, reject) => {
      https.get(url, (response) => resolve(response.resume().statusCode)).on("error", reject);
    });
    expect(status).toBe(401);
  });
`;

const SETUPS = {
  nock: `
    const nock = require("nock");
    beforeEach(() => void nock("https://vws.vuforia.com").get("/summary").twice().reply(401, "{}"));
    afterEach(() => nock.cleanAll());
    afterAll(() => nock.restore());
  `,
  mock: `require("mock-cloud-reco/jest").useMockCloudReco();`,
  sockets: `require("mock-cloud-reco/jest").useMockCloudReco({ intercept: "sockets" });`,
};

beforeAll(() => copySamples("memory"));

/** The memory that each test file leaves behind. */
async function keptPerFile(name: keyof typeof SETUPS): Promise<number> {
  const folder = `memory/${name}`;
  await mkdir(inConsumer(folder), { recursive: true });
  await writeFile(inConsumer(folder, "package.json"), `{ "jest": { "testMatch": ["**/*.jest.cjs"] } }`);
  for (let file = 0; file < FILES; file++)
    await writeFile(inConsumer(folder, `${file}.jest.cjs`), SETUPS[name] + REQUESTS);
  const options = ["--runInBand", "--reporters=../memory-reporter.cjs"];
  const { code, printed } = await runNode(folder, ["--expose-gc", inModules("jest/bin/jest.js"), ...options]);
  expect(code, printed).toBe(0);
  const { numPassedTests, sizes } = JSON.parse(printed.split("\n").at(-1) ?? "");
  expect(numPassedTests).toBe(FILES);
  return (sizes.at(-1) - sizes[WARM_UP]) / (FILES - 1 - WARM_UP);
}

// Takes longer than most folders: CI runs it.
it.runIf(ALL)("a test file of Jest leaves no more memory behind than one that uses nock alone", async () => {
  const bytes = await keptPerFile("nock");
  expect(await keptPerFile("mock")).toBeLessThan(bytes);
  expect(await keptPerFile("sockets")).toBeLessThan(bytes);
});
