import { createHash } from "node:crypto";
import { protocolsOf } from "./openers.ts";

/** The properties and methods of a TLS connection that clients read. */
export const secureProperties = (options: Readonly<Record<string, unknown>>) => ({
  encrypted: true,
  authorized: true,
  authorizationError: null,
  alpnProtocol: protocolsOf(options).includes("http/1.1") && "http/1.1",
  servername: options.servername,
  getPeerCertificate: () => certificateOf(String(options.servername ?? options.host)),
  getSession: () => undefined,
  isSessionReused: () => false,
  getProtocol: () => "TLSv1.3",
  getCipher: () => ({
    name: "TLS_AES_256_GCM_SHA384",
    standardName: "TLS_AES_256_GCM_SHA384",
    version: "TLSv1.3",
  }),
});

/** A description of a certificate for a host, always the same. There is no certificate, so its bytes are the host's name. */
function certificateOf(host: string) {
  const raw = Buffer.from(host);
  const digest = (algorithm: string) => createHash(algorithm).update(raw).digest("hex").toUpperCase();
  const fingerprint = (algorithm: string) => digest(algorithm).match(/../g)?.join(":");
  return {
    subject: { CN: host },
    issuer: { CN: "mock-cloud-reco" },
    subjectaltname: `DNS:${host}`,
    ca: false,
    valid_from: "Jan  1 00:00:00 1970 GMT",
    valid_to: "Dec 31 23:59:59 9999 GMT",
    serialNumber: digest("sha1").slice(0, 32),
    fingerprint: fingerprint("sha1"),
    fingerprint256: fingerprint("sha256"),
    fingerprint512: fingerprint("sha512"),
    bits: 256,
    pubkey: raw,
    raw,
  };
}
