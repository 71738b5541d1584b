import type { Fact, Situation } from "./fact.ts";
import {
  ALL_MISSING,
  answered,
  empty,
  invalidJson,
  MODEL_TARGET,
  NO_CREDENTIAL,
  NO_JSON,
  NOT_JSON,
  TARGET,
  validationError,
} from "./kinds.ts";
import { basic, body, CREDENTIALS, type Draft, header, path, STANDARD, set } from "./requests.ts";
import { type Answer, ASSUMED, all, factsOf, type More, type Row, requestTo, type Table } from "./row.ts";

const encoded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");
const part = (value: unknown): string => encoded(JSON.stringify(value));

const HEAD = part({ alg: "mock" });
const PAYLOAD = part({ scope: "modeltargets.all" });
const jwt = (message: string): Answer => answered(401, { error: { code: "401", message, target: "jwt" } });
const NO_TOKEN = jwt("no Bearer token");
const NO_DOTS = jwt("Invalid JWT serialization: Missing dot delimiter(s)");
const BAD_HEADER = jwt("Invalid unsecured/JWS/JWE header: Invalid JSON object");
const UNSECURED = jwt("Unsecured (plain) JWTs are rejected, extend class to handle");
const BAD_PAYLOAD = jwt("Payload of JWS object is not a valid JSON object");
const BAD_SIGNATURE = jwt("Signed JWT rejected: Invalid signature");
const authorization = (value: string | null) => header("Authorization", value);
/** The three parts of a token. */
const token = (head: string, payload = PAYLOAD, signature = "c2ln") =>
  authorization(`Bearer ${head}.${payload}.${signature}`);
const NOT_UTF8 = encoded(Buffer.from([0x22, 0xff, 0x22]));
const PADDED = `${Buffer.from('{"alg":"x"} ').toString("base64")}==`;
const NOT_UTF8_PAIR = Buffer.from([0xff, 0x3a, 0xff]).toString("base64");
const OF_ANY = `${STANDARD}/x/status`;
const ALG_NONE = part({ alg: "none" });

const BEARERS: Table<Draft> = {
  ids: "model target bearer",
  about: "A bearer token",
  rows: {
    bearerToken: (
      [
        ["no Authorization", NO_TOKEN, authorization(null)],
        ["the scheme bearer in lower case", NO_TOKEN, authorization(`bearer ${HEAD}.${PAYLOAD}.c2ln`)],
        ["a scheme only", NO_TOKEN, authorization("Bearer")],
        ["no dot", NO_DOTS, authorization("Bearer abc")],
        ["one dot", NO_DOTS, authorization(`Bearer ${HEAD}.${PAYLOAD}`)],
        ["three dots", NO_DOTS, token(HEAD, PAYLOAD, "c2ln.c2ln")],
        ["a header that is not base64url", BAD_HEADER, token("a+b")],
        ["a padded header", BAD_HEADER, token(PADDED)],
        ["a header of an impossible length", BAD_HEADER, token(`${HEAD}AAAAA`)],
        ["an empty header", BAD_HEADER, token("")],
        ["a header that is not JSON", BAD_HEADER, token(encoded("alg"))],
        ["a header that is not UTF-8", BAD_HEADER, token(NOT_UTF8)],
        ["a header that is an array", BAD_HEADER, token(part(["alg"]))],
        ["a wrong header and a wrong payload", BAD_HEADER, token("x", "x", "")],
        ["a header without alg", jwt('Missing "alg" in header JSON object'), token(part({ typ: "JWT" }))],
        ["alg none", UNSECURED, token(ALG_NONE)],
        ["alg none and a wrong payload", UNSECURED, token(ALG_NONE, "x", "")],
        ["a payload that is not base64url", BAD_PAYLOAD, token(HEAD, `${PAYLOAD}=`)],
        ["a payload that is null", BAD_PAYLOAD, token(HEAD, part(null))],
        ["an empty payload", BAD_PAYLOAD, token(HEAD, "")],
        ["a wrong payload and an empty signature", BAD_PAYLOAD, token(HEAD, "x", "")],
        ["an empty signature", jwt("The signature must not be empty"), token(HEAD, PAYLOAD, "")],
        ["a signature that is not base64url", BAD_SIGNATURE, token(HEAD, PAYLOAD, "c2l/")],
        ["a signature of an impossible length", BAD_SIGNATURE, token(HEAD, PAYLOAD, "c2lnA")],
      ] as const
    ).map(([what, answer, change]): Row<Draft> => ["dataset status", what, answer, change, path(OF_ANY)]),
  },
};

const describedError = (status: number, error: string, error_description: string): Answer =>
  answered(status, { error, error_description });
const INVALID_HEADER = describedError(401, "invalid_request", "Missing or invalid authorization header");
const MISSING_FIELDS = describedError(400, "invalid_request", "Missing username and/or password");
const WRONG_PASSWORD = describedError(401, "invalid_grant", "Invalid username and/or password");
const ISSUED = answered(200, '{"access_token":"<text>","token_type":"bearer","expires_in":<integer>}');
const UNSUPPORTED = "unsupported_grant_type 400";
const UNKNOWN_CLIENT = "invalid_client 401";

