import type { Fact, MakeRequest, Situation } from "./fact.ts";
import {
  ALL_MISSING,
  answered,
  bearer,
  CREDENTIALS,
  empty,
  invalidJson,
  jsonBearer,
  jsonFact,
  NO_JSON,
  NOT_JSON,
  notFound,
  STANDARD,
  validationError,
} from "./json-fact.ts";
import { basic } from "./requests.ts";

const SCOPES = '["modeltargets.all"]';
const creation = jsonFact("", "", {
  method: "POST",
  path: CREDENTIALS,
  headers: jsonBearer,
  body: `{"scopes":${SCOPES}}`,
  expected: answered(201, '{"client_id":"<text>","client_secret":"<text>"}'),
});
/** A fact about a client credential that was created for it. */
const ofCreated = (id: string, sentence: string, rest: Parameters<typeof jsonFact>[2]): Fact =>
  jsonFact(`credentials ${id}`, sentence, { needs: "writing", before: [creation.request], ...rest });

const refusedCreation = (
  what: string,
  body: string | Buffer,
  check: string,
  expected: Fact["expected"],
): Fact =>
  jsonFact(`credentials ${what}`, `A client credential is not created for ${what}.`, {
    method: "POST",
    path: CREDENTIALS,
    headers: jsonBearer,
    body,
    needs: "writing",
    check,
    expected,
  });
const validation = (messages: readonly string[]) => () => validationError(messages);

/** A token of a client that may only create datasets of the standard family. */
const limited: readonly MakeRequest[] = [
  (at) => ({
    method: "POST",
    path: CREDENTIALS,
    headers: jsonBearer(at),
    body: Buffer.from('{"scopes":["modeltargets.standardmodeltarget.all"]}'),
  }),
  (at) => ({ ...tokenRequest(at), body: Buffer.from("grant_type=client_credentials") }),
];
const tokenRequest = (at: Situation) => ({
  method: "POST",
  path: "/oauth2/token",
  headers: {
    Authorization: basic(at.given("client_id"), at.given("client_secret")),
    "Content-Type": "application/x-www-form-urlencoded",
  },
});
const limitedBearer = (at: Situation) => ({ Authorization: `Bearer ${at.given("access_token")}` });

const noCredential = notFound("Clientcredential with ID=unknown not found", "clientcredential");
const ofUnknown = (id: string, sentence: string, rest: Parameters<typeof jsonFact>[2]): Fact =>
  jsonFact(`credentials unknown ${id}`, sentence, { needs: "writing", check: "knownCredential", ...rest });
const itself = (at: Parameters<Fact["request"]>[0]): string => `${CREDENTIALS}/${at.given("client_id")}`;

export const CREDENTIAL_FACTS: readonly Fact[] = [
  jsonFact("credentials list", "GET /oauth2/clientcredentials is answered with a list.", {
    path: CREDENTIALS,
    headers: bearer,
    expected: answered(200, "[<any>]"),
  }),
  {
    ...creation,
    id: "model-target-credentials-create",
    sentence: "A client credential is created for a list of scopes, and answered with its id and secret.",
    needs: "writing",
  },
  ...["{}", '{"scopes":null}', '{"scopes":"modeltargets.all"}', '{"scopes":["modeltargets.all",1]}'].map(
    (body) => refusedCreation(body, body, "scopesGiven", validation(["/scopes: error.expected.jsarray"])),
  ),
  ...["null", "[]", '"scopes"', "7"].map((body) =>
    refusedCreation(
      `the body ${body === "[]" ? "of an empty array" : body}`,
      body,
      "bodyIsJsonObject",
      validation(ALL_MISSING),
    ),
  ),
  ...NO_JSON.map(([what, body]) => refusedCreation(what, body, "validJson", invalidJson)),
  jsonFact(
    "credentials content type",
    "A client credential is not created for the content type text/plain.",
    {
      method: "POST",
      path: CREDENTIALS,
      headers: (at) => ({ ...bearer(at), "Content-Type": "text/plain" }),
      body: "{",
      needs: "writing",
      check: "jsonContentType",
      expected: NOT_JSON,
    },
  ),
  ofCreated("scopes", "PUT of a client credential's scopes replaces them.", {
    method: "PUT",
    path: (at) => `${itself(at)}/scopes`,
    headers: jsonBearer,
    body: "[]",
    expected: (at) => answered(200, { clientId: at.given("client_id"), scopes: [] }),
  }),
  ofCreated("scopes content type", "PUT of a client credential's scopes takes any content type.", {
    method: "PUT",
    path: (at) => `${itself(at)}/scopes`,
    headers: (at) => ({ ...bearer(at), "Content-Type": "text/plain" }),
    body: SCOPES,
    expected: (at) => answered(200, { clientId: at.given("client_id"), scopes: ["modeltargets.all"] }),
  }),
  ...["{", "", "{}", "null", "[1]"].map((body) =>
    ofCreated(
      `scopes refused ${{ "{": "cut off", "": "empty", "{}": "object" }[body] ?? body}`,
      `PUT of a client credential's scopes with the body ${JSON.stringify(body)} is answered with 400.`,
      {
        method: "PUT",
        path: (at) => `${itself(at)}/scopes`,
        headers: jsonBearer,
        body,
        check: "scopesValid",
        expected: answered(400, {
          error: { code: "BAD_REQUEST", message: "Invalid scopes", target: "scopes" },
        }),
      },
    ),
  ),
  ofCreated("delete", "DELETE of a client credential is answered with 204.", {
    method: "DELETE",
    path: itself,
    headers: bearer,
    expected: empty(204),
  }),
  ofCreated("token without scope", "A token without the scope of client credentials does not list them.", {
    path: CREDENTIALS,
    headers: limitedBearer,
    before: limited,
    check: "holdsScope",
    expected: answered(403, "User does not have the required scopes to perform this action", "text/plain"),
  }),
  ofCreated(
    "token without states",
    "A token without the scope for state-based models does not create a dataset with a state configuration.",
    {
      method: "POST",
      path: STANDARD,
      headers: (at) => ({ ...limitedBearer(at), "Content-Type": "application/json" }),
      body: '{"models":[{"stateBasedConfigurationJsonString":"{}"}]}',
      before: limited,
      check: "mayUseStates",
      expected: answered(
        403,
        '{"error":{"code":"ERROR","message":"User not allowed to create State Based Model Targets","target":"userId:<any>"}}',
      ),
    },
  ),
  ofCreated("deleted", "A deleted client credential gets no token.", {
    method: "POST",
    path: "/oauth2/token",
    headers: (at) => tokenRequest(at).headers,
    before: [creation.request, (at) => ({ method: "DELETE", path: itself(at), headers: bearer(at) })],
    check: "knownHolder",
    expected: answered(401, { error: "invalid_client" }),
  }),
  ofUnknown("delete", "DELETE of an unknown client credential is answered with 404.", {
    method: "DELETE",
    path: `${CREDENTIALS}/unknown`,
    headers: bearer,
    expected: noCredential,
  }),
  ofUnknown(
    "scopes",
    "PUT of an unknown client credential's scopes is answered with 404, whatever its body.",
    {
      method: "PUT",
      path: `${CREDENTIALS}/unknown/scopes`,
      headers: jsonBearer,
      body: "{}",
      expected: noCredential,
    },
  ),
];
