import { header, type WireRequest } from "../emulator/message.ts";
import type { RefusalReason } from "../emulator/router.ts";
import { isIpAddress } from "../general/ip-address.ts";
import { show } from "../general/text.ts";
import { cause } from "../schema/causes/causes.ts";

/** Which browser requests the target manager answers. Requests of other programs are always answered. */
export interface TrustRules {
  /** Host names, in addition to those of loopback and private networks; a leading dot allows all subdomains. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Pages of this origin may use the target manager; `*`: any. */
  readonly allowOrigin?: string | undefined;
  /** The names by which the user can set them, for reasons. Default: nothing can be set. */
  readonly names?: { readonly allowedHosts: string; readonly allowOrigin: string } | undefined;
}

/**
 * Why a request may come from an untrusted web page, under the page's host name (DNS rebinding) or across origins; otherwise
 * undefined. Other clients send neither a foreign `Host` nor these headers.
 */
export function whyDistrusted(
  request: WireRequest,
  { allowedHosts = [], allowOrigin, names }: TrustRules = {},
): RefusalReason | undefined {
  const host = header(request, "host");
  if (host !== undefined && !isTrustedHost(host, allowedHosts)) {
    const why = cause("host.untrusted", { host: show(host), setting: names?.allowedHosts });
    return { refusedBy: "trustedHost", cause: why };
  }
  const origin = header(request, "origin");
  if (allowOrigin === "*" || (origin !== undefined && origin === allowOrigin)) return undefined;
  if (origin !== undefined) {
    return isSameOrigin(origin, host) ? undefined : foreign({ origin: show(origin) }, names?.allowOrigin);
  }
  const site = header(request, "sec-fetch-site");
  if ((site === "cross-site" || site === "same-site") && !opensThePage(request))
    return foreign({ site: show(site) }, names?.allowOrigin);
  return undefined;
}

const foreign = (
  evidence: { readonly origin?: string; readonly site?: string },
  setting: string | undefined,
) => ({ refusedBy: "trustedOrigin", cause: cause("origin.untrusted", { ...evidence, setting }) });

/** No public name has these endings. */
const PRIVATE_ENDING = /\.(localhost|local|internal|test|lan|home\.arpa|svc|cluster\.local)$/;
/** A machine, container or service: names without a dot cannot be registered. */
const MACHINE_NAME = /^[\w-]+$/;

function isTrustedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (MACHINE_NAME.test(name) || PRIVATE_ENDING.test(name)) return true;
  if (isIpAddress(name.replace(/^\[(.*)\]$/, "$1"))) return true;
  return allowed
    .map((each) => each.toLowerCase())
    .some((each) => (each.startsWith(".") ? name.endsWith(each) || name === each.slice(1) : name === each));
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const [, authority] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  return authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
}

/** By a link or a typed address: the linking page cannot read it. */
function opensThePage(request: WireRequest): boolean {
  const { method, path } = request;
  return (
    method === "GET" &&
    path === "/" &&
    header(request, "sec-fetch-mode") === "navigate" &&
    header(request, "sec-fetch-dest") === "document"
  );
}
