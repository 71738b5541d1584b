import { test } from "@japa/runner";
import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { byAssert, refused } from "./failing.mjs";

test("assert", withMockCloudReco(byAssert));
test("refused", withMockCloudReco({ failOnRefusedRequests: true }, refused));
