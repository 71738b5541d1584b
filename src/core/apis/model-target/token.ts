import { CheckTable, check } from "../../emulator/check.ts";
import { addRemark } from "../../emulator/context.ts";
import {
  constantSchema,
  enumSchema,
  objectSchema,
  openObjectSchema,
  stringSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import { header } from "../../emulator/message.ts";
import { operation } from "../../emulator/operation.ts";
import { ok, type Refusal, refuse } from "../../emulator/response.ts";
import { bounded, isUnset, show, showUnknownKey } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import * as reads from "../../store/reads.ts";
import { StateUnavailableError } from "../../store/store.ts";
import { malformedClient, missingClient, problemWith, showingId } from "../explanations/oauth.ts";
import type { ApiContext } from "../services.ts";
import { contentLengthIsInteger } from "../signed/framing.ts";
import { ALL_SCOPES, accessToken, type BasicCredentials, basicCredentials, scopesIn } from "./checks.ts";
import { success, tokenError } from "./responses.ts";

/** The first of repeated fields counts. A body that is not UTF-8 has none. */
interface ParsedForm {
  readonly form: URLSearchParams;
}

interface Grant extends ParsedForm {
  readonly grant: "client_credentials" | "password";
}

/** The client or user that asks for a token, and its scopes. */
interface Holder {
  readonly source: string;
  readonly scopes: readonly string[];
}

const isBlank = (value: string | null): boolean => value === null || value.trim() === "";

/** Forms of megabytes may have millions of fields. */
export const MOST_FORM_BYTES = 2 ** 18;

const unsupportedGrantType = tokenError(400, "unsupported_grant_type", "The grant type is unknown.");

/** `grant_type` is supported. Adds the form and the grant to the context. */
const supportedGrantType = check({
  name: "supportedGrantType",
  refusals: [unsupportedGrantType],
  test: ({ body }: ApiContext): Grant | AnyCause => {
    const { length } = body.bytes;
    if (length > MOST_FORM_BYTES) return cause("form.too-large", { bytes: length, most: MOST_FORM_BYTES });
    // The `&` keeps a leading `?` part of the first field's name.
    const form = new URLSearchParams(`&${body.text ?? ""}`);
    const given = form.get("grant_type");
    if (isBlank(given)) return { form, grant: "client_credentials" };
    return given === "client_credentials" || given === "password"
      ? { form, grant: given }
      : cause("grant.unknown", { given: showUnknownKey(given ?? undefined) });
  },
});

const invalidAuthorization = tokenError(
  401,
  "invalid_request",
  "There is no Authorization header, or it is malformed.",
  "Missing or invalid authorization header",
);
const invalidClient = tokenError(401, "invalid_client", "The client is unknown, or its secret is wrong.");
const missingUser = tokenError(
  400,
  "invalid_request",
  "The user name or the password is missing.",
  "Missing username and/or password",
);
const invalidGrant = tokenError(
  401,
  "invalid_grant",
  "The user is unknown, or the password is wrong.",
  "Invalid username and/or password",
);

async function clientOf(context: ApiContext & ParsedForm): Promise<Refusal | Holder> {
  const { entry, request, services } = context;
  const readings = basicCredentials(header(request, "authorization"));
  if (readings.length === 0) return refuse(invalidAuthorization, await withoutClient(context));
  const { modelTargetClient: configured } = services.answerOptions;
  const accept = ({ id, isFormEncoded }: BasicCredentials, scopes: readonly string[]): Holder => {
    if (isFormEncoded) addRemark(entry, cause("client.form-encoded"));
    return { source: id, scopes };
  };
  for (const given of readings) {
    // The configured client needs no state, which may be unavailable.
    if (given.id === configured.id && given.secret === configured.secret) return accept(given, ALL_SCOPES);
    const created = await services.store.read(reads.credential(given.id));
    if (created?.databaseName !== undefined) entry.database = created.databaseName;
    if (created?.clientSecret === given.secret) return accept(given, created.scopes);
  }
  return refuseClient(readings, services);
}

/** What is in the place of the client's id and secret. */
async function withoutClient({ request, body, form, services }: ApiContext & ParsedForm): Promise<AnyCause> {
  const showId = showingId(await secretsOf(services));
  const given = header(request, "authorization");
  return given === undefined || given === ""
    ? missingClient(request, body.text ?? "", form, showId)
    : malformedClient(given, showId);
}

const MOST_SECRETS = 1000;

/** What must not be shown, if a client sends it in place of an id. */
async function secretsOf({ answerOptions, store }: ApiContext["services"]): Promise<readonly string[]> {
  const { modelTargetClient: client, modelTargetUser: user } = answerOptions;
  const own = [client.secret, user.password];
  // They may be unavailable: the refusal needs no state.
  try {
    const databases = await store.read(reads.cloudDatabases);
    const credentials = await store.read(reads.credentials);
    return [
      ...own,
      ...credentials.slice(-MOST_SECRETS).map(({ clientSecret }) => clientSecret),
      ...databases
        .slice(-MOST_SECRETS)
        .flatMap(({ serverSecretKey, clientSecretKey }) => [serverSecretKey, clientSecretKey]),
    ];
  } catch (error) {
    if (error instanceof StateUnavailableError) return own;
    throw error;
  }
}

async function refuseClient(
  readings: readonly BasicCredentials[],
  services: ApiContext["services"],
): Promise<Refusal> {
  const { answerOptions, store } = services;
  const { modelTargetClient: configured } = answerOptions;
  const secretsFor = async (id: string) =>
    [
      id === configured.id ? configured.secret : undefined,
      (await store.read(reads.credential(id)))?.clientSecret,
    ].filter((known) => known !== undefined);
  for (const { id, secret } of readings) {
    const known = await secretsFor(id);
    if (known.length > 0)
      return refuse(
        invalidClient,
        cause("client.secret", { client: show(id), is: problemWith(secret, known) }),
      );
    // What is in the place of the id is not shown: it may be a secret, right or not.
    if ((await secretsFor(secret)).length > 0) return refuse(invalidClient, cause("client.swapped"));
  }
  const [sent, decoded] = readings;
  const id = sent?.id ?? "";
  const showId = showingId(await secretsOf(services));
  if (id.includes("\0"))
    return refuse(
      invalidClient,
      cause("client.malformed", { problem: "utf16", client: showId(id.replaceAll("\0", "")) }),
    );
  const ids = [
    configured.id,
    ...(await store.read(reads.credentials)).slice(-MOST_SECRETS).map(({ clientId }) => clientId),
  ];
  return refuse(
    invalidClient,
    isUnset(id)
      ? cause("client.unset", { text: id })
      : cause("client.unknown", {
          given: showId(id),
          ...(decoded !== undefined && { decoded: showId(decoded.id) }),
          is: problemWith(id, ids),
        }),
  );
}

function userOf(context: ApiContext & ParsedForm): Refusal | Holder {
  const username = context.form.get("username") ?? "";
  const password = context.form.get("password") ?? "";
  if (username === "" || password === "") {
    return refuse(missingUser, cause("user.missing"));
  }
  const user = context.services.answerOptions.modelTargetUser;
  if (username === user.name && password === user.password) return { source: username, scopes: ALL_SCOPES };
  return refuse(
    invalidGrant,
    username === user.name
      ? cause("user.password", { user: show(username) })
      : cause("user.unknown", { given: showUnknownKey(username) }),
  );
}

/** The client or user is known, and its secret or password is right. Adds it to the context. */
const knownHolder = check({
  name: "knownHolder",
  refusals: [invalidAuthorization, invalidClient, missingUser, invalidGrant],
  testLater: async (context: ApiContext & Grant): Promise<Refusal | { holder: Holder }> => {
    const found = context.grant === "password" ? userOf(context) : await clientOf(context);
    return "scopes" in found ? { holder: found } : found;
  },
});

const invalidScope = tokenError(400, "invalid_scope", "A requested scope is not held.");

/** The credential holds the requested scopes. Adds them to the context. */
const scopesHeld = check({
  name: "scopesHeld",
  refusals: [invalidScope],
  test: ({ form, holder }: ParsedForm & { readonly holder: Holder }) => {
    const wanted = form.get("scope");
    if (wanted === null || isBlank(wanted)) return { granted: holder.scopes };
    const granted = scopesIn(wanted);
    const lacking = granted.filter((scope) => !holder.scopes.includes(scope));
    return lacking.length === 0
      ? { granted }
      : cause("scope.lacking", {
          lacking: bounded(lacking.map(shownScope).join(" ")),
          held: bounded(holder.scopes.join(" ")),
          ...(lacking.some(areScopes) && { areJoined: true }),
        });
  },
});

/** Whether scopes were joined by something else than a space. */
const areScopes = (scope: string): boolean => {
  const parts = scope.split(/[,;+]/);
  return parts.length > 1 && parts.every((part) => ALL_SCOPES.includes(part));
};

/** An unknown scope may be a misplaced secret. */
const shownScope = (scope: string): string =>
  ALL_SCOPES.includes(scope) ? show(scope) : showUnknownKey(scope);

const LIFETIME_SECONDS = 3600;

const tokenGiven = success(
  200,
  "A token.",
  objectSchema({
    access_token: withDescription(stringSchema, "A JSON Web Token."),
    token_type: constantSchema("bearer"),
    expires_in: withDescription({ type: "integer", const: LIFETIME_SECONDS }, "In seconds."),
  }),
);

export const token = operation({
  name: "token",
  method: "POST",
  path: "/oauth2/token",
  summary: "Issues a bearer token to a client or a user.",
  security: "oauthClient",
  checks: CheckTable.on<ApiContext, "token">()
    .and(contentLengthIsInteger)
    .and(supportedGrantType)
    .and(knownHolder)
    .and(scopesHeld),
  body: {
    contentType: "application/x-www-form-urlencoded",
    schema: openObjectSchema(
      {},
      {
        grant_type: { ...enumSchema(["client_credentials", "password"]), default: "client_credentials" },
        username: stringSchema,
        password: stringSchema,
        scope: withDescription(
          stringSchema,
          "Separated by spaces. Default: every scope that the credential holds.",
        ),
      },
    ),
  },
  responses: [tokenGiven],
  handle: async ({ holder, granted }) =>
    ok(tokenGiven, {
      access_token: accessToken(holder.source, granted),
      token_type: "bearer",
      expires_in: LIFETIME_SECONDS,
    }),
});
