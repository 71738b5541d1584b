import { createHmac } from "node:crypto";
import { expect } from "vitest";
import {
  adding,
  changed,
  image,
  listing,
  md5,
  moved,
  request,
  type Sent,
  type Situation,
  searching,
  send,
} from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

/** A body whose MD5 is as wanted. */
function bodyWhose(isWanted: (digest: Buffer) => boolean): string {
  for (let number = 0; ; number += 1) {
    const body = JSON.stringify({ name: `poster ${number}` });
    if (isWanted(Buffer.from(md5(body), "hex"))) return body;
  }
}
const first = (bytes: Buffer): number => bytes[0] ?? 0;
const hasSmall = (bytes: Buffer): boolean => [...bytes.subarray(1)].some((byte) => byte < 16);

/** Adds a target whose digest is written in another way. */
const digested =
  (write: (hex: string, bytes: Buffer) => string, body?: string) =>
  (s: Situation): Sent => {
    const sent =
      body === undefined ? adding(s) : request(s, "POST", "/targets", Buffer.from(body), "application/json");
    const { digest } = sent.signed;
    return changed(sent, { digest: write(digest, Buffer.from(digest, "hex")) });
  };

/** Adds a target with the MD5 of another text. */
const digestOf =
  (make: (body: Buffer) => string | Buffer) =>
  (s: Situation): Sent => {
    const sent = adding(s);
    return changed(sent, { digest: md5(make(sent.body)) });
  };

const each =
  (write: (byte: number) => string, separator = "") =>
  (_hex: string, bytes: Buffer) =>
    [...bytes].map(write).join(separator);
const hex = (byte: number) => byte.toString(16).padStart(2, "0");
const form = (is: string) => ({ is });

