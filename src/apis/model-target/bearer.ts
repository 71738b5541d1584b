import { guard, type Refusal, refuse, step } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { header } from "../../http/wire-message.ts";
import { modelTargetText, serviceError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { scopesIn } from "./scopes.ts";
import { decodeBase64Url, jsonObjectPart } from "./strict-text.ts";

/** What a bearer token allows. */
export interface Bearer {
  readonly scopes: readonly string[];
}

const rejected = (message: string, reason: string): Refusal =>
  refuse(serviceError(401, { code: "401", message, target: "jwt" }), reason);

/** A well-formed token. Whether it was ever given out, or is still valid, is not verified. */
export const bearerToken = step<Call, Bearer>("bearerToken", ({ request }) => {
  const token = /^Bearer (.+)$/s.exec(header(request, "authorization") ?? "")?.[1];
  if (token === undefined) {
    return rejected(
      "no Bearer token",
      "the Authorization header must be `Bearer` and a token of POST /oauth2/token",
    );
  }
  const [headerPart, payloadPart, signaturePart, ...rest] = token.split(".");
  if (
    headerPart === undefined ||
    payloadPart === undefined ||
    signaturePart === undefined ||
    rest.length > 0
  ) {
    return rejected(
      "Invalid JWT serialization: Missing dot delimiter(s)",
      "the bearer token must have three parts with dots between them",
    );
  }
  const jose = jsonObjectPart(headerPart);
  if (jose === undefined) {
    return rejected(
      "Invalid unsecured/JWS/JWE header: Invalid JSON object",
      "the bearer token's first part must be a JSON object in unpadded base64url",
    );
  }
  if (!Object.hasOwn(jose, "alg")) {
    return rejected(
      'Missing "alg" in header JSON object',
      "the JSON object in the bearer token's first part must name its algorithm as alg",
    );
  }
  if (jose.alg === "none") {
    return rejected(
      "Unsecured (plain) JWTs are rejected, extend class to handle",
      "the bearer token's alg is none; it must be signed",
    );
  }
  const payload = jsonObjectPart(payloadPart);
  if (payload === undefined) {
    return rejected(
      "Payload of JWS object is not a valid JSON object",
      "the bearer token's second part must be a JSON object in unpadded base64url",
    );
  }
  if (signaturePart === "") {
    return rejected("The signature must not be empty", "the bearer token's third part is empty");
  }
  if (decodeBase64Url(signaturePart) === undefined) {
    return rejected(
      "Signed JWT rejected: Invalid signature",
      "the bearer token's third part must be unpadded base64url",
    );
  }
  return { scopes: typeof payload.scope === "string" ? scopesIn(payload.scope) : [] };
});

/** The token holds one of these scopes. */
export const holdsScope = (...accepted: readonly string[]) =>
  guard<Bearer>("holdsScope", ({ scopes }) =>
    scopes.some((scope) => accepted.includes(scope))
      ? undefined
      : refuse(
          () => modelTargetText(403, "User does not have the required scopes to perform this action"),
          `the bearer token's scope is ${show(scopes.join(" "))}; this route needs ${accepted.join(" or ")}`,
        ),
  );
