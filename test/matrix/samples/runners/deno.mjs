import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { byAssert, refused } from "./failing.mjs";

const { test } = Deno;
test("assert", withMockCloudReco(byAssert));
test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
