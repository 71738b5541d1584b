import type { Fact, Situation } from "./fact.ts";
import { answered, jsonFact, STANDARD } from "./json-fact.ts";
import { basic } from "./requests.ts";

const encoded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");
const part = (value: unknown): string => encoded(JSON.stringify(value));

const head = part({ alg: "mock" });
const payload = part({ scope: "modeltargets.all" });
const BAD_HEADER = "Invalid unsecured/JWS/JWE header: Invalid JSON object";
const BAD_PAYLOAD = "Payload of JWS object is not a valid JSON object";
const BAD_SIGNATURE = "Signed JWT rejected: Invalid signature";
const NO_DOTS = "Invalid JWT serialization: Missing dot delimiter(s)";
const UNSECURED = "Unsecured (plain) JWTs are rejected, extend class to handle";

/** A bad `Authorization` header, and the message. */
const BEARER: readonly (readonly [what: string, authorization: string | undefined, message: string])[] = [
  ["no Authorization", undefined, "no Bearer token"],
  ["the scheme bearer in lower case", `bearer ${head}.${payload}.c2ln`, "no Bearer token"],
  ["a scheme only", "Bearer", "no Bearer token"],
  ["no dot", "Bearer abc", NO_DOTS],
  ["one dot", `Bearer ${head}.${payload}`, NO_DOTS],
  ["three dots", `Bearer ${head}.${payload}.c2ln.c2ln`, NO_DOTS],
  ["a header that is not base64url", `Bearer a+b.${payload}.c2ln`, BAD_HEADER],
  [
    "a padded header",
    `Bearer ${Buffer.from('{"alg":"x"} ').toString("base64")}==.${payload}.c2ln`,
    BAD_HEADER,
  ],
  ["a header of an impossible length", `Bearer ${head}AAAAA.${payload}.c2ln`, BAD_HEADER],
  ["an empty header", `Bearer .${payload}.c2ln`, BAD_HEADER],
  ["a header that is not JSON", `Bearer ${encoded("alg")}.${payload}.c2ln`, BAD_HEADER],
  [
    "a header that is not UTF-8",
    `Bearer ${encoded(Buffer.from([0x22, 0xff, 0x22]))}.${payload}.c2ln`,
    BAD_HEADER,
  ],
  ["a header that is an array", `Bearer ${part(["alg"])}.${payload}.c2ln`, BAD_HEADER],
  ["a wrong header and a wrong payload", "Bearer x.x.", BAD_HEADER],
  [
    "a header without alg",
    `Bearer ${part({ typ: "JWT" })}.${payload}.c2ln`,
    'Missing "alg" in header JSON object',
  ],
  ["alg none", `Bearer ${part({ alg: "none" })}.${payload}.c2ln`, UNSECURED],
  ["alg none and a wrong payload", `Bearer ${part({ alg: "none" })}.x.`, UNSECURED],
  ["a payload that is not base64url", `Bearer ${head}.${payload}=.c2ln`, BAD_PAYLOAD],
  ["a payload that is null", `Bearer ${head}.${part(null)}.c2ln`, BAD_PAYLOAD],
  ["an empty payload", `Bearer ${head}..c2ln`, BAD_PAYLOAD],
  ["a wrong payload and an empty signature", `Bearer ${head}.x.`, BAD_PAYLOAD],
  ["an empty signature", `Bearer ${head}.${payload}.`, "The signature must not be empty"],
  ["a signature that is not base64url", `Bearer ${head}.${payload}.c2l/`, BAD_SIGNATURE],
  ["a signature of an impossible length", `Bearer ${head}.${payload}.c2lnA`, BAD_SIGNATURE],
];

const bearerFacts = BEARER.map(([what, authorization, message]) =>
  jsonFact(`bearer ${what}`, `A bearer token with ${what} is answered with 401 and "${message}".`, {
    path: `${STANDARD}/x/status`,
    headers: () => ({ Authorization: authorization }),
    expected: answered(401, { error: { code: "401", message, target: "jwt" } }),
    check: "bearerToken",
  }),
);

const INVALID_HEADER = {
  error: "invalid_request",
  error_description: "Missing or invalid authorization header",
};
const MISSING_FIELDS = { error: "invalid_request", error_description: "Missing username and/or password" };
const WRONG_PASSWORD = { error: "invalid_grant", error_description: "Invalid username and/or password" };
const ISSUED = '{"access_token":"<text>","token_type":"bearer","expires_in":<integer>}';

const ownClient = ({ keys }: Situation): string =>
  basic(keys.modelTargetClientId ?? "", keys.modelTargetClientSecret ?? "");

type TokenCase = readonly [
  what: string,
  authorization: ((at: Situation) => string) | undefined,
  form: string,
  status: number,
  content: unknown,
  check?: string,
];
const authorized = (what: string, value: string): TokenCase => [
  what,
  () => value,
  "",
  401,
  INVALID_HEADER,
  "knownHolder",
];
const byPassword = (
  what: string,
  username: string,
  password: string,
  status: number,
  content: unknown,
): TokenCase => [
  what,
  undefined,
  new URLSearchParams({ grant_type: "password", username, password }).toString(),
  status,
  content,
  "knownHolder",
];

