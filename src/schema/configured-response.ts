import * as z from "zod/mini";
import { optional, record } from "./kernel/record.ts";
import { headers, textOrBytes, wholeNumberFrom } from "./kernel/values.ts";

/** A response that a test configured: sent exactly as given. A text body is UTF-8. */
export interface ConfiguredResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** By name; no others are added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

export const responseStatus = wholeNumberFrom(200, 599);

/** Fields of a {@link ConfiguredResponse}. */
export const configuredResponseFields = {
  status: responseStatus,
  ...optional({ headers, body: textOrBytes }),
};

export const configuredResponse = z.lazy(() => record<ConfiguredResponse>(configuredResponseFields));
