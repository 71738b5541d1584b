import { isIP } from "node:net";
import { header, type WireRequest } from "../core/message.ts";
import { show } from "../core/text.ts";

/** Who may use the target manager from a browser. Anybody else's program may use it in any case. */
export interface TrustRules {
  /** Host names, beside loopback and addresses; one that begins with a dot stands for all names below it. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Pages of this origin may use it; `*`: of any. */
  readonly allowOrigin?: string | undefined;
}

export interface Distrust {
  readonly refusedBy: "trustedHost" | "trustedOrigin";
  readonly reason: string;
}

/**
 * Why a request may be the work of a web page that has no business here; undefined when it is not. A page of another
 * site can make a browser send requests, under its own name (DNS rebinding) or across origins; other clients send
 * neither a foreign `Host` nor these headers.
 */
export function whyDistrusted(
  request: WireRequest,
  { allowedHosts = [], allowOrigin }: TrustRules = {},
): Distrust | undefined {
  const host = header(request, "host");
  if (host !== undefined && !isTrustedHost(host, allowedHosts)) {
    return {
      refusedBy: "trustedHost",
      reason: `the Host ${show(host)} is neither loopback nor an IP address: list it in ALLOWED_HOSTS`,
    };
  }
  const origin = header(request, "origin");
  if (allowOrigin === "*" || (origin !== undefined && origin === allowOrigin)) return undefined;
  if (origin !== undefined) {
    return isSameOrigin(origin, host)
      ? undefined
      : foreign(`the request comes from a page of ${show(origin)}, another origin`);
  }
  const site = header(request, "sec-fetch-site");
  if ((site === "cross-site" || site === "same-site") && !opensThePage(request))
    return foreign(`Sec-Fetch-Site is ${show(site)}: the request comes from a page of another origin`);
  return undefined;
}

const foreign = (reason: string): Distrust => ({
  refusedBy: "trustedOrigin",
  reason: `${reason}. MANAGER_CORS_ALLOW_ORIGIN can let it in`,
});

function isTrustedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  return allowed
    .map((each) => each.toLowerCase())
    .some((each) => (each.startsWith(".") ? name.endsWith(each) || name === each.slice(1) : name === each));
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const [, authority] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  return authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
}

/** A link or a typed address that leads to the page: what leads there sees nothing of it. */
function opensThePage(request: WireRequest): boolean {
  const { method, path } = request;
  return (
    method === "GET" &&
    path === "/" &&
    header(request, "sec-fetch-mode") === "navigate" &&
    header(request, "sec-fetch-dest") === "document"
  );
}
