import { isAscii, isUtf8 } from "node:buffer";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";

/** U+FFFD in UTF-8: what decoders write in place of bytes that are no UTF-8. */
const REPLACEMENT = Buffer.from("\ufffd");

/** The largest body whose text is searched. */
const MOST_SEARCHED = 2 ** 22;

/** How bytes were read as text and encoded again, if they show it. */
export function reencodedAs(bytes: Buffer): "replacement" | "latin1" | undefined {
  if (bytes.length > MOST_SEARCHED || isAscii(bytes) || !isUtf8(bytes)) return undefined;
  if (bytes.includes(REPLACEMENT)) return "replacement";
  return wasLatin1(bytes) ? "latin1" : undefined;
}

/** How a body was encoded again on its way, if its bytes show it. */
export function reencodedIn(body: Buffer): AnyCause | undefined {
  const as = reencodedAs(body);
  if (as === undefined) return undefined;
  return cause("body.reencoded", {
    as,
    ...(as === "replacement" && { position: body.indexOf(REPLACEMENT) + 1 }),
  });
}

/** Whether bytes were read as Latin-1 and written as UTF-8: what they were is UTF-8, or has a picture. */
export function wasLatin1(body: Buffer): boolean {
  const text = body.toString("utf8");
  if (/[\u0100-\uffff]/.test(text)) return false;
  const before = Buffer.from(text, "latin1");
  return isUtf8(before) || PICTURES.some((picture) => before.includes(picture));
}

/** How a PNG begins, and a JPEG in a form. */
const PICTURES = ["\x89PNG\r\n", "\r\n\r\n\xff\xd8\xff"].map((beginning) => Buffer.from(beginning, "latin1"));
