import { isIpAddress } from "../../core/general/ip-address.ts";
import { connectionError, socketError } from "../errors.ts";
import { canonicalHost, type Endpoint, type HostAndPort } from "./openers.ts";

/** Why a connection is refused, and what to change. */
export const WHY = {
  http2: 'the client offers only HTTP/2, but the mock supports HTTP/1.1; let the client offer "http/1.1" too',
  capturedFunction:
    "the client used a function that it captured before the mock started; " +
    'import "mock-cloud-reco/register" first (--import, --require or a setup file)',
  lookedUp:
    "the client looked the host up by itself and connected to the address; let it connect to the name",
  openedBefore:
    "the connection was opened before the mock started, or to the host's address by a function captured before; " +
    "open it afterwards, to the host's name, or close it before the mock starts",
  otherTunnel:
    "the client sent another request to its proxy than for a tunnel to a mock; exclude the mock's hosts with NO_PROXY",
  plain: "the client sent data without TLS to a TLS port; use https, or tls.connect",
  stopped:
    "reached no mock: the mock was stopped; start one before the request, or stop it after the response",
} as const;

/** How a client goes without a proxy: also to the other hosts of the domain, because the service has two. */
export function proxyAdvice(host: string): string {
  const isBelowDomain = !isIpAddress(host) && host.split(".").length > 2;
  return `exclude the host with NO_PROXY=${isBelowDomain ? host.slice(host.indexOf(".")) : host}`;
}

export const whyProxied = (host: string) =>
  `the client used a proxy; ${proxyAdvice(host)}, or disable the proxy in the test`;

export const authorityOf = ({ host, port }: HostAndPort) => `${host}:${port}`;
export const originOfEndpoint = (endpoint: Endpoint) => `${endpoint.scheme}//${authorityOf(endpoint)}`;

export function hostAndPort(authority: string): HostAndPort {
  const colon = authority.lastIndexOf(":");
  return { host: canonicalHost(authority.slice(0, colon)), port: Number(authority.slice(colon + 1)) };
}

/** The endpoint that `CONNECT` names. */
export const tunnelTo = (authority: string): Endpoint => ({
  scheme: "https:",
  ...hostAndPort(authority),
  options: {},
});

export function endpointOfUrl({ protocol, hostname, port }: URL): Endpoint {
  const [scheme, usual] = protocol === "http:" ? (["http:", 80] as const) : (["https:", 443] as const);
  return { scheme, host: canonicalHost(hostname), port: Number(port || usual), options: {} };
}

export const connectError = (endpoint: HostAndPort, why: string) =>
  socketError(connectionError({ kind: "refused", message: `connect to ${authorityOf(endpoint)} ${why}` }));
