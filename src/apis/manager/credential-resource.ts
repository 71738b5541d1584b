import type { ClientCredential } from "../../domain/credential.ts";
import { secretText, text, texts } from "./field-kinds.ts";
import type { Fields } from "./fields.ts";

/** An OAuth 2.0 client credential as the target manager shows it (protocol section 10). */
export const credentialResource = (credential: ClientCredential) => ({
  client_id: credential.clientId,
  client_secret: credential.clientSecret,
  scopes: credential.scopes,
});

export const readCredential = (fields: Fields): ClientCredential => ({
  clientId: fields.required("client_id", text),
  clientSecret: fields.required("client_secret", secretText),
  scopes: fields.required("scopes", texts),
});
