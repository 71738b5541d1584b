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
  /** The database that requests with its tokens belong to: in the journal, and for faults. Default: none. */
  readonly databaseName?: string | undefined;
}

const listed = { clientId: pathName, clientSecret: text, scopes: listOf(text) };

/** As snapshots hold it. */
export const credentialRecord = z.lazy(() =>
  record<ClientCredential>({ ...listed, databaseName: z.optional(text) }),
);

/** As the target manager accepts it. */
export const postedCredential = wireForm(credentialRecord);

/** As the target manager returns it. */
export const credentialJson = wireForm(z.lazy(() => record<Omit<ClientCredential, "databaseName">>(listed)));

/** How many created credentials may exist at a time. */
export const MAX_CLIENT_CREDENTIALS = 100;
