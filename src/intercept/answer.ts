import { constants } from "node:os";
import type { ConnectionError, Result, WireRequest, WireResponse } from "../emulator/message.ts";
import type { MalformedKind } from "../emulator/operation.ts";
import type { RequestHead } from "../servers/http/http-messages.ts";
import { type HostTable, showUrl, urlOf } from "./host-table.ts";

/** A request as an interceptor receives it; its path includes the base URL's prefix. */
export interface InterceptedRequest extends WireRequest {
  readonly origin: string;
}

/**
 * Answers a request from a started mock.
 *
 * @throws the error that the client's request should fail with.
 */
export async function answer(hosts: HostTable, request: InterceptedRequest): Promise<WireResponse> {
  const { origin, ...asked } = request;
  const { method, path: fullPath } = asked;
  const served = hosts.find(origin, request);
  if (served === undefined) {
    const what = `No mock serves ${method} ${showUrl(origin, fullPath)}`;
    const baseUrls = hosts.baseUrls(origin).join(" and ");
    const message = baseUrls ? `${what}, only ${baseUrls}` : what;
    hosts.newest(origin)?.noteRefusal?.(origin.slice(origin.indexOf("//") + 2), message);
    throw connectionError({ kind: "refused", message });
  }
  const response = responseIn(await served.handle({ ...asked, path: served.path }));
  // A response to HEAD has the headers of a body, but never the body.
  return method === "HEAD" ? { ...response, body: Buffer.alloc(0) } : response;
}

/**
 * Answers bytes that could not be parsed as a request, from a started mock.
 *
 * @throws the error that the client's request should fail with.
 */
export async function answerMalformed(
  hosts: HostTable,
  origin: string,
  why: MalformedKind,
  head: RequestHead | undefined,
): Promise<WireResponse> {
  const respond = hosts.newest(origin)?.handleMalformed;
  if (respond === undefined)
    throw connectionError({ kind: "reset", message: `malformed HTTP request (${why})` });
  return responseIn(await respond(why, head));
}

function responseIn({ response, connectionError: failure }: Result): WireResponse {
  if (response === undefined) throw connectionError(failure);
  return response;
}

const SYSTEM_ERRORS = {
  refused: { code: "ECONNREFUSED", errno: -constants.errno.ECONNREFUSED, syscall: "connect" },
  reset: { code: "ECONNRESET", errno: -constants.errno.ECONNRESET, syscall: "read" },
} as const;

/** A TypeError, as `fetch` rejects with; `code` is on the error itself as in node:http, and on its `cause` as in fetch. */
export function connectionError({ kind, message }: ConnectionError, reason?: unknown): TypeError {
  const cause = reason ?? Object.assign(new Error(message), SYSTEM_ERRORS[kind]);
  return Object.assign(new TypeError(message, { cause }), SYSTEM_ERRORS[kind]);
}

/**
 * What the client's socket fails with, a plain Error as in Node: of errors of another realm, as in Jest, fetch only passes on those
 * whose class has this name.
 */
export function socketError(reason: unknown): Error {
  if (!(reason instanceof Error)) return new Error(String(reason), { cause: reason });
  return "syscall" in reason && reason.cause instanceof Error ? reason.cause : reason;
}

/** The error of a request that reached no mock before the last one stopped. */
export const stoppedError = (method: string, origin: string, target: string): TypeError =>
  connectionError({
    kind: "refused",
    message: `${method} ${showUrl(origin, target)}: the mock was stopped while the request was in flight; await the response before the mock stops`,
  });

/** The error of a request that must not leave the process. */
export function unhandledError(method: string, origin: string, target: string): TypeError {
  const { host } = urlOf(origin);
  return new TypeError(
    `${method} ${showUrl(origin, target)}: no mock serves this host, and the option unhandledRequests blocks the request; ` +
      `to allow it, set unhandledRequests to a list with "${host}", or to "bypass" ` +
      '("error-except-loopback" allows requests to localhost)',
  );
}
