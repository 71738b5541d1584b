import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { ask, byAssert, refused } from "./failing.mjs";

it("assert", () => withMockCloudReco(byAssert)());
it("own", () => withMockCloudReco(async ({ database }) => expect(await ask(database, "own")).toBe(200))());
it("refused", () => withMockCloudReco({ failOnRefusedRequests: true }, refused)());