const TOKENS: readonly TokenCase[] = [
  ["the client's id and secret", ownClient, "", 200, ISSUED],
  ["grant_type client_credentials", ownClient, "grant_type=client_credentials", 200, ISSUED],
  ["a blank grant_type", ownClient, "grant_type=", 200, ISSUED],
  ["a blank scope", ownClient, "scope=++", 200, ISSUED],
  [
    "grant_type implicit",
    ownClient,
    "grant_type=implicit",
    400,
    { error: "unsupported_grant_type" },
    "supportedGrantType",
  ],
  [
    "another grant_type and no Authorization",
    undefined,
    "grant_type=x&scope=y",
    400,
    { error: "unsupported_grant_type" },
    "supportedGrantType",
  ],
  ["no Authorization", undefined, "", 401, INVALID_HEADER, "knownHolder"],
  ["no Authorization and an unknown scope", undefined, "scope=nonsense", 401, INVALID_HEADER, "knownHolder"],
  authorized("the scheme Bearer", "Bearer Y2xpZW50LWlkOmNsaWVudC1zZWNyZXQ="),
  authorized("Basic without credentials", "Basic"),
  authorized("credentials without a colon", "Basic Y2xpZW50LWlk"),
  authorized("unpadded base64", "Basic Y2xpZW50LWlkOmNsaWVudC1zZWNyZXQ"),
  authorized("base64url", "Basic OnNlY3JldF8-"),
  authorized("a space in the base64", "Basic Y2xpZW50 LWlkOmNsaWVudC1zZWNyZXQ="),
  authorized("credentials that are not UTF-8", `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}`),
  [
    "a wrong client secret",
    ({ keys }) => basic(keys.modelTargetClientId ?? "", "wrong"),
    "",
    401,
    { error: "invalid_client" },
    "knownHolder",
  ],
  [
    "a secret followed by a colon",
    ({ keys }) => basic(keys.modelTargetClientId ?? "", `${keys.modelTargetClientSecret}:`),
    "",
    401,
    { error: "invalid_client" },
    "knownHolder",
  ],
  [
    "an unknown client",
    () => basic("nobody", "nothing"),
    "",
    401,
    { error: "invalid_client" },
    "knownHolder",
  ],
  byPassword("no username", "", "password", 400, MISSING_FIELDS),
  byPassword("no password", "nobody@example.com", "", 400, MISSING_FIELDS),
  byPassword("an unknown user", "nobody@example.com", "wrong", 401, WRONG_PASSWORD),
  [
    "an unknown scope",
    ownClient,
    "scope=modeltargets.all+nonsense",
    400,
    { error: "invalid_scope" },
    "scopesHeld",
  ],
];

const shownContent = (content: unknown): string =>
  typeof content === "string" ? "a token" : Object.values(Object(content)).join(", ");

const tokenFacts = TOKENS.map(([what, authorization, form, status, content, check]) => {
  return jsonFact(
    `token ${what}`,
    `A token request with ${what} is answered with ${status} and ${shownContent(content)}.`,
    {
      method: "POST",
      path: "/oauth2/token",
      headers: (at) => ({
        Authorization: authorization?.(at),
        "Content-Type": "application/x-www-form-urlencoded",
      }),
      body: form,
      expected: answered(status, content),
      ...(check !== undefined && { check }),
    },
  );
});

/** The password grant with the user's own name; only who knows the user can try it. */
const ofUser = (
  what: string,
  changes: Readonly<Record<string, string>>,
  status: number,
  content: unknown,
  check?: string,
): Fact =>
  jsonFact(
    `password ${what}`,
    `The password grant with ${what} is answered with ${status} and ${shownContent(content)}.`,
    {
      method: "POST",
      path: "/oauth2/token",
      headers: () => ({ "Content-Type": "application/x-www-form-urlencoded" }),
      body: ({ keys: { modelTargetUsername = "", modelTargetPassword = "" } }) => {
        const user = { username: modelTargetUsername, password: modelTargetPassword };
        return new URLSearchParams({ grant_type: "password", ...user, ...changes }).toString();
      },
      keys: "user",
      expected: answered(status, content),
      ...(check !== undefined && { check }),
    },
  );

const userFacts = [
  ofUser("the user's name and password", {}, 200, ISSUED),
  ofUser("a scope that the user has", { scope: "modeltargets.all" }, 200, ISSUED),
  ofUser("a wrong password", { password: "wrong" }, 401, WRONG_PASSWORD, "knownHolder"),
  ofUser("an unknown scope", { scope: "nonsense" }, 400, { error: "invalid_scope" }, "scopesHeld"),
];

export const OAUTH_FACTS: readonly Fact[] = [...bearerFacts, ...tokenFacts, ...userFacts];