/** The run's own client, or another secret of it. */
const own =
  (form = "", secret = (right: string) => right) =>
  (draft: Draft, { keys }: Situation): void => {
    const { modelTargetClientId = "", modelTargetClientSecret = "" } = keys;
    draft.headers.Authorization = basic(modelTargetClientId, secret(modelTargetClientSecret));
    draft.bytes = Buffer.from(form);
  };
const given = (authorization: string) => all(header("Authorization", authorization), body(""));
const password = (username: string, password: string) =>
  body(new URLSearchParams({ grant_type: "password", username, password }).toString());

const IN_JSON = all(
  header("Content-Type", "application/json"),
  body('{"grant_type":"password","username":"nobody@example.com","password":"wrong"}'),
);

const NO_INTEGER: Answer = (at) => TARGET.named("not an integer", at);
const badLength = set({ contentLength: "x", headers: {} });

const TOKENS: Table<Draft> = {
  ids: "model target token",
  about: "A token request",
  rows: {
    served: [
      ["token", "the client's id and secret", ISSUED, own()],
      ["token", "grant_type client_credentials", ISSUED, own("grant_type=client_credentials")],
      ["token", "a blank grant_type", ISSUED, own("grant_type=")],
      ["token", "a blank scope", ISSUED, own("scope=++")],
    ],
    supportedGrantType: [
      ["token", "grant_type implicit", UNSUPPORTED, own("grant_type=implicit")],
      ["token", "another grant_type and no Authorization", UNSUPPORTED, body("grant_type=x&scope=y")],
    ],
    knownHolder: [
      ["token", "no Authorization", INVALID_HEADER, body("")],
      ["token", "a form in JSON", INVALID_HEADER, IN_JSON, ASSUMED],
      ["token", "no Authorization and an unknown scope", INVALID_HEADER, body("scope=nonsense")],
      ["token", "the scheme Bearer", INVALID_HEADER, given("Bearer Y2xpZW50LWlkOmNsaWVudC1zZWNyZXQ=")],
      ["token", "Basic without credentials", INVALID_HEADER, given("Basic")],
      ["token", "credentials without a colon", INVALID_HEADER, given("Basic Y2xpZW50LWlk")],
      ["token", "unpadded base64", INVALID_HEADER, given("Basic Y2xpZW50LWlkOmNsaWVudC1zZWNyZXQ")],
      ["token", "base64url", INVALID_HEADER, given("Basic OnNlY3JldF8-")],
      ["token", "a space in the base64", INVALID_HEADER, given("Basic Y2xpZW50 LWlkOmNsaWVudC1zZWNyZXQ=")],
      ["token", "credentials that are not UTF-8", INVALID_HEADER, given(`Basic ${NOT_UTF8_PAIR}`)],
      ["token", "a wrong client secret", UNKNOWN_CLIENT, own("", () => "wrong")],
      ["token", "a secret followed by a colon", UNKNOWN_CLIENT, own("", (secret) => `${secret}:`)],
      ["token", "an unknown client", UNKNOWN_CLIENT, given(basic("nobody", "nothing"))],
      ["token", "no username", MISSING_FIELDS, password("", "password")],
      ["token", "no password", MISSING_FIELDS, password("nobody@example.com", "")],
      ["token", "an unknown user", WRONG_PASSWORD, password("nobody@example.com", "wrong")],
    ],
    scopesHeld: [["token", "an unknown scope", "invalid_scope 400", own("scope=modeltargets.all+nonsense")]],
    contentLengthIsInteger: [
      ["token", "content-length: whose Content-Length is no number is refused", NO_INTEGER, badLength],
    ],
  },
};

/** The user's own name and password, and what else the form has. */
const user = (changes: Readonly<Record<string, string>> = {}) =>
  body(({ keys: { modelTargetUsername = "", modelTargetPassword = "" } }) =>
    new URLSearchParams({
      ...{ grant_type: "password", username: modelTargetUsername, password: modelTargetPassword },
      ...changes,
    }).toString(),
  );
/** Only who knows the user can try these. */
const PASSWORDS: Table<Draft> = {
  ids: "model target password",
  about: "The password grant",
  more: { keys: "user" },
  rows: {
    served: [
      ["token", "the user's name and password", ISSUED, user()],
      ["token", "a scope that the user has", ISSUED, user({ scope: "modeltargets.all" })],
    ],
    knownHolder: [["token", "a wrong password", WRONG_PASSWORD, user({ password: "wrong" })]],
    scopesHeld: [["token", "an unknown scope", "invalid_scope 400", user({ scope: "nonsense" })]],
  },
};

