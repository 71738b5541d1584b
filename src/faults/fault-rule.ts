import type { Exchange, Reply } from "../http/exchange.ts";
import type { Awaitable } from "../runtime/awaitable.ts";
import type { Operation, Service } from "../runtime/operation.ts";
import type { Settings } from "../services.ts";

/** A request as the `when` of a fault sees it. */
export interface FaultRequest {
  /** The API that is asked. */
  readonly api: Service;
  /** Undefined when nothing is served under that method and path. */
  readonly operation: Operation | undefined;
  /** Name of the database whose keys the request names, if it is known. */
  readonly database: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
  /** Query string without its `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; empty when there is none. */
  readonly body: Buffer;
}

/** Where a fault's response is made. */
export interface FaultSite {
  readonly exchange: Exchange;
  readonly request: FaultRequest;
  readonly settings: Settings;
}

/** A fault: which requests it concerns, and what it does to them. */
export interface FaultRule {
  /** The option or method that it came from. */
  readonly origin: string;
  /** What it does, in words. */
  readonly effect: string;
  readonly concerns: (request: FaultRequest) => boolean;
  /** Makes the answer that the client gets; absent: the emulator's own. */
  readonly respond?: (site: FaultSite) => Awaitable<Reply>;
  readonly cutConnection?: boolean;
  /** Carries the request out although its answer is another. */
  readonly carriedOut?: boolean;
  readonly delaySeconds?: number;
  /** How often it is applied at most. */
  readonly times?: number;
  /** From 0 to 1. */
  readonly probability?: number;
}
