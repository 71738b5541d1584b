import type { Join } from "./row.ts";

/** The strings to sign; `signed` is known if a mistake explains the signature. */
export type Compared = {
  readonly expected?: string | undefined;
  readonly signed?: string | undefined;
};

const LINES = "(method, MD5 of the body, content type, date, path)";

/** `text` as JSON, with `▶` before its first difference from `other`. */
function marked(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same += 1;
  return JSON.stringify(`${text.slice(0, same)}▶${text.slice(same)}`);
}

/** If the string that was signed is wrong, both strings follow. */
export const compared: Join = (sentences, { expected, signed }, isShort) => {
  const all = sentences.join("; and ");
  if (typeof expected !== "string" || signed === expected) return all;
  const found = `${all}; the signature does not match`;
  if (typeof signed !== "string" || isShort) return found;
  return `${found}. String to sign, expected: ${marked(expected, signed)}; signed: ${marked(signed, expected)}`;
};

/** Only the string that should have been signed is known; the sentence ends with advice. */
export const unexplained: Join = ([sentence = ""], { expected }, isShort) =>
  `${sentence}, and that exactly this is signed ${LINES}${isShort ? "" : `: ${JSON.stringify(expected)}`}`;

const OTHER_KEY = "another key";
const CHANGED_BODY = "a body that was changed after it was signed";
const BUILT_TWICE = "a form that was built again after it was signed, which has another boundary then";

export type Left = {
  readonly hasBody?: boolean;
  /** Number of an earlier request that was signed with the right key. */
  readonly served?: number | undefined;
  /** Whether the request's own Content-MD5 is that of its body. */
  readonly isContentRight?: boolean | undefined;
  /** Whether the body is a form. */
  readonly isForm?: boolean;
};

/** What is left if no mistake explains a signature. */
function leftOf({ hasBody, served, isContentRight, isForm }: Left): string {
  if (isContentRight === false) return `${CHANGED_BODY}: its Content-MD5 is that of other bytes`;
  const key = served === undefined ? OTHER_KEY : `${OTHER_KEY} (request #${served} had the right one)`;
  if (isContentRight === true) return `${key}: the body still has its Content-MD5`;
  if (hasBody === false) return key;
  return `${key}, or ${isForm === true ? BUILT_TWICE : CHANGED_BODY}`;
}

export const whatIsLeft: Join = (sentences, facts, isShort) =>
  `${unexplained(sentences, facts, isShort)}; no common mistake explains the signature; what is left is ${leftOf(facts)}`;

/** What clients make of a secret key. */
export const KEY_ALTERATIONS = {
  cut: "without its first or last character",
  twice: "twice in a row",
  hashed: "as its hash (MD5, SHA-1 or SHA-256)",
  encoded: "encoded as base64 or hexadecimal",
  oauth: "with an ampersand, as in OAuth 1.0",
  prefixed: "with a prefix, as in AWS Signature Version 4",
  mark: "with a byte-order mark before it",
  pair: "behind the access key",
} as const;
export type KeyAlteration = keyof typeof KEY_ALTERATIONS;

/** How clients write a digest by hand. */
export const DIGEST_FORMS = {
  upperCase: "in upper case",
  base64: "in base64",
  base64url: "in base64 without padding",
  hexBase64: "as the base64 of its hexadecimal digits",
  unpadded: "without the leading zero of a byte (pad each byte to two digits)",
  number: "as a number without leading zeros (pad it to 32 digits)",
  signedNumber: "as a signed number (new BigInteger(1, bytes), padded to 32 digits)",
  decimal: "as a decimal number",
  extended: "with sign-extended bytes (mask each byte: b & 0xff)",
  separated: "with separators between its bytes (BitConverter.ToString: remove the dashes)",
  prefixed: "with 0x before it",
  quoted: "in quotation marks",
  python: "as Python writes bytes, b'…' (decode them to text)",
  list: "as a list of decimal bytes",
  lineFeed: "with more behind it (such as the line feed of md5sum)",
  bytes: "as bytes that were read as text",
  half: "as 16 of its 32 digits",
  twice: "as the MD5 of itself (digest once)",
} as const;
export type DigestForm = keyof typeof DIGEST_FORMS;

/** How clients write a signature by hand. */
export const SIGNATURE_FORMS = {
  hexadecimal: "the HMAC in hexadecimal",
  "hexadecimal in base64": 'the base64 of the hexadecimal HMAC; use digest("base64")',
  base64url: "base64url, without padding",
  "base64 without padding": "base64 without the = at its end",
  "Python's bytes": "Python's text of bytes, b'…'; decode it to text",
  surrounded: "in quotation marks or with more behind it",
  "percent-encoding": "percent-encoded",
} as const;
export type SignatureForm = keyof typeof SIGNATURE_FORMS;
