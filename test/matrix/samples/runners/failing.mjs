import assert from "node:assert";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";

/** Asks for a target named after the test, signed with the wrong secret key. Returns the status. */
export async function ask({ serverAccessKey: accessKey, clientSecretKey: secretKey }, name) {
  const date = rfc1123Date();
  const path = `/targets/${name}`;
  const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path, date });
  return (await fetch(`https://vws.vuforia.com${path}`, { headers: { authorization, date } })).status;
}

export const byAssert = async ({ database }) => assert.equal(await ask(database, "assert"), 200);
export const refused = async ({ database }) => void (await ask(database, "refused"));
