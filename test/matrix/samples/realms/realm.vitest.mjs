import https, { get } from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { checkRealm, viaHttps } from "./realm.mjs";

// Captured before any mock starts.
const kept = { get: https.get };

/** jsdom in vmThreads lacks what nock needs. */
const lacksGlobals = typeof TransformStream === "undefined";
if (lacksGlobals)
  test.each([1, 2])("the error says what to do, attempt %i", () => {
    expect(() => new MockCloudReco()).toThrow(
      /nock cannot be loaded in this environment \(.+\); set the option intercept to "sockets"/,
    );
  });

for (const intercept of lacksGlobals ? ["sockets"] : ["nock", "sockets"]) {
  test(`a captured function is answered: ${intercept}`, () => checkRealm(expect, viaHttps(kept), intercept));
  test(`a named import is answered: ${intercept}`, () => checkRealm(expect, viaHttps({ get }), intercept));
}
