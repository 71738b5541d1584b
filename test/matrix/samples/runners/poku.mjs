import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { assert, test } from "poku";
import { ask, byAssert, refused } from "./failing.mjs";

await test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
await test("assert", withMockCloudReco(byAssert));
await test(
  "own",
  withMockCloudReco(async ({ database }) => assert.equal(await ask(database, "own"), 200)),
);
