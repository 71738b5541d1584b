import { isIP } from "node:net";
import { types } from "node:util";

/**
 * What happens to requests to hosts that no mock serves: all pass (`bypass`), none does (`error`), those to this machine do
 * (`error-except-loopback`), or those whose host is in a list, matches a pattern of it, or makes a function return true.
 *
 * A host is what a URL has for it, with a port unless that is the scheme's own: `api.example`, `localhost:8080`. Text without a
 * port stands for every port.
 */
export type UnhandledRequests =
  | "bypass"
  | "error"
  | "error-except-loopback"
  | readonly (string | RegExp)[]
  | ((host: string) => boolean);

/** Decides about hosts that no mock serves. */
export interface OtherHosts {
  /** Whether requests to this origin may leave the process. */
  mayPass(origin: string): boolean;
  /** Why nothing may connect to this host at all. */
  whyClosed(host: string): string | undefined;
}

export function isUnhandledRequests(value: unknown): value is UnhandledRequests {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string" || types.isRegExp(entry));
  return (
    typeof value === "function" ||
    value === "bypass" ||
    value === "error" ||
    value === "error-except-loopback"
  );
}

/** Whether a request to this URL may leave the process. */
export function mayLeave(policy: UnhandledRequests, { host, hostname }: URL): boolean {
  if (policy === "bypass") return true;
  if (policy === "error") return false;
  if (policy === "error-except-loopback") return isLoopback(hostname);
  if (typeof policy === "function") return policy(host);
  // `search` and not `test`, which a pattern with the flag `g` would answer differently every time.
  return policy.some((entry) =>
    typeof entry === "string" ? entry === host || entry === hostname : host.search(entry) >= 0,
  );
}

/** Whether different programs have the ports of this host. */
export const isLocal = (host: string): boolean =>
  isIP(host.replace(/^\[|\]$/g, "")) !== 0 || isLoopback(host);

function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d+){3}$|^\[?::1\]?$/.test(hostname);
}
