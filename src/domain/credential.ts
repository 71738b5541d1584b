/** A created OAuth 2.0 client credential (protocol section 9). */
export interface ClientCredential {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/** How many created credentials may exist at a time. */
export const MAX_CLIENT_CREDENTIALS = 100;
