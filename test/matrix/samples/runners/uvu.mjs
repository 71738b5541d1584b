import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { ask, byAssert, refused } from "./failing.mjs";

test("assert", withMockCloudReco(byAssert));
test(
  "own",
  withMockCloudReco(async ({ database }) => assert.is(await ask(database, "own"), 200)),
);
test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
test.run();