const created = requestTo(MODEL_TARGET, "create credential");
const byCreated = header("Authorization", ({ given }) => basic(given("client_id"), given("client_secret")));
/** A token of a client that may only create datasets of the standard family. */
const limited: More = {
  before: [
    requestTo(MODEL_TARGET, "create credential", body('{"scopes":["modeltargets.standardmodeltarget.all"]}')),
    requestTo(MODEL_TARGET, "token", all(byCreated, body("grant_type=client_credentials"))),
  ],
};
const limitedBearer = header("Authorization", ({ given }) => `Bearer ${given("access_token")}`);
const asText = header("Content-Type", "text/plain");
const UNKNOWN = path(`${CREDENTIALS}/unknown`);
const UNKNOWN_SCOPES = all(path(`${CREDENTIALS}/unknown/scopes`), body("{}"));
const allAsText = all(asText, body('["modeltargets.all"]'));
const LIST = answered(200, "[<any>]");
const READING: More = { needs: "reading", before: undefined };
const AFTER_DELETION: More = { before: [created, requestTo(MODEL_TARGET, "delete credential")] };
const MADE = answered(201, '{"client_id":"<text>","client_secret":"<text>"}');
const held = (scopes: readonly string[]) => (at: Situation) =>
  answered(200, { clientId: at.given("client_id"), scopes });
const INVALID_SCOPES = answered(400, {
  error: { code: "BAD_REQUEST", message: "Invalid scopes", target: "scopes" },
});
const NO_SCOPES = validationError(["/scopes: error.expected.jsarray"]);
const LACKS_SCOPE = answered(
  403,
  "User does not have the required scopes to perform this action",
  "text/plain",
);
const LACKS_STATES = answered(
  403,
  '{"error":{"code":"ERROR","message":"User not allowed to create State Based Model Targets","target":"userId:<any>"}}',
);
const withStates = all(limitedBearer, body('{"models":[{"stateBasedConfigurationJsonString":"{}"}]}'));

const notCreated = (what: string, answer: Answer, bytes: string | Buffer): Row<Draft> => [
  "create credential",
  what,
  answer,
  body(bytes),
];
const CREATIONS: Table<Draft> = {
  ids: "model target credentials",
  about: "The creation of a client credential",
  more: { needs: "writing" },
  rows: {
    served: [["create credential", "create: of a list of scopes is answered with an id and a secret", MADE]],
    scopesGiven: [
      "{}",
      '{"scopes":null}',
      '{"scopes":"modeltargets.all"}',
      '{"scopes":["modeltargets.all",1]}',
    ].map((bytes) => notCreated(bytes, NO_SCOPES, bytes)),
    bodyIsJsonObject: [
      notCreated("the body null", ALL_MISSING, "null"),
      notCreated("the body of an empty array", ALL_MISSING, "[]"),
      notCreated('the body "scopes"', ALL_MISSING, '"scopes"'),
      notCreated("the body 7", ALL_MISSING, "7"),
    ],
    validJson: NO_JSON.map(([what, bytes]) => notCreated(what, invalidJson, bytes)),
    jsonContentType: [
      ["create credential", "content-type: as text/plain is refused", NOT_JSON, asText, body("{")],
    ],
    knownCredential: [
      ["delete credential", "unknown-delete: DELETE of an unknown one is refused", NO_CREDENTIAL, UNKNOWN],
      [
        "set scopes",
        "unknown-scopes: PUT of an unknown one's scopes is refused",
        NO_CREDENTIAL,
        UNKNOWN_SCOPES,
      ],
    ],
  },
};

const scopesRefused = (id: string, bytes: string): Row<Draft> => [
  "set scopes",
  `scopes-refused-${id}: with the body ${JSON.stringify(bytes)} is refused`,
  INVALID_SCOPES,
  body(bytes),
];
/** About a client credential that was created for it. */
const OF_CREATED: Table<Draft> = {
  ids: "model target credentials",
  more: { needs: "writing", before: [created] },
  rows: {
    served: [
      ["list credentials", "list: is answered with a list", LIST, READING],
      ["set scopes", "scopes: replaces the scopes", held([]), body("[]")],
      ["set scopes", "scopes-content-type: takes any content type", held(["modeltargets.all"]), allAsText],
      ["delete credential", "delete: is answered with 204", empty(204)],
    ],
    scopesValid: [
      scopesRefused("cut-off", "{"),
      scopesRefused("empty", ""),
      scopesRefused("object", "{}"),
      scopesRefused("null", "null"),
      scopesRefused("1", "[1]"),
    ],
    holdsScope: [
      [
        "list credentials",
        "token-without-scope: refuses a token without the scope",
        LACKS_SCOPE,
        limitedBearer,
        limited,
      ],
    ],
    mayUseStates: [
      [
        "create dataset",
        "token-without-states: refuses states without the scope for them",
        LACKS_STATES,
        withStates,
        limited,
      ],
    ],
    knownHolder: [
      ["token", "deleted: gives a deleted credential no token", UNKNOWN_CLIENT, byCreated, AFTER_DELETION],
    ],
  },
};

export const OAUTH_FACTS: readonly Fact[] = [
  ...factsOf(MODEL_TARGET, BEARERS),
  ...factsOf(MODEL_TARGET, TOKENS),
  ...factsOf(MODEL_TARGET, PASSWORDS),
  ...factsOf(MODEL_TARGET, CREATIONS),
  ...factsOf(MODEL_TARGET, OF_CREATED),
];
