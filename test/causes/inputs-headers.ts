import { createHash } from "node:crypto";
import {
  adding,
  changed,
  listing,
  type Sent,
  type Situation,
  searching,
} from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

/** Lists targets with the access key written in another way. */
const keyed =
  (write: (key: string) => string, make: (s: Situation) => Sent = listing) =>
  (s: Situation): Sent => {
    const sent = make(s);
    return { ...sent, accessKey: write(sent.accessKey) };
  };

const key = (what: string, is: string, write: (key: string) => string): Input => [
  `an access key ${what}`,
  keyed(write),
  "key.altered",
  { is },
];

const KEYS: readonly Input[] = [
  key("in quotation marks", "quoted", (text) => `"${text}"`),
  key("in single quotes", "quoted", (text) => `'${text}'`),
  key("in backticks", "quoted", (text) => `\`${text}\``),
  key("and signature in quotation marks", "quoted", (text) => `"${text}`),
  key("in angle brackets", "surrounded", (text) => `<${text}>`),
  key("in braces", "surrounded", (text) => `{${text}}`),
  key("with its name before it", "surrounded", (text) => `accessKey=${text}`),
  key("with a comma behind it", "surrounded", (text) => `${text},`),
  key("behind a byte-order mark", "surrounded", (text) => `\xef\xbb\xbf${text}`),
  key("twice", "surrounded", (text) => text + text),
  key("without its last character", "cut", (text) => text.slice(0, -1)),
  key("without its first characters", "cut", (text) => text.slice(2)),
  key("in base64", "base64", (text) => Buffer.from(text).toString("base64")),
  key("that is percent-encoded", "percent", (text) =>
    text.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  ),
  [
    "a client access key in quotation marks, in a query",
    keyed((text) => `"${text}"`, searching),
    "key.altered",
    { is: "quoted" },
  ],
];

/** Sends a header under another name. */
const renamed =
  (name: "Date" | "Authorization", other: string, make: (s: Situation) => Sent = listing) =>
  (s: Situation): Sent => {
    const sent = make(s);
    return { ...sent, headers: { ...sent.headers, [name]: undefined, [other]: sent.headers[name] } };
  };

const dateAs = (other: string): Input => [
  `the header ${other} in place of Date`,
  renamed("Date", other),
  "signature.no-date",
  { other },
];
const authorizedBy = (other: string, make: (s: Situation) => Sent): Input => [
  `the header ${other} in place of Authorization${make === searching ? ", in a query" : ""}`,
  (s) => {
    const { accessKey, ...sent } = make(s);
    const value = `VWS ${accessKey}:c2lnbmF0dXJl`;
    return { ...sent, accessKey, headers: { ...sent.headers, Authorization: undefined, [other]: value } };
  },
  "authorization.missing",
  { other },
];

const NAMES: readonly Input[] = [
  ...["X-Date", "X-Amz-Date", "X-Ms-Date", "X-Vws-Date", "Timestamp", "X-Timestamp", "X-Request-Time"].map(
    dateAs,
  ),
  [
    "a query's date as X-Date, signed without a date",
    (s) => changed(renamed("Date", "X-Date", searching)(s), { date: "" }),
    "date.missing",
    { other: "X-Date" },
  ],
  [
    "a date as X-Date, signed without a date",
    (s) => changed(renamed("Date", "X-Date")(s), { date: "" }),
    "date.missing",
    { other: "X-Date" },
  ],
  authorizedBy("X-Authorization", listing),
  authorizedBy("Authorisation", listing),
  authorizedBy("Authentication", adding),
  authorizedBy("Proxy-Authorization", listing),
  authorizedBy("X-Authorization", searching),
];

/** Lists targets with the digest of a text, in place of its HMAC. */
const plain = (
  what: string,
  algorithm: string,
  name: string,
  text: (message: string, secret: string) => string,
  encoding: "hex" | "base64" = "base64",
): Input => [
  `a plain ${name} of ${what}, in ${encoding}`,
  (s) => {
    const sent = listing(s);
    const { method, digest, type, date, path } = sent.signed;
    const message = [method, digest, type, date, path].join("\n");
    const hash = createHash(algorithm)
      .update(text(message, String(sent.secretKey)))
      .digest(encoding);
    return { ...sent, encode: () => hash };
  },
  "signature.algorithm",
  { algorithm: name, isPlain: true, isHex: encoding === "hex" },
];

const ALGORITHMS: readonly Input[] = [
  plain("the string to sign", "sha1", "SHA-1", (message) => message),
  plain("the string to sign", "sha1", "SHA-1", (message) => message, "hex"),
  plain("the key and the string", "sha1", "SHA-1", (message, secret) => secret + message),
  plain("the string and the key", "sha1", "SHA-1", (message, secret) => message + secret, "hex"),
  plain("the string, a line feed and the key", "sha1", "SHA-1", (message, secret) => `${message}\n${secret}`),
  plain("the key, a colon and the string", "sha1", "SHA-1", (message, secret) => `${secret}:${message}`),
  plain("the key and the string", "sha256", "SHA-256", (message, secret) => secret + message, "hex"),
  plain("the key and the string", "md5", "MD5", (message, secret) => secret + message, "hex"),
  ...(["sha224", "sha384"] as const).flatMap((algorithm) =>
    (["hex", "base64"] as const).map(
      (encoding): Input => [
        `an HMAC with ${algorithm} in ${encoding}`,
        (s) => ({ ...listing(s), algorithm, encode: (hmac) => hmac.toString(encoding) }),
        "signature.algorithm",
        { algorithm: `HMAC-${algorithm.toUpperCase()}`, isHex: encoding === "hex" },
      ],
    ),
  ),
  ...(
    [
      ['"', '"'],
      ["'", "'"],
      ["<", ">"],
      ["", '"'],
      ["", "'"],
      ["", ","],
      ["", ";"],
    ] as const
  ).map(
    ([before, behind]): Input => [
      `a signature between ${before || "nothing"} and ${behind}`,
      (s) => ({ ...listing(s), encode: (hmac) => before + hmac.toString("base64") + behind }),
      "signature.encoding",
      { is: "surrounded" },
    ],
  ),
];

/** Headers of signed requests: keys, names, and how a signature is made and written. */
export const HEADERS: readonly Input[] = [...KEYS, ...NAMES, ...ALGORITHMS];
