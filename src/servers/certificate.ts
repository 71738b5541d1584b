import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { isIP } from "node:net";
import { systemClock } from "../emulator/clock.ts";
import { DEFAULT_URLS } from "../emulator/profiles.ts";
import { createRandom } from "../emulator/random.ts";
import type { TlsFiles } from "./http/http-server.ts";

/*
 * Node cannot create certificates, so this writes the few ASN.1 values of a self-signed one (RFC 5280).
 */

const DAY_MILLISECONDS = 86_400_000;
const VALID_DAYS = 365;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const TRUE = Buffer.from("0101ff", "hex");
const VERSION_3 = Buffer.from("a003020102", "hex");
const ECDSA_WITH_SHA256 = Buffer.from("300a06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const KEY_USAGE = Buffer.from("0603551d0f", "hex");
const KEY_IDENTIFIER = Buffer.from("0603551d0e", "hex");
/** A bit string: digitalSignature and keyCertSign. */
const SERVES_AND_SIGNS = Buffer.from("03020284", "hex");
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

const time = (moment: number): Buffer =>
  value(
    GENERALIZED_TIME,
    Buffer.from(`${new Date(moment).toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`),
  );

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return value(IP_ADDRESS, Buffer.from(host.split(".").map(Number)));
  return host === "::1"
    ? value(IP_ADDRESS, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]))
    : value(DNS_NAME, Buffer.from(host));
}

/** The service's own names, for clients that have them built in and find this machine by a hosts file. */
const SERVICE_HOSTS = [DEFAULT_URLS.target, DEFAULT_URLS.query].map((url) => new URL(url).hostname);

/**
 * Creates a key and a self-signed certificate that is valid for a year. Clients have to be configured to trust it, as its own
 * authority.
 *
 * @param hosts - names and IPv4 addresses that clients use, in addition to localhost, 127.0.0.1, ::1 and the service's names.
 */
export function generateCertificate(hosts: readonly string[] = []): TlsFiles {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = systemClock.now().getTime();
  const commonName = value(SEQUENCE, COMMON_NAME, value(UTF8_STRING, Buffer.from("mock-cloud-reco")));
  const name = value(SEQUENCE, value(SET, commonName));
  const names = [...new Set(["localhost", "127.0.0.1", "::1", ...SERVICE_HOSTS, ...hosts])].map(
    alternativeName,
  );
  const spki = publicKey.export({ type: "spki", format: "der" });
  const content = value(
    SEQUENCE,
    VERSION_3,
    // A leading 01 keeps the serial number positive and its encoding minimal.
    value(INTEGER, Buffer.concat([Buffer.from([1]), createRandom().bytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    value(SEQUENCE, time(now - DAY_MILLISECONDS), time(now + VALID_DAYS * DAY_MILLISECONDS)),
    name,
    spki,
    value(
      EXTENSIONS,
      value(
        SEQUENCE,
        value(SEQUENCE, BASIC_CONSTRAINTS, TRUE, value(OCTET_STRING, value(SEQUENCE, TRUE))),
        // Strict clients, such as Python 3.13, ask both of an authority.
        value(SEQUENCE, KEY_USAGE, TRUE, value(OCTET_STRING, SERVES_AND_SIGNS)),
        value(SEQUENCE, KEY_IDENTIFIER, value(OCTET_STRING, value(OCTET_STRING, sha1(spki)))),
        value(SEQUENCE, ALTERNATIVE_NAMES, value(OCTET_STRING, value(SEQUENCE, ...names))),
      ),
    ),
  );
  const signature = value(BIT_STRING, Buffer.from([0]), sign("sha256", content, privateKey));
  const certificate = value(SEQUENCE, content, ECDSA_WITH_SHA256, signature);
  return { cert: pem("CERTIFICATE", certificate), key: pem("PRIVATE KEY", privateKey.export(PKCS8)) };
}

const sha1 = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest();

const PKCS8 = { type: "pkcs8", format: "der" } as const;

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
