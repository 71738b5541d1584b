import { check } from "../../emulator/check.ts";
import { type Context, type OperationContext, RequestBody } from "../../emulator/context.ts";
import { header } from "../../emulator/message.ts";
import { parseMediaType } from "../../emulator/multipart.ts";
import { Refusal, refuse } from "../../emulator/response.ts";
import { isJsonObject, type JsonObject } from "../../general/json.ts";
import { percentDecoded, show, showUnknownKey, utf8TextOf } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { TokenProblem } from "../../schema/causes/model-targets.ts";
import type { DatasetTypeName } from "../../schema/model-target.ts";
import * as reads from "../../store/reads.ts";
import { StateUnavailableError } from "../../store/store.ts";
import { malformedLength } from "../explanations/bodies.ts";
import { sendersOf } from "../explanations/clients.ts";
import { malformedJson } from "../explanations/json-mistakes.ts";
import { missingToken } from "../explanations/oauth.ts";
import type { ApiContext, Services } from "../services.ts";
import { isLengthInteger } from "../signed/framing.ts";
import { loadBalancerPage } from "../signed/responses.ts";
import { lacksScope, serviceError, validationError } from "./responses.ts";

/** Stands for the scopes of all datasets. */
export const EVERYTHING = "modeltargets.all";

export const CLIENT_CREDENTIALS = "oauth2.clientcredentials.all";

/** The scopes that each family of datasets needs; {@link EVERYTHING} stands for all four. */
export const FAMILY_SCOPES: Readonly<
  Record<DatasetTypeName, { readonly datasets: string; readonly stateBased: string }>
> = {
  STANDARD: {
    datasets: "modeltargets.standardmodeltarget.all",
    stateBased: "modeltargets.statebasedmodeltarget.all",
  },
  ADVANCED: {
    datasets: "modeltargets.advancedmodeltarget.all",
    stateBased: "modeltargets.advancedstatebasedmodeltarget.all",
  },
};

/** The scopes of the configured client and the configured user. */
export const ALL_SCOPES: readonly string[] = [
  EVERYTHING,
  ...Object.values(FAMILY_SCOPES).flatMap(({ datasets, stateBased }) => [datasets, stateBased]),
  CLIENT_CREDENTIALS,
];

export const scopesIn = (list: string): readonly string[] => list.split(" ").filter((scope) => scope !== "");

/** Decodes unpadded base64url; undefined for other text. */
function decodeBase64Url(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64url") : undefined;
}

const encodeBase64Url = (text: string): string => Buffer.from(text).toString("base64url");

function jsonObjectPart(part: string): JsonObject | undefined {
  const bytes = decodeBase64Url(part);
  if (bytes === undefined) return undefined;
  const { json } = new RequestBody(bytes);
  return json.error === undefined && isJsonObject(json.value) ? json.value : undefined;
}

const HEADER = encodeBase64Url(JSON.stringify({ alg: "mock", typ: "JWT" }));
const SIGNATURE = encodeBase64Url("not verified");

/** A JWT for a client id or user name, the same for the same request. */
export function accessToken(source: string, scopes: readonly string[]): string {
  const scope = [...new Set(scopes)].sort().join(" ");
  const payload = JSON.stringify({ aud: "modeltargets", src: source, scope });
  return `${HEADER}.${encodeBase64Url(payload)}.${SIGNATURE}`;
}

/** The client or user that a bearer token names. */
export function tokenSource(authorization: string | undefined): string | undefined {
  const payload = /^Bearer [^.]*\.([^.]*)\./.exec(authorization ?? "")?.[1];
  const source = payload === undefined ? undefined : jsonObjectPart(payload)?.src;
  return typeof source === "string" ? source : undefined;
}

/** `Basic` and padded base64. */
const BASIC = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
  readonly isFormEncoded: boolean;
}

/** Text as a form's field has it; malformed escapes are left unchanged. */
const formDecoded = (text: string): string => percentDecoded(text.replaceAll("+", " "));

/**
 * Returns the id and secret of HTTP Basic as sent and, if that is another pair, form-decoded (RFC 6749, section 2.3.1). Empty without
 * a well-formed header.
 */
export function basicCredentials(authorization: string | undefined): readonly BasicCredentials[] {
  const [, encoded = ""] = BASIC.exec(authorization ?? "") ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(utf8TextOf(Buffer.from(encoded, "base64")) ?? "") ?? [];
  if (id === undefined || secret === undefined) return [];
  const sent = { id, secret, isFormEncoded: false };
  const decoded = { id: formDecoded(id), secret: formDecoded(secret), isFormEncoded: true };
  return decoded.id === id && decoded.secret === secret ? [sent] : [sent, decoded];
}

/** The database of a client, by its token, or by its id in token requests. */
export async function databaseOfClient(
  authorization: string | undefined,
  { store }: Services,
): Promise<{ readonly databaseName: string } | undefined> {
  const source = tokenSource(authorization);
  const clients = source === undefined ? basicCredentials(authorization).map(({ id }) => id) : [source];
  for (const client of clients) {
    const databaseName = (await store.read(reads.credential(client)))?.databaseName;
    if (databaseName) return { databaseName };
  }
  return undefined;
}

export interface Bearer {
  readonly scopes: readonly string[];
}

/** Masked, unless it is the text of an unset value. */
const showToken = (token: string): string =>
  /^(undefined|null|NaN|\[object \w+\])$/.test(token) ? show(token) : showUnknownKey(token);

