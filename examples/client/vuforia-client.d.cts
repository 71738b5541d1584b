/** The four keys of a cloud database. */
export interface DatabaseKeys {
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
}

export interface QueryResult {
  readonly target_id: string;
  readonly target_data?: { readonly name: string; readonly target_timestamp: number };
}

/**
 * A typical application's client: it calls the real service's hosts with the global `fetch` and does not know about the
 * mock.
 */
export class VuforiaClient {
  constructor(keys: DatabaseKeys, targetUrl?: string, queryUrl?: string);
  /** Returns the new target's id. */
  addTarget(name: string, image: Uint8Array): Promise<string>;
  /** `processing`, `success` or `failed`. */
  statusOf(targetId: string): Promise<string>;
  summary(): Promise<Record<string, unknown>>;
  find(image: Uint8Array): Promise<readonly QueryResult[]>;
}
