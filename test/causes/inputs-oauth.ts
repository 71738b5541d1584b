import { request, type Sent, type Situation } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

const PAIR = "client-id:client-secret";
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Asks for a token. */
const token =
  (authorization?: string, body = "", query = "") =>
  (s: Situation): Sent => {
    const type = body === "" ? "" : "application/x-www-form-urlencoded";
    const sent = request(s, "POST", `/oauth2/token${query}`, Buffer.from(body), type);
    return { ...sent, api: "modelTarget", headers: { ...sent.headers, Authorization: authorization } };
  };

/** Asks for a dataset. */
const dataset =
  (authorization: string) =>
  (s: Situation): Sent => {
    const sent = request(s, "GET", "/modeltargets/datasets/0000/status");
    return { ...sent, api: "modelTarget", headers: { ...sent.headers, Authorization: authorization } };
  };

const malformed = (what: string, authorization: string, problem: string, client?: string): Input => [
  what,
  token(authorization),
  "client.malformed",
  { problem, ...(client !== undefined && { client: JSON.stringify(client) }) },
];
const scheme = (what: string, authorization: string, is: string): Input => [
  what,
  dataset(authorization),
  "token.scheme",
  { is },
];
const JWT = `${base64('{"alg":"mock"}')}.${base64("{}")}.c2ln`;

/** Ids, secrets and tokens. */
export const OAUTH: readonly Input[] = [
  malformed("a scheme in lower case", `basic ${base64(PAIR)}`, "case", "client-id"),
  malformed("a scheme in upper case", `BASIC ${base64(PAIR)}`, "case", "client-id"),
  malformed("no space behind Basic", `Basic${base64(PAIR)}`, "space", "client-id"),
  malformed("a colon behind Basic", `Basic: ${base64(PAIR)}`, "space", "client-id"),
  malformed("two spaces behind Basic", `Basic  ${base64(PAIR)}`, "spaces", "client-id"),
  malformed("no scheme", base64(PAIR), "scheme", "client-id"),
  malformed(
    "base64 without padding",
    `Basic ${base64(`${PAIR}12`).replace(/=+$/, "")}`,
    "padding",
    "client-id",
  ),
  malformed(
    "base64url",
    `Basic ${Buffer.from("client-id:client-secret???>").toString("base64url")}`,
    "url",
    "client-id",
  ),
  malformed("no base64", `Basic ${PAIR}`, "plain", "client-id"),
  malformed("base64 in quotation marks", `Basic "${base64(PAIR)}"`, "quoted", "client-id"),
  malformed(
    "percent-encoded base64",
    `Basic ${encodeURIComponent(base64(`${PAIR}12`))}`,
    "percent",
    "client-id",
  ),
  malformed("hexadecimal", `Basic ${Buffer.from(PAIR).toString("hex")}`, "hex", "client-id"),
  malformed("base64 of base64", `Basic ${base64(base64(PAIR))}`, "twice", "client-id"),
  malformed("base64 of the id only", `Basic ${base64("client-id")}`, "colon"),
  malformed(
    "base64 of UTF-16 (PowerShell's Unicode)",
    `Basic ${Buffer.from(PAIR, "utf16le").toString("base64")}`,
    "utf16",
    "client-id",
  ),
  malformed("nothing behind Basic", "Basic", "nothing"),
  ["undefined behind Basic", token("Basic undefined"), "client.unset", { text: "undefined" }],
  [
    "an id that was not set",
    token(`Basic ${base64("undefined:client-secret")}`),
    "client.unset",
    { text: "undefined" },
  ],
  ["a bearer token", token(`Bearer ${JWT}`), "client.other-api", { problem: "bearer" }],
  ["a signature", token("VWS key:signature"), "client.other-api", { problem: "vws" }],
  [
    "an unknown id that is percent-encoded",
    token(`Basic ${base64("another%2Did:client-secret1")}`),
    "client.unknown",
    { given: '"another%2Did"', decoded: '"another-id"' },
  ],
  ["an unknown id", token(`Basic ${base64("another-id:x")}`), "client.unknown", { given: '"another-id"' }],
  [
    "an id with a line feed",
    token(`Basic ${base64("client-id\n:client-secret")}`),
    "client.unknown",
    { is: "space" },
  ],
  [
    "an id in upper case",
    token(`Basic ${base64("CLIENT-ID:client-secret")}`),
    "client.unknown",
    { is: "case" },
  ],
  [
    "a secret with a line feed (echo)",
    token(`Basic ${base64(`${PAIR}\n`)}`),
    "client.secret",
    { is: "space" },
  ],
  [
    "a secret in quotation marks",
    token(`Basic ${base64('client-id:"client-secret"')}`),
    "client.secret",
    { is: "quoted" },
  ],
  ["no secret", token(`Basic ${base64("client-id:")}`), "client.secret", { is: "empty" }],
  [
    "a secret that was not set",
    token(`Basic ${base64("client-id:undefined")}`),
    "client.secret",
    { is: "unset" },
  ],
  [
    "the secret in place of the id",
    token(`Basic ${base64("client-secret:client-secret")}`),
    "client.unknown",
  ],
  [
    "id and secret in the form",
    token(undefined, "grant_type=client_credentials&client_id=client-id&client_secret=client-secret"),
    "client.missing",
    { misplaced: "form", fields: ["client_id", "client_secret"], client: '"client-id"' },
  ],
  [
    "id and secret in the query string",
    token(undefined, "", "?client_id=client-id&client_secret=client-secret"),
    "client.missing",
    { misplaced: "query", fields: ["client_id", "client_secret"] },
  ],
  ["JSON", token(undefined, '{"client_id":"client-id"}'), "client.missing", { misplaced: "json" }],
  [
    "scopes with commas between them",
    token(`Basic ${base64(PAIR)}`, "scope=modeltargets.all,oauth2.clientcredentials.all"),
    "scope.lacking",
    { areJoined: true },
  ],
  scheme("Bearer in lower case", `bearer ${JWT}`, "case"),
  scheme("no space behind Bearer", `Bearer${JWT}`, "space"),
  scheme("a colon behind Bearer", `Bearer: ${JWT}`, "colon"),
  scheme("a token without a scheme", JWT, "none"),
  scheme("a token with another scheme", `Token ${JWT}`, "other"),
  scheme("HTTP Basic", `Basic ${base64(PAIR)}`, "basic"),
  scheme("nothing behind Bearer", "Bearer", "nothing"),
  ["Bearer twice", dataset(`Bearer Bearer ${JWT}`), "token.malformed", { problem: "twice" }],
  ["a token in quotation marks", dataset(`Bearer "${JWT}"`), "token.malformed", { problem: "quoted" }],
  [
    "the whole response as the token",
    dataset(`Bearer {"access_token":"${JWT}","token_type":"bearer"}`),
    "token.malformed",
    { problem: "json" },
  ],
];