const DIGESTS: readonly Input[] = [
  ["MD5 in upper case", digested((md5) => md5.toUpperCase()), "signature.digest-form", form("upperCase")],
  [
    "MD5 in base64",
    digested((_, bytes) => bytes.toString("base64")),
    "signature.digest-form",
    form("base64"),
  ],
  [
    "MD5 in base64 without padding",
    digested((_, bytes) => bytes.toString("base64").replace(/=+$/, "")),
    "signature.digest-form",
    form("base64url"),
  ],
  [
    "base64 of the hexadecimal MD5",
    digested((md5) => Buffer.from(md5).toString("base64")),
    "signature.digest-form",
    form("hexBase64"),
  ],
  [
    "Integer.toHexString of each byte, without zeros",
    digested(
      each((byte) => byte.toString(16)),
      bodyWhose((bytes) => first(bytes) > 15 && hasSmall(bytes)),
    ),
    "signature.digest-form",
    form("unpadded"),
  ],
  [
    "BigInteger.toString(16), without leading zeros",
    digested(
      (md5) => BigInt(`0x${md5}`).toString(16),
      bodyWhose((bytes) => first(bytes) < 16 && hasSmall(bytes)),
    ),
    "signature.digest-form",
    form("number"),
  ],
  [
    "BigInteger of signed bytes",
    digested(
      (md5) => BigInt.asIntN(128, BigInt(`0x${md5}`)).toString(16),
      bodyWhose((bytes) => first(bytes) > 127),
    ),
    "signature.digest-form",
    form("signedNumber"),
  ],
  [
    "Integer.toHexString of signed bytes",
    digested(each((byte) => (byte > 127 ? `ffffff${hex(byte)}` : hex(byte)))),
    "signature.digest-form",
    form("extended"),
  ],
  [
    "BitConverter.ToString",
    digested(each((byte) => hex(byte).toUpperCase(), "-")),
    "signature.digest-form",
    form("separated"),
  ],
  ["MD5 with colons", digested(each(hex, ":")), "signature.digest-form", form("separated")],
  ["MD5 with 0x", digested((md5) => `0x${md5}`), "signature.digest-form", form("prefixed")],
  ["MD5 in quotation marks", digested((md5) => `"${md5}"`), "signature.digest-form", form("quoted")],
  [
    "Python's str of base64 in bytes",
    digested((_, bytes) => `b'${bytes.toString("base64")}'`),
    "signature.digest-form",
    form("python"),
  ],
  [
    "Arrays.toString of the digest",
    digested((_, bytes) => `[${[...new Int8Array(bytes)].join(", ")}]`),
    "signature.digest-form",
    form("list"),
  ],
  ["the output of md5sum", digested((md5) => `${md5}  -`), "signature.digest-form", form("lineFeed")],
  [
    "the digest as a binary string",
    digested((_, bytes) => bytes.toString("latin1")),
    "signature.digest-form",
    form("bytes"),
  ],
  ["16 digits of the MD5", digested((md5) => md5.slice(8, 24)), "signature.digest-form", form("half")],
  ["the MD5 of the MD5", digested((hexadecimal) => md5(hexadecimal)), "signature.digest-form", form("twice")],
  ["the MD5 of no body", digested(() => md5("")), "signature.digest", { bytes: expect.any(Number) }],
  [
    "the MD5 of [object Object]",
    digestOf(() => "[object Object]"),
    "signature.digest",
    { text: '"[object Object]"' },
  ],
  ["the MD5 of an empty object", digestOf(() => "{}"), "signature.digest", { text: '"{}"' }],
  [
    "the MD5 of the body in big-endian UTF-16",
    digestOf((body) => Buffer.from(body.toString(), "utf16le").swap16()),
    "signature.digest",
    { of: "UTF-16 in big-endian order" },
  ],
  [
    "the MD5 of ASCII with question marks",
    digestOf((body) => body.toString().replace(/[^\p{ASCII}]/gu, "?")),
    "signature.digest",
    { of: "ASCII" },
  ],
  [
    "the MD5 with a NUL at the end",
    digestOf((body) => `${body}\0`),
    "signature.digest",
    { of: "text with a NUL appended" },
  ],
  [
    "the MD5 of the body in hexadecimal",
    digestOf((body) => body.toString("hex")),
    "signature.digest",
    { of: "hexadecimal" },
  ],
  [
    "the MD5 of the picture, without the form around it",
    (s) => changed(searching(s), { digest: md5(image) }),
    "signature.digest",
    { isPart: true },
  ],
  [
    "a Content-MD5 of other bytes, which was signed",
    (s) => {
      const sent = changed(adding(s), { digest: md5("other bytes") });
      return { ...sent, headers: { ...sent.headers, "Content-MD5": md5("other bytes", "base64") } };
    },
    "signature.digest",
    { isHeader: true },
  ],
  [
    "the JSON of another serialiser",
    (s) => {
      const sent = adding(s);
      return changed(sent, { digest: md5(JSON.stringify(JSON.parse(sent.body.toString()), null, 2)) });
    },
    "signature.rewritten",
  ],
  [
    "a form that was read as Latin-1 and written as UTF-8 after it was signed",
    (s) => {
      const sent = searching(s);
      return { ...sent, body: Buffer.from(sent.body.toString("latin1")) };
    },
    "body.reencoded",
    { as: "latin1" },
  ],
  [
    "a form that was read as UTF-8 after it was signed",
    (s) => {
      const sent = searching(s);
      return { ...sent, body: Buffer.from(sent.body.toString()) };
    },
    "body.reencoded",
    { as: "replacement" },
  ],
  [
    "a name that was encoded as UTF-8 twice after it was signed",
    (s) => {
      const sent = adding(s);
      return { ...sent, body: Buffer.from(sent.body.toString("latin1")) };
    },
    "body.reencoded",
    { as: "latin1" },
  ],
];

const authorized = (sent: Sent, encode: (hmac: Buffer) => string): Sent => ({ ...sent, encode });
const typed = (sent: Sent, type: string, agent?: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "Content-Type": type, "User-Agent": agent },
});
const FORM = "application/x-www-form-urlencoded";
const byDefault = (agent: string | undefined, client: string, type = FORM): Input => [
  `the default content type of ${agent ?? "a client without an agent"}`,
  (s) => typed(adding(s), type, agent),
  "signature.content-type",
  { client },
];

