import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { systemClock } from "../core/emulator/clock.ts";
import { DEFAULT_URLS } from "../core/emulator/profiles.ts";
import { systemRandom } from "../core/emulator/random.ts";
import type { TlsFiles } from "../core/http/http-server-options.ts";

/* Node cannot create certificates, so this writes the ASN.1 values of a CA's and a server's certificate (RFC 5280). */

const DAY_MILLISECONDS = 86_400_000;
/** Apple's clients accept no more than 398 days. */
const VALID_DAYS = 365;
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const TRUE = Buffer.from("0101ff", "hex");
const VERSION_3 = Buffer.from("a003020102", "hex");
const ECDSA_WITH_SHA256 = Buffer.from("300a06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const KEY_USAGE = Buffer.from("0603551d0f", "hex");
/** Bit strings of key usages: keyCertSign, digitalSignature. */
const SIGNS_CERTIFICATES = Buffer.from("03020204", "hex");
const SIGNS_HANDSHAKES = Buffer.from("03020780", "hex");
const EXTENDED_KEY_USAGE = Buffer.from("0603551d25", "hex");
const SERVER_AUTHENTICATION = Buffer.from("06082b06010505070301", "hex");
const KEY_IDENTIFIER = Buffer.from("0603551d0e", "hex");
const AUTHORITY_KEY_IDENTIFIER = Buffer.from("0603551d23", "hex");
/** Within the authority's key identifier: the key's own. */
const KEY_OF_AUTHORITY = 0x80;
const ALTERNATIVE_NAMES = Buffer.from("0603551d11", "hex");
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const EXTENSIONS = 0xa3;

/** Encodes an ASN.1 value: tag, length, content. */
function value(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** Until 2049 with two digits of the year, as strict clients demand. */
function time(moment: number): Buffer {
  const digits = `${new Date(moment).toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`;
  return digits < "2050"
    ? value(UTC_TIME, Buffer.from(digits.slice(2)))
    : value(GENERALIZED_TIME, Buffer.from(digits));
}

function alternativeName(host: string): Buffer {
  const kind = isIP(host);
  if (kind === 0) return value(DNS_NAME, Buffer.from(host));
  return value(IP_ADDRESS, kind === 4 ? Buffer.from(host.split(".").map(Number)) : addressBytes(host));
}

/** The 16 bytes of an IPv6 address, without its zone. */
function addressBytes(address: string): Buffer {
  const { hostname } = new URL(`http://[${address.replace(/%.*/, "")}]`);
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const bytesOf = (groups = "") =>
    Buffer.from(
      groups.replace(/[0-9a-f]+:?/g, (group) => group.replace(":", "").padStart(4, "0")),
      "hex",
    );
  const [start, end] = [bytesOf(before), bytesOf(after)];
  return Buffer.concat([start, Buffer.alloc(16 - start.length - end.length), end]);
}

/** Clients' names and addresses for a host: all of this machine, if a server listens on all. A leading dot: all subdomains. */
function namesFor(host: string): readonly string[] {
  if (host.startsWith(".")) return [host.slice(1), `*${host}`];
  if (host !== "0.0.0.0" && host !== "::") return [host];
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return [host, ...found.map(({ address }) => address)];
}

/** For clients with built-in names, which a hosts file leads to this machine. */
const SERVICE_HOSTS = [DEFAULT_URLS.target, DEFAULT_URLS.query].map((url) => new URL(url).hostname);

interface GeneratedCertificate extends TlsFiles {
  /** The certificate that clients have to trust, as PEM text. */
  readonly authority: string;
}

/**
 * Creates a server's key and certificate, valid for a year, and its CA certificate. The CA's key is not kept: clients that trust
 * the CA trust only this certificate.
 *
 * @param hosts - in addition to localhost, 127.0.0.1, ::1 and the service's names.
 */
export function generateCertificate(hosts: readonly string[] = []): GeneratedCertificate {
  const names = [
    ...new Set(["localhost", "127.0.0.1", "::1", ...SERVICE_HOSTS, ...hosts.flatMap(namesFor)]),
  ].map(alternativeName);
  const [signer, server] = [newKeys(), newKeys()];
  // Its name differs from CA certificates of earlier starts, which clients may trust too.
  const issuer = nameOf(`mock-cloud-reco ${signer.identifier.toString("hex", 0, 4)}`);
  const authority = signed(signer.privateKey, issuer, issuer, signer.spki, [
    extension(BASIC_CONSTRAINTS, value(SEQUENCE, TRUE), TRUE),
    extension(KEY_USAGE, SIGNS_CERTIFICATES, TRUE),
    extension(KEY_IDENTIFIER, value(OCTET_STRING, signer.identifier)),
  ]);
  const certificate = signed(signer.privateKey, issuer, nameOf("mock-cloud-reco server"), server.spki, [
    extension(BASIC_CONSTRAINTS, value(SEQUENCE), TRUE),
    extension(KEY_USAGE, SIGNS_HANDSHAKES, TRUE),
    extension(EXTENDED_KEY_USAGE, value(SEQUENCE, SERVER_AUTHENTICATION)),
    extension(KEY_IDENTIFIER, value(OCTET_STRING, server.identifier)),
    extension(AUTHORITY_KEY_IDENTIFIER, value(SEQUENCE, value(KEY_OF_AUTHORITY, signer.identifier))),
    extension(ALTERNATIVE_NAMES, value(SEQUENCE, ...names)),
  ]);
  return {
    // Followed by the CA certificate, so that clients can copy it.
    cert: pem("CERTIFICATE", certificate) + pem("CERTIFICATE", authority),
    key: pem("PRIVATE KEY", server.privateKey.export({ type: "pkcs8", format: "der" })),
    authority: pem("CERTIFICATE", authority),
  };
}

function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { privateKey, spki, identifier: createHash("sha1").update(spki).digest() };
}

const nameOf = (commonName: string): Buffer =>
  value(SEQUENCE, value(SET, value(SEQUENCE, COMMON_NAME, value(UTF8_STRING, Buffer.from(commonName)))));

/** @param critical - {@link TRUE} if clients that do not know the extension must refuse the certificate. */
const extension = (kind: Buffer, content: Buffer, critical = Buffer.alloc(0)): Buffer =>
  value(SEQUENCE, kind, critical, value(OCTET_STRING, content));

function signed(
  key: KeyObject,
  issuer: Buffer,
  subject: Buffer,
  spki: Buffer,
  extensions: readonly Buffer[],
): Buffer {
  const now = systemClock.now().getTime();
  const content = value(
    SEQUENCE,
    VERSION_3,
    // A leading 01 keeps the serial number positive and its encoding minimal.
    value(INTEGER, Buffer.concat([Buffer.from([1]), systemRandom.bytes(15)])),
    ECDSA_WITH_SHA256,
    issuer,
    value(SEQUENCE, time(now - DAY_MILLISECONDS), time(now + VALID_DAYS * DAY_MILLISECONDS)),
    subject,
    spki,
    value(EXTENSIONS, value(SEQUENCE, ...extensions)),
  );
  const signature = value(BIT_STRING, Buffer.from([0]), sign("sha256", content, key));
  return value(SEQUENCE, content, ECDSA_WITH_SHA256, signature);
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
