import { contentLengthIsInteger } from "../../guards/content-length.ts";
import { Checks, type Refusal, refuse, step } from "../../http/guard.ts";
import { show, showUnknownKey } from "../../http/show.ts";
import { header } from "../../http/wire-message.ts";
import { tokenError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { ALL_SCOPES, scopesIn } from "./scopes.ts";
import { decodeBase64 } from "./strict-text.ts";

/** The body's fields. The first of repeated ones counts; a body that is not UTF-8 has none. */
interface Form {
  readonly form: URLSearchParams;
}

interface Grant extends Form {
  readonly grant: "client_credentials" | "password";
}

/** Who asks for a token, and what is theirs to give. */
interface Holder {
  readonly source: string;
  readonly scopes: readonly string[];
}

const isBlank = (value: string | null): boolean => value === null || value.trim() === "";

const supportedGrantType = step<Call, Grant>("supportedGrantType", ({ body }) => {
  // The `&` keeps a leading `?` part of the first field's name.
  const form = new URLSearchParams(`&${body.text ?? ""}`);
  const given = form.get("grant_type");
  if (isBlank(given)) return { form, grant: "client_credentials" };
  return given === "client_credentials" || given === "password"
    ? { form, grant: given }
    : refuse(
        tokenError(400, "unsupported_grant_type"),
        `grant_type is ${show(given)}; accepted are client_credentials (the default) and password`,
      );
});

/** The id and secret of HTTP Basic; undefined without a well-formed header. */
function basicCredentials({ request }: Call): { id: string; secret: string } | undefined {
  const encoded = /^Basic (.*)$/.exec(header(request, "authorization") ?? "")?.[1];
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded);
  const text = bytes === undefined ? undefined : utf8TextOf(bytes);
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(text ?? "") ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

function utf8TextOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function clientOf(call: Call): Promise<Refusal | Holder> {
  const given = basicCredentials(call);
  if (given === undefined) {
    return refuse(
      tokenError(401, "invalid_request", "Missing or invalid authorization header"),
      "the Authorization header must be `Basic` and the base64 of <client id>:<client secret>",
    );
  }
  const { settings, store } = call.services;
  const { id, secret } = settings.modelTargetClient;
  if (given.id === id && given.secret === secret) return { source: id, scopes: ALL_SCOPES };
  const created = await store.findCredential(given.id);
  if (created?.clientSecret === given.secret) return { source: created.clientId, scopes: created.scopes };
  const known = given.id === id || created !== undefined;
  return refuse(
    tokenError(401, "invalid_client"),
    known
      ? `the client secret is not that of the client ${show(given.id)}`
      : `no client has the id ${showUnknownKey(given.id)}; Basic wants <client id>:<client secret>`,
  );
}

function userOf({ form, services: { settings } }: Call & Form): Refusal | Holder {
  const username = form.get("username") ?? "";
  const password = form.get("password") ?? "";
  if (username === "" || password === "") {
    return refuse(
      tokenError(400, "invalid_request", "Missing username and/or password"),
      "the password grant needs the form fields username and password",
    );
  }
  const user = settings.modelTargetUser;
  if (username === user.name && password === user.password) return { source: username, scopes: ALL_SCOPES };
  return refuse(
    tokenError(401, "invalid_grant", "Invalid username and/or password"),
    username === user.name
      ? `the password is not that of the user ${show(username)}`
      : `no user has the name ${showUnknownKey(username)}`,
  );
}

const knownHolder = step<Call & Grant, { holder: Holder }>("knownHolder", async (call) => {
  const found = call.grant === "password" ? userOf(call) : await clientOf(call);
  return "scopes" in found ? { holder: found } : found;
});

const scopesHeld = step<Form & { holder: Holder }, { granted: readonly string[] }>(
  "scopesHeld",
  ({ form, holder }) => {
    const wanted = form.get("scope");
    if (wanted === null || isBlank(wanted)) return { granted: holder.scopes };
    const granted = scopesIn(wanted);
    const lacking = granted.filter((scope) => !holder.scopes.includes(scope));
    return lacking.length === 0
      ? { granted }
      : refuse(
          tokenError(400, "invalid_scope"),
          `scope names ${show(lacking.join(" "))}, which the credential does not hold; it holds ${holder.scopes.join(" ")}`,
        );
  },
);

/** `POST /oauth2/token`: the paragraph "Token" of protocol section 9, in order. */
export const tokenChecks = Checks.on<Call>()
  .checking(contentLengthIsInteger)
  .adding(supportedGrantType)
  .adding(knownHolder)
  .adding(scopesHeld);
