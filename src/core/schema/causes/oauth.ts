import { refusal, remark } from "./row.ts";
import { lostHeaders, unset } from "./words.ts";

const BASIC = "Basic and the base64 of <client id>:<client secret>";
const TOKEN = "`Bearer`, a space and the access_token of POST /oauth2/token";

const MISPLACED = {
  json: "the body is JSON, but this route reads a form (application/x-www-form-urlencoded)",
  form: "this route does not read the form's",
  query: "this route does not read the query string's",
} as const;

/** What this route does not read. */
function misplacedIn({ misplaced, fields = [], client }: Misplaced): string {
  if (misplaced === undefined) return "";
  const [name] = fields.filter((each) => /secret/i.test(each)).concat(fields);
  if (name === undefined) return `; ${MISPLACED[misplaced]}`;
  const whose = client === undefined ? "" : ` (of the client ${client})`;
  return `; ${MISPLACED[misplaced]} ${name}: use HTTP Basic (client_secret_basic) for ${fields.join(" and ")}${whose}`;
}

type Misplaced = {
  readonly misplaced?: keyof typeof MISPLACED | undefined;
  /** The names of the id's and the secret's fields. */
  readonly fields?: readonly string[];
  /** The id in them. */
  readonly client?: string;
};

const MALFORMED_CLIENT = {
  nothing: "write the client id and secret behind Basic: nothing follows it",
  case: 'write the scheme as "Basic": its case matters here',
  space: "write a space behind Basic",
  scheme: "write Basic and a space before the base64",
  spaces: "write one space behind Basic, and none elsewhere",
  plain: "encode <client id>:<client secret> as base64: they were sent as they are",
  padding: "write the padding (=) at the end of the base64",
  url: "encode with + and / (base64, not base64url)",
  percent: "send the base64 as it is, without percent-encoding",
  quoted: "remove the quotation marks",
  hex: "encode with base64, not in hexadecimal",
  twice: "encode with base64 once: it was encoded twice",
  colon: "join the client id and the client secret with a colon before you encode them",
  utf16:
    "encode the UTF-8 of the client id and the client secret (in PowerShell, [Text.Encoding]::UTF8): it was UTF-16",
  text: "encode the UTF-8 of the client id and the client secret: what was encoded is not UTF-8",
  base64: "encode <client id>:<client secret> as base64: what follows Basic is not base64",
} as const;
export type ClientProblem = keyof typeof MALFORMED_CLIENT;

const SIGNED = "a signature (VWS) belongs to the target and query APIs";
const OTHER_API = { bearer: "Bearer tokens are what this route returns", vws: SIGNED } as const;

const SCHEMES = {
  case: 'write the scheme as "Bearer": its case matters here',
  space: "write a space between Bearer and the token",
  colon: "write no colon behind Bearer",
  none: "write Bearer and a space before the token",
  nothing: "write the token behind Bearer: nothing follows it",
  basic: "get a token from POST /oauth2/token first: HTTP Basic belongs to that route",
  other: "write Bearer as the scheme",
} as const;
export type TokenScheme = keyof typeof SCHEMES;

const SECRETS = {
  empty: "check the variable that holds it: it is empty",
  unset: "check the variable that holds it: it is the text of a value that was not set",
  space: "trim it: it has white space around it (such as the line feed of echo; use printf)",
  quoted: "remove the quotation marks around it",
  case: "send it unchanged: its case is another",
} as const;
export type SecretProblem = keyof typeof SECRETS;

/** An id as it was sent in HTTP Basic, and without its percent-encoding. An id is no secret. */
type SentId = {
  readonly given: string;
  readonly decoded?: string | undefined;
};
const idOf = ({ given, decoded }: SentId): string =>
  decoded === undefined ? given : `${given}, which decoded is ${decoded}`;