const UNSET_PARTS: readonly Input[] = [
  ...["undefined", "null"].map(
    (type): Input => [
      `the content type ${type} is signed`,
      (s) => changed(listing(s), { type }),
      "signature.content-type",
      { right: '""', wrong: JSON.stringify(type) },
    ],
  ),
  [
    "the host is signed in front of the path",
    (s) => changed(listing(s), { path: `${new URL(s.service.urls.target).host}/targets` }),
    "signature.path",
    { right: '"/targets"' },
  ],
  [
    "an object is the secret key",
    (s) => ({ ...listing(s), secretKey: "[object Object]" }),
    "signature.key-unset",
    { text: "[object Object]" },
  ],
];

const ENCODINGS: readonly Input[] = [
  [
    "the HMAC in upper-case hexadecimal",
    (s) => authorized(listing(s), (hmac) => hmac.toString("hex").toUpperCase()),
    "signature.encoding",
    form("hexadecimal"),
  ],
  [
    "the HMAC's base64 without padding",
    (s) => authorized(listing(s), (hmac) => hmac.toString("base64").replace("=", "")),
    "signature.encoding",
    { is: expect.stringMatching(/^base64/) },
  ],
  [
    "the HMAC as Python's text of bytes",
    (s) => authorized(listing(s), (hmac) => `b'${hmac.toString("base64")}'`),
    "signature.encoding",
    form("Python's bytes"),
  ],
  [
    "the HMAC percent-encoded",
    (s) => authorized(listing(s), (hmac) => encodeURIComponent(hmac.toString("base64"))),
    "signature.encoding",
    form("percent-encoding"),
  ],
  [
    "an HMAC-MD5",
    (s) => ({ ...listing(s), algorithm: "md5" }),
    "signature.algorithm",
    { algorithm: "HMAC-MD5" },
  ],
  [
    "an HMAC-SHA512",
    (s) => ({ ...listing(s), algorithm: "sha512" }),
    "signature.algorithm",
    { algorithm: "HMAC-SHA512" },
  ],
  [
    "a signature of 12 characters",
    (s) => authorized(listing(s), () => "c2lnbmF0dXJl"),
    "signature.length",
    { characters: 12 },
  ],
];

/** Lists targets with other lines in the string to sign. */
const ordered =
  (write: (lines: Sent["signed"]) => readonly string[]) =>
  (s: Situation): Sent => {
    const sent = listing(s);
    return {
      ...sent,
      separator: "",
      signed: { method: write(sent.signed).join("\n"), digest: "", type: "", date: "", path: "" },
    };
  };

/** Signed as a program of .NET does with Encoding.Unicode. */
function inUtf16(sent: Sent, key: (secret: string) => string | Buffer): Sent {
  const { method, digest, type, date, path } = sent.signed;
  const text = Buffer.from([method, digest, type, date, path].join("\n"), "utf16le");
  const hmac = createHmac("sha1", key(String(sent.secretKey)))
    .update(text)
    .digest("base64");
  return { ...sent, encode: () => hmac };
}

const KEYS: readonly Input[] = [
  [
    "the key in UTF-16 (.NET's Encoding.Unicode)",
    (s) => ({ ...listing(s), secretKey: Buffer.from(s.keys.serverSecretKey, "utf16le") }),
    "signature.utf16",
    { is: "key" },
  ],
  [
    "the string to sign in UTF-16",
    (s) => inUtf16(listing(s), (text) => text),
    "signature.utf16",
    { is: "text" },
  ],
  [
    "the key and the string to sign in UTF-16",
    (s) => inUtf16(listing(s), (key) => Buffer.from(key, "utf16le")),
    "signature.utf16",
    { is: "both" },
  ],
  [
    "the key in upper case",
    (s) => ({ ...listing(s), secretKey: s.keys.serverSecretKey.toUpperCase() }),
    "signature.key-case",
  ],
];

