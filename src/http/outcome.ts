import type { WireRequest, WireResponse } from "./wire-message.ts";

/** What a transport does with a request: send a response, or fail the connection and say why. */
export type Outcome =
  | { readonly response: WireResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

export interface ConnectionError {
  /** `refused`: nothing is served there. `reset`: the connection is cut in the middle. */
  readonly kind: "refused" | "reset";
  readonly message: string;
}

/** Answers requests; rejects with what a user's own function threw. */
export type RequestHandler = (request: WireRequest) => Promise<Outcome>;
