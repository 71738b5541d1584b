import { constants } from "node:os";
import type { ConnectionError } from "../core/emulator/message.ts";

/** Parses an origin of the host table; URLs require brackets around IPv6 addresses. */
export const urlOf = (origin: string): URL => new URL(origin.replace(/\/\/([^[]*:.*):(\d+)$/, "//[$1]:$2"));

/** A URL without the default port of its scheme. */
export function showUrl(origin: string, path: string): string {
  return origin.replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2") + path;
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

/** A plain Error as in Node: of another realm's errors, as in Jest, fetch passes on only those with this class name. */
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

export function unhandledError(method: string, origin: string, target: string): TypeError {
  const { host } = urlOf(origin);
  return new TypeError(
    `${method} ${showUrl(origin, target)}: no mock serves this host, and the option unhandledRequests blocks the request; ` +
      `to allow it, set unhandledRequests to a list with "${host}", or to "bypass" ` +
      '("error-except-loopback" allows requests to localhost)',
  );
}
