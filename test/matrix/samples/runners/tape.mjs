import { withMockCloudReco } from "mock-cloud-reco/node-test";
import test from "tape";
import { ask, byAssert, refused } from "./failing.mjs";

test("assert", withMockCloudReco(byAssert));
test(
  "own",
  withMockCloudReco(async ({ database }, t) => t.equal(await ask(database, "own"), 200)),
);
test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
