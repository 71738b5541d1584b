import { types } from "node:util";
import { isIpAddress } from "../core/general/ip-address.ts";
import { decisionOf } from "../core/general/user-function.ts";

/**
 * Which requests to hosts that no mock serves are allowed: all (`bypass`), none (`error`), those to this machine
 * (`error-except-loopback`), those whose host is in a list or matches a pattern in it, or those for which a function returns true.
 *
 * A host includes its port unless that is the default port of the scheme: `api.example`, `localhost:8080`. A text without a port
 * allows every port. If the function throws or returns no boolean, such as a promise, the request fails.
 *
 * @example new MockCloudReco({ unhandledRequests: ["localhost", /\.example$/] });
 */
export type UnhandledRequests =
  | "bypass"
  | "error"
  | "error-except-loopback"
  | readonly (string | RegExp)[]
  | ((host: string) => boolean);

const NAMED = ["bypass", "error", "error-except-loopback"] as const;

/** Decides which hosts that no mock serves may be reached. */
export interface OtherHosts {
  /** Whether requests to this origin may leave the process. */
  mayPass(origin: string): boolean;
  /** The error of a request that may not leave the process. */
  refusal(method: string, origin: string, target: string): TypeError;
  /** Warns, once, if the user has mocks of this served origin that no request reaches. */
  warnOfUnasked(origin: string): void;
  /** Why connections to this host are blocked; undefined when they are not. */
  whyClosed(host: string): string | undefined;
}

export function isUnhandledRequests(value: unknown): value is UnhandledRequests {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string" || types.isRegExp(entry));
  return typeof value === "function" || NAMED.some((name) => name === value);
}

/** @throws Error naming the option if the user's function throws or returns no boolean. */
export function mayLeave(policy: UnhandledRequests, { host, hostname }: URL): boolean {
  if (policy === "bypass") return true;
  if (policy === "error") return false;
  if (policy === "error-except-loopback") return isLoopback(hostname);
  if (typeof policy === "function")
    return decisionOf("the function of the option unhandledRequests", () => policy(host));
  // `search` instead of `test`, whose result depends on earlier calls for a pattern with the flag `g`.
  return policy.some((entry) =>
    typeof entry === "string" ? entry === host || entry === hostname : host.search(entry) >= 0,
  );
}

/** Whether this host is an address or localhost, whose ports may belong to different programs. */
export const isLocal = (host: string): boolean =>
  isIpAddress(host.replace(/^\[|\]$/g, "")) || isLoopback(host);

export function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d+){3}$|^\[?::1\]?$/.test(hostname);
}
