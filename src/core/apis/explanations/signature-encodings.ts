import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { SignatureForm } from "../../schema/causes/signed-words.ts";

/** How the bytes of an HMAC are sent. */
export interface SignatureEncoding {
  readonly of: (hmac: Buffer) => string;
  /** In characters. It names the algorithm, so one HMAC decides. */
  readonly length: number;
  readonly algorithm: "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "md5";
  readonly mistake?: AnyCause | undefined;
}

const inBase64 = (hmac: Buffer) => hmac.toString("base64");
const inHex = (hmac: Buffer) => hmac.toString("hex");
const inUpperCase = (hmac: Buffer) => inHex(hmac).toUpperCase();
const inUrls = (hmac: Buffer) => hmac.toString("base64url");
const unpadded = (hmac: Buffer) => inBase64(hmac).replace(/=+$/, "");
const inPython = (hmac: Buffer) => `b'${inBase64(hmac)}'`;
const hexInBase64 = (hmac: Buffer) => Buffer.from(inHex(hmac)).toString("base64");
const percentEncoded = (hmac: Buffer) => encodeURIComponent(inBase64(hmac));
const between = (start: string, end: string) => (hmac: Buffer) => `${start}${inBase64(hmac)}${end}`;
const before = (end: string) => between("", end);
const encoded = (is: SignatureForm) => cause("signature.encoding", { is });
const algorithm = (isHex: boolean, name: string) => cause("signature.algorithm", { isHex, algorithm: name });
/** In place of the length of a signature with escapes, each of which is longer than its character. */
const ESCAPED = 0;

const ENCODINGS = (
  [
    ["sha1", 28, inBase64],
    ["sha1", 40, inHex, encoded("hexadecimal")],
    ["sha1", 40, inUpperCase, encoded("hexadecimal")],
    ["sha1", 56, hexInBase64, encoded("hexadecimal in base64")],
    ["sha1", 27, inUrls, encoded("base64url")],
    ["sha1", 27, unpadded, encoded("base64 without padding")],
    ["sha1", 31, inPython, encoded("Python's bytes")],
    ["sha1", ESCAPED, percentEncoded, encoded("percent-encoding")],
    ["sha1", 29, before("'"), encoded("surrounded")],
    ["sha1", 29, before('"'), encoded("surrounded")],
    ["sha1", 29, before(","), encoded("surrounded")],
    ["sha1", 29, before(";"), encoded("surrounded")],
    ["sha1", 30, between("'", "'"), encoded("surrounded")],
    ["sha1", 30, between('"', '"'), encoded("surrounded")],
    ["sha1", 30, between("<", ">"), encoded("surrounded")],
    ["sha224", 40, inBase64, algorithm(false, "HMAC-SHA224")],
    ["sha224", 56, inHex, algorithm(true, "HMAC-SHA224")],
    ["sha256", 44, inBase64, algorithm(false, "HMAC-SHA256")],
    ["sha256", 64, inHex, algorithm(true, "HMAC-SHA256")],
    ["sha384", 64, inBase64, algorithm(false, "HMAC-SHA384")],
    ["sha384", 96, inHex, algorithm(true, "HMAC-SHA384")],
    ["sha512", 88, inBase64, algorithm(false, "HMAC-SHA512")],
    ["sha512", 128, inHex, algorithm(true, "HMAC-SHA512")],
    ["md5", 24, inBase64, algorithm(false, "HMAC-MD5")],
    ["md5", 32, inHex, algorithm(true, "HMAC-MD5")],
  ] as const
).map(([algorithm, length, of, mistake]): SignatureEncoding => ({ algorithm, length, of, mistake }));

/** The encodings that a signature may have, by its length and characters; all have one algorithm. */
export function encodingsOf(signature: string): readonly SignatureEncoding[] {
  const wanted = signature.includes("%") ? ESCAPED : signature.length;
  const isHex = /^[\da-f]+$/i.test(signature);
  return ENCODINGS.filter(
    ({ length, of }) => length === wanted && isHex === (of === inHex || of === inUpperCase),
  );
}
