import type { Reply } from "../http/exchange.ts";

/** A response that a test configured: sent exactly as given. A text body is UTF-8. */
export interface ConfiguredResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** By name; none is added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

/** Its own status, headers and body, and nothing else. */
export const configuredReply = ({ status, headers = {}, body = "" }: ConfiguredResponse): Reply => ({
  status,
  headers: Object.entries(headers),
  body: Buffer.from(body),
});
