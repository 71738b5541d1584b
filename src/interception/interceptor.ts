import type { RequestHandler } from "../http/outcome.ts";
import type { HeaderList } from "../http/wire-message.ts";

/** One base URL and what answers requests to it. */
export interface InterceptedHost {
  /** An origin and, optionally, a path prefix, which `handle` does not see. Different for every host of an interception. */
  readonly baseUrl: URL;
  readonly handle: RequestHandler;
  /** Whether the headers tell that a request is meant for this mock, when several have this base URL. */
  readonly recognizes?: (headers: HeaderList) => boolean;
}

/** What one mock wants intercepted. */
export interface Interception {
  readonly hosts: readonly InterceptedHost[];
  /** Requests to other hosts: sent as usual, or failed with an error that names them. `localhost` counts as another host. */
  readonly unhandledRequests: "bypass" | "error";
}

/** Interception that goes on until it is stopped. */
export interface Interceptor {
  /** Ends it and gives everything back. Requests that were already being answered still get their answers. Idempotent. */
  stop(): void;
}
