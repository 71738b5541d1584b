import { createServer, type Server } from "node:http";
import type { TlsFiles } from "./http-server-options.ts";

/** Above the limit of one header line: a check answers requests that exceed it. */
export const MAX_HEADER_BYTES = 256 * 1024;
/** Longer than clients keep idle connections: none is closed while a client begins to use it. */
const KEEP_ALIVE_MILLISECONDS = 120_000;

/** A server of Node that leaves headers and half-open connections to those who use it. */
export function createNodeServer(tls: TlsFiles | undefined): Server {
  const plain = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  };
  // For clients of HTTP/1.0: Node accepts only 1.1.
  const secure = { ...plain, ...tls, ALPNProtocols: ["http/1.1", "http/1.0"] };
  // Loaded only for TLS: with it, a server without would start 6 ms later.
  const server =
    tls === undefined ? createServer(plain) : process.getBuiltinModule("node:https").createServer(secure);
  server.maxHeadersCount = 0;
  // A client that ends its side early still expects its response.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