/** The client's id and secret, and how tokens are sent. */
export const oauthCauses = {
  "token.missing": refusal<{ readonly isSigned: boolean; readonly isLost?: boolean }>(
    "The request has no bearer token.",
    ({ isSigned, isLost }) =>
      `send an Authorization header with ${TOKEN}: the request has ${isSigned ? `another; ${SIGNED}` : "none"}` +
      lostHeaders(isLost),
    "Send `Authorization: Bearer` and the access_token of POST /oauth2/token.",
    "POST /modeltargets/datasets\nAuthorization:",
  ),
  "token.scheme": refusal<{ readonly is: TokenScheme; readonly scheme?: string }>(
    "The Authorization header has no Bearer and a space before its token.",
    ({ is, scheme }) =>
      `${SCHEMES[is]}: there is an Authorization header${scheme === undefined ? "" : `, whose scheme is ${scheme}`}; expected ${TOKEN}`,
    "Send `Bearer`, a space and the access_token of POST /oauth2/token.",
    "POST /modeltargets/datasets\nAuthorization: bearer <token>",
  ),
  "client.missing": refusal<Misplaced>(
    "The request has no client id and secret.",
    (facts) => `send an Authorization header with ${BASIC}: the request has none${misplacedIn(facts)}`,
    "Send the client id and the client secret by HTTP Basic.",
    "POST /oauth2/token\nAuthorization:",
  ),
  "client.malformed": refusal<{
    readonly problem: ClientProblem;
    readonly scheme?: string | undefined;
    /** The client id that was sent, decoded. */
    readonly client?: string | undefined;
  }>(
    "The Authorization header is there, but no well-formed HTTP Basic.",
    ({ problem, scheme, client }) =>
      `${MALFORMED_CLIENT[problem]}: there is an Authorization header` +
      `${scheme === undefined ? "" : `, whose scheme is ${scheme}`}${client === undefined ? "" : `, of the client ${client}`}; expected ${BASIC}`,
    "Send `Basic`, a space and the padded base64 of the client id, a colon and the client secret.",
    "POST /oauth2/token\nAuthorization: basic <base64>",
  ),
  "client.unset": refusal<{ readonly text: string }>(
    "The client id, or what follows Basic, is the text of a value that was not set.",
    ({ text }) => unset("the client id", text),
    "Check the variables that hold the client id and the client secret.",
    "POST /oauth2/token\nAuthorization: Basic undefined",
  ),
  "client.other-api": refusal<{ readonly problem: keyof typeof OTHER_API }>(
    "The Authorization header is one of another route.",
    ({ problem }) => `send the client's id and secret: expected ${BASIC}; ${OTHER_API[problem]}`,
    "Send the client id and the client secret by HTTP Basic.",
    "POST /oauth2/token\nAuthorization: Bearer token",
  ),
  "client.swapped": refusal(
    "The client id and the client secret are swapped.",
    () => `swap the client id and the client secret: expected ${BASIC}`,
    "Swap the client id and the client secret.",
    "POST /oauth2/token with the secret in place of the id",
  ),
  "client.secret": refusal<{ readonly client: string; readonly is?: SecretProblem | undefined }>(
    "The client secret is wrong.",
    ({ client, is }) =>
      `correct the client secret, which is wrong for the client ${client}${is === undefined ? "" : `: ${SECRETS[is]}`}`,
    "Send the secret that belongs to the client.",
    "POST /oauth2/token with another secret",
  ),
  "client.unknown": refusal<SentId & { readonly is?: SecretProblem | undefined }>(
    "The client is unknown.",
    (facts) =>
      `correct the client id: no client has the id ${idOf(facts)}${facts.is === undefined ? "" : `; ${SECRETS[facts.is]}`}; expected ${BASIC}`,
    "Send the id of the configured client, or of one that was created and not deleted.",
    "POST /oauth2/token with another client id",
  ),
  "client.form-encoded": remark(
    "The client form-encoded its id and its secret.",
    () =>
      "the client form-encoded its id and its secret, as RFC 6749 asks; nobody has observed whether the real service decodes them",
    "Nothing, unless the real service refuses it: then send them as they are.",
    "POST /oauth2/token with a form-encoded client id",
  ),
};
