import * as z from "zod/mini";
import { record } from "./kernel/record.ts";
import { listOf, pathName, text } from "./kernel/values.ts";
import { wireForm } from "./kernel/wire.ts";

/** A created OAuth 2.0 client credential. */
export interface ClientCredential {
  /** User name for HTTP Basic authentication. */
  readonly clientId: string;
  /** Password for HTTP Basic authentication. */
  readonly clientSecret: string;
  /** Scopes that its tokens may have. */
  readonly scopes: readonly string[];
}

/** As snapshots hold it. */
export const credentialRecord = z.lazy(() =>
  record<ClientCredential>({ clientId: pathName, clientSecret: text, scopes: listOf(text) }),
);

/** As the target manager accepts and returns it. */
export const credentialJson = wireForm(credentialRecord);

/** How many created credentials may exist at a time. */
export const MAX_CLIENT_CREDENTIALS = 100;