const LINES: readonly Input[] = [
  [
    "no line for the empty content type",
    ordered(({ method, digest, date, path }) => [method, digest, date, path]),
    "signature.lines",
    { missing: "the content type" },
  ],
  [
    "no line for the MD5 of no body",
    ordered(({ method, type, date, path }) => [method, type, date, path]),
    "signature.lines",
    { missing: "the MD5 of the body" },
  ],
  [
    "the date before the content type",
    ordered(({ method, digest, type, date, path }) => [method, digest, date, type, path]),
    "signature.lines",
    { swapped: "the content type and the date" },
  ],
  [
    "the path in the place of the date",
    ordered(({ method, digest, type, date, path }) => [method, digest, type, path, date]),
    "signature.lines",
    { swapped: "the date and the path" },
  ],
  ["the method with a capital", (s) => changed(listing(s), { method: "Get" }), "signature.method"],
];

const TYPES: readonly Input[] = [
  byDefault("curl/8.5.0", "curl"),
  byDefault("Ruby", "Ruby"),
  byDefault("Java/17.0.9", "Java"),
  byDefault("MyApp/1 CFNetwork/1490.0.4 Darwin/23.2.0", "Swift"),
  byDefault("GuzzleHttp/7", "PHP"),
  byDefault("axios/1.7.2", "axios"),
  byDefault("Python-urllib/3.12", "Python's urllib"),
  byDefault("UnityPlayer/2022.3 (UnityWebRequest/1.0, libcurl/8.4.0)", "Unity"),
  byDefault(undefined, "curl, PHP, Ruby, Swift, Java, Python's urllib, PowerShell, Unity or axios"),
  byDefault(undefined, ".NET, fetch, Apache HttpClient, Dart or Postman", "text/plain; charset=utf-8"),
  byDefault("node", "fetch", "text/plain;charset=UTF-8"),
  [
    "the type of PHP in a query",
    (s) => {
      const sent = typed(searching(s), FORM);
      return changed(sent, { type: FORM });
    },
    "content-type.wrong",
    { client: expect.stringContaining("PHP") },
  ],
];

/** Right first; then the same signature with another line. */
const again =
  (make: (s: Situation) => Sent, change: (sent: Sent) => Sent) =>
  async (s: Situation): Promise<Sent> => {
    await send(s, make(s));
    return change(make(s));
  };
const reused = { also: [{ code: "signature.reused", method: "POST" }] };

const EARLIER: readonly Input[] = [
  [
    "a right query, then the same with another Content-Type",
    again(searching, (sent) => typed(sent, FORM)),
    "signature.content-type",
    {
      right: JSON.stringify(FORM),
      wrong: '"multipart/form-data"',
      also: [{ code: "signature.reused", path: "/v1/query" }],
    },
  ],
  [
    "a right request, then the same with another body",
    again(adding, (sent) => ({ ...sent, body: Buffer.from('{"width":2}') })),
    "signature.digest",
    reused,
  ],
  [
    "a right request, then the same with another date",
    (s) => again(adding, (sent) => ({ ...sent, headers: { ...sent.headers, Date: moved(s, 0.001) } }))(s),
    "signature.date",
    reused,
  ],
  [
    "a right request, then the same with another method",
    again(
      (s) => request(s, "GET", "/targets/abc"),
      (sent) => ({ ...sent, method: "DELETE" }),
    ),
    "signature.method",
    { right: '"DELETE"', also: [{ code: "signature.reused", method: "GET" }] },
  ],
  [
    "a right request, then the same with another path",
    again(listing, (sent) => ({ ...sent, path: "/summary" })),
    "signature.path",
    { right: '"/summary"', also: [{ code: "signature.reused", method: "GET" }] },
  ],
  [
    "a right request, then its signature for a request of another kind",
    async (s) => {
      await send(s, adding(s));
      return changed(listing(s), adding(s).signed);
    },
    "signature.reused",
    { path: "/targets" },
  ],
];

/** Mistakes of signed requests. */
export const SIGNATURES: readonly Input[] = [
  ...DIGESTS,
  ...ENCODINGS,
  ...KEYS,
  ...LINES,
  ...TYPES,
  ...UNSET_PARTS,
  ...EARLIER,
];
