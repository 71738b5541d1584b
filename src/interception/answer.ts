import { constants } from "node:os";
import type { ConnectionError } from "../http/outcome.ts";
import type { WireRequest, WireResponse } from "../http/wire-message.ts";
import { type HostTable, showUrl } from "./host-table.ts";

/** A request as an interceptor gets it: with the base URL's prefix, path and query in one. */
export interface InterceptedRequest extends Pick<WireRequest, "method" | "headers" | "body"> {
  readonly origin: string;
  /** Path and query string. */
  readonly target: string;
}

/**
 * Has a running mock answer a request.
 *
 * @throws the error that the client's request should fail with.
 */
export async function answer(hosts: HostTable, request: InterceptedRequest): Promise<WireResponse> {
  const { origin, target, method, headers, body } = request;
  const mark = target.indexOf("?");
  const fullPath = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const served = hosts.find(origin, fullPath, headers);
  if (served === undefined) {
    const message = `No mock serves ${method} ${showUrl(origin, fullPath)}`;
    const baseUrls = hosts.baseUrls(origin).join(" and ");
    throw connectionError({ kind: "refused", message: baseUrls ? `${message}, only ${baseUrls}` : message });
  }
  const outcome = await served.handle({ method, path: served.path, query, headers, body });
  if (outcome.response === undefined) throw connectionError(outcome.connectionError);
  // On the wire, the answer to HEAD has the headers of a body but never the body.
  return method === "HEAD" ? { ...outcome.response, body: Buffer.alloc(0) } : outcome.response;
}

const SYSTEM_ERRORS = {
  refused: { code: "ECONNREFUSED", errno: -constants.errno.ECONNREFUSED, syscall: "connect" },
  reset: { code: "ECONNRESET", errno: -constants.errno.ECONNRESET, syscall: "read" },
} as const;

/** A TypeError, because that is what `fetch` rejects with; `code` where node:http has it, and on `cause` where fetch has it. */
export function connectionError({ kind, message }: ConnectionError, reason?: unknown): TypeError {
  const cause = reason ?? Object.assign(new Error(message), SYSTEM_ERRORS[kind]);
  return Object.assign(new TypeError(message, { cause }), SYSTEM_ERRORS[kind]);
}

/** For a request that leaves the process while a mock has `unhandledRequests: "error"`. */
export function unhandledError(method: string, origin: string, target: string): TypeError {
  return new TypeError(
    `${method} ${showUrl(origin, target)}: no mock serves this host, and with unhandledRequests: "error" no request ` +
      'leaves the process, not even to localhost; "bypass" would let it',
  );
}
