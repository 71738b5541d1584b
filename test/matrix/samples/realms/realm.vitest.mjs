import https, { get } from "node:https";
import { expect, test } from "vitest";
import { checkRealm, viaHttps } from "./realm.mjs";

// Captured before any mock starts.
const kept = { get: https.get };

for (const intercept of ["nock", "sockets"]) {
  test(`a captured function is answered: ${intercept}`, () => checkRealm(expect, viaHttps(kept), intercept));
  test(`a named import is answered: ${intercept}`, () => checkRealm(expect, viaHttps({ get }), intercept));
}