const unauthorized = serviceError<string>(
  401,
  "401",
  "There is no bearer token, or it is malformed.",
  (message) => ({ message, target: "jwt" }),
);

const refuseToken = (message: string, problem: TokenProblem, token?: string): Refusal =>
  refuse(unauthorized, cause("token.malformed", { problem, ...(token !== undefined && { token }) }), message);

/** What is around a token, in place of the token only. */
function aroundToken(token: string): TokenProblem | undefined {
  if (/^bearer\b/i.test(token)) return "twice";
  if (/^\s*\{/.test(token)) return "json";
  return /^["'].*["']$/s.test(token) ? "quoted" : undefined;
}

function payloadOf(token: string): JsonObject | Refusal {
  const parts = token.split(".");
  const [head = "", body = "", signature = ""] = parts;
  if (parts.length !== 3)
    return refuseToken(
      "Invalid JWT serialization: Missing dot delimiter(s)",
      aroundToken(token) ?? "parts",
      showToken(token),
    );
  const jose = jsonObjectPart(head);
  if (jose === undefined)
    return refuseToken(
      "Invalid unsecured/JWS/JWE header: Invalid JSON object",
      aroundToken(token) ?? "header",
    );
  if (!Object.hasOwn(jose, "alg")) return refuseToken('Missing "alg" in header JSON object', "algorithm");
  if (jose.alg === "none")
    return refuseToken("Unsecured (plain) JWTs are rejected, extend class to handle", "unsigned");
  const payload = jsonObjectPart(body);
  if (payload === undefined)
    return refuseToken("Payload of JWS object is not a valid JSON object", "payload");
  if (signature === "") return refuseToken("The signature must not be empty", "noSignature");
  return decodeBase64Url(signature) === undefined
    ? refuseToken("Signed JWT rejected: Invalid signature", "signature")
    : payload;
}

/** A well-formed token. Whether it was ever issued, or is still valid, is not verified. */
export const bearerToken = check({
  name: "bearerToken",
  refusals: [unauthorized],
  testLater: async ({ request, entry, services }: ApiContext): Promise<Refusal | Bearer> => {
    const given = header(request, "authorization") ?? "";
    const token = /^Bearer (.+)$/s.exec(given)?.[1];
    if (token === undefined) return refuse(unauthorized, missingToken(request), "no Bearer token");
    const payload = payloadOf(token);
    if (payload instanceof Refusal) return payload;
    // Only for the journal: this request may not need the state, which may be unavailable.
    const database = await databaseOfClient(given, services).catch((error: unknown) => {
      if (!(error instanceof StateUnavailableError)) throw error;
    });
    if (database) entry.database = database.databaseName;
    return { scopes: typeof payload.scope === "string" ? scopesIn(payload.scope) : [] };
  },
});

export const holdsScope = (...accepted: readonly string[]) =>
  check({
    name: "holdsScope",
    refusals: [lacksScope],
    test: ({ scopes }: Bearer) =>
      scopes.some((scope) => accepted.includes(scope)) ||
      cause("scope.missing", { given: show(scopes.join(" ")), accepted: accepted.join(" or ") }),
  });

/** Requests that create a dataset; the profile decides the response. */
export const creationLengthIsInteger = check({
  name: "contentLengthIsInteger",
  refusals: ({ invalidDatasetLength }) => [
    invalidDatasetLength === "page" ? loadBalancerPage : validationError,
  ],
  answersMalformed: "contentLength",
  test: ({ request, profile }: Context): true | Refusal => {
    if (isLengthInteger(request)) return true;
    const why = malformedLength(request);
    return profile.invalidDatasetLength === "page"
      ? refuse(loadBalancerPage, why)
      : refuse(validationError, why, ["The Content-Length header must be an integer"]);
  },
});

const JSON_TYPES = ["application/json", "text/json"];

const wrongContentType = serviceError(415, "ERROR", "The content type is not JSON.", () => ({
  message: "Expecting text/json or application/json body",
}));

/** `Content-Type` names JSON. */
export const jsonContentType = check({
  name: "jsonContentType",
  refusals: [wrongContentType],
  test: ({ request, profile }: Context) => {
    const given = header(request, "content-type") ?? "";
    const { main } = parseMediaType(given);
    return (
      JSON_TYPES.some((type) =>
        profile.datasetContentType === "contained" ? given.includes(type) : main === type,
      ) ||
      cause("content-type.wrong", {
        given: show(given),
        expected: "application/json or text/json",
        client: sendersOf(main, request),
      })
    );
  },
});

const invalidJson = serviceError<string>(400, "ERROR", "The body is not valid JSON.", (message) => ({
  message,
}));

/** The body is JSON in UTF-8; the profile decides how it is refused. */
export const validJson = check({
  name: "validJson",
  refusals: ({ invalidDatasetJson }) => [invalidDatasetJson === "error" ? invalidJson : validationError],
  test: ({ body: { json, bytes }, profile }: OperationContext): true | Refusal => {
    if (json.error === undefined) return true;
    const message = `Invalid Json: ${json.error}`;
    // The journal does not show these bodies either.
    const why = malformedJson(bytes, json, true);
    return profile.invalidDatasetJson === "error"
      ? refuse(invalidJson, why, message)
      : refuse(validationError, why, [message]);
  },
});
