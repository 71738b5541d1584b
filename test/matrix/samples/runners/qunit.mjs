import { withMockCloudReco } from "mock-cloud-reco/node-test";
import QUnit from "qunit";
import { ask, byAssert, refused } from "./failing.mjs";

QUnit.test("assert", withMockCloudReco(byAssert));
QUnit.test(
  "own",
  withMockCloudReco(async ({ database }, t) => t.equal(await ask(database, "own"), 200)),
);
QUnit.test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
