import { refusal } from "./row.ts";
import {
  type Compared,
  compared,
  DIGEST_FORMS,
  type DigestForm,
  KEY_ALTERATIONS,
  type KeyAlteration,
  type Left,
  SIGNATURE_FORMS,
  type SignatureForm,
  unexplained,
  whatIsLeft,
} from "./signed-words.ts";
import { type NoDate, noDate, unset } from "./words.ts";

export const mistake = <Facts extends object = object>(
  happened: string,
  sentence: (facts: Facts & Compared) => string,
  change: string,
  example: string,
) => refusal<Facts & Compared>(happened, sentence, change, example, compared);

const SIGN_AGAIN = "Compute a signature for each request, from the request that is sent.";

/** The signature of a request to the target and query APIs. */
export const signatureCauses = {
  "id.unset": mistake<{
    readonly text: string;
    /** The database that was asked, if the signature is right. */
    readonly database?: string | undefined;
  }>(
    "The path has the text of a value that was not set in place of an id.",
    ({ text, database }) =>
      database === undefined
        ? `await the call that returns the id: the path has the text ${JSON.stringify(text)} in place of it`
        : `await the call that returns the id, and check the name of its field: the database "${database}" has no undeleted target with the id ${JSON.stringify(text)}`,
    "Await the call that returns the id, and check the name of its field.",
    "GET /targets/undefined",
  ),
  "signature.unset": mistake<{ readonly text: string }>(
    "The signature is the text of a value that was not set.",
    ({ text }) => unset("the signature", text),
    "Check the variable that holds the signature, and await what computes it.",
    "GET /targets\nAuthorization: VWS <server access key>:undefined",
  ),
  "signature.spaced": mistake(
    "There is a space before the signature.",
    () => "send no space after the colon of the Authorization header",
    "Send no space between the colon of the Authorization header and the signature.",
    "GET /targets\nAuthorization: VWS <server access key>: <signature>",
  ),
  "signature.reused": mistake<{ readonly number: number; readonly method: string; readonly path: string }>(
    "The signature is that of an earlier request.",
    ({ number, method, path }) =>
      `compute a new signature for each request: it is that of request #${number} (${method} ${path})`,
    SIGN_AGAIN,
    "GET /summary with the Authorization header of an earlier GET /targets",
  ),
  "signature.scheme": refusal<{ readonly scheme: string } & Compared>(
    "The scheme of the Authorization header is not spelled VWS.",
    ({ scheme }) => `write the Authorization scheme as exactly "VWS": it is ${scheme}`,
    "Write the scheme of the Authorization header as VWS, in upper case.",
    "GET /targets\nAuthorization: vws <server access key>:<signature>",
    (sentences, facts, isShort) =>
      sentences.length === 1
        ? `${sentences[0]}; the signature is right`
        : compared(sentences, facts, isShort),
  ),
  "signature.other-key": mistake<{
    /** Which key signed, such as `client secret key`. */
    readonly key: string;
    /** The database of the access key. */
    readonly database?: string | undefined;
    /** The database whose key signed, if it is another one. */
    readonly other?: string | undefined;
  }>(
    "Another key signed; the string to sign was right.",
    ({ key, database, other }) =>
      other === undefined
        ? `sign with the secret key that belongs to the access key: the signature was made with the database's ${key}`
        : `take both keys from the same database: the signature was made with the ${key} of another database, ${other}; the access key belongs to ${database}`,
    "Sign with the secret key that belongs to the access key: server keys sign target API requests, client keys sign queries.",
    "GET /targets, signed with the client secret key",
  ),
  "signature.key-unset": mistake<{ readonly text: string }>(
    "The text of a value that was not set signed in place of the secret key.",
    ({ text }) => unset("the secret key", text),
    "Check the variable that holds the secret key.",
    'GET /targets, signed with the text "undefined"',
  ),
  "signature.key-space": mistake(
    "The secret key that signed has white space around it.",
    () => "trim the secret key: it has white space around it (such as the line feed at the end of a file)",
    "Trim the secret key.",
    "GET /targets, signed with the server secret key and a line feed",
  ),
  "signature.key-quoted": mistake(
    "The secret key that signed has quotation marks around it.",
    () => "remove the quotation marks around the secret key: it signed with them",
    "Remove the quotation marks, such as those of a .env file, from the secret key.",
    "GET /targets, signed with the server secret key in quotation marks",
  ),
  "signature.key-decoded": mistake<{ readonly encoding: string }>(
    "The secret key was decoded before it signed.",
    ({ encoding }) => `sign with the secret key's characters as they are: it was decoded from ${encoding}`,
    "Use the characters of the secret key as the key of the HMAC: decode nothing.",
    "GET /targets, signed with what the server secret key is in base64",
  ),
  "signature.key-altered": mistake<{ readonly is: KeyAlteration }>(
    "The secret key that signed is right but for what was added, cut or encoded.",
    ({ is }) => `sign with the secret key as it is: it signed ${KEY_ALTERATIONS[is]}`,
    "Sign with the secret key as it is: whole, and without anything around it.",
    "GET /targets, signed with the server secret key and an ampersand",
  ),
  "signature.utf16": mistake<{ readonly is: "key" | "text" | "both" }>(
    "The secret key or the string to sign was UTF-16.",
    ({ is }) =>
      `encode the secret key and the string to sign as UTF-8 (in .NET, Encoding.UTF8): the ${
        { key: "key was", text: "string to sign was", both: "two were" }[is]
      } UTF-16`,
    "Encode the secret key and the string to sign as UTF-8: in .NET, with `Encoding.UTF8`.",
    "GET /targets, signed with the UTF-16 of the server secret key",
  ),
  "signature.key-case": mistake(
    "The secret key that signed is right but for upper and lower case.",
    () => "sign with the secret key unchanged: its upper and lower case was changed",
    "Sign with the secret key unchanged.",
    "GET /targets, signed with the server secret key in upper case",
  ),
  "signature.encoding": mistake<{ readonly is: SignatureForm }>(
    "The signature is right, but encoded in another way.",
    ({ is }) => `send the base64 of the HMAC's 20 bytes: the signature is ${SIGNATURE_FORMS[is]}`,
    "Send the base64 of the HMAC's 20 bytes.",
    "GET /targets with the HMAC in hexadecimal",
  ),
  "signature.algorithm": mistake<{
    readonly isHex: boolean;
    /** Such as `HMAC-SHA256`. */
    readonly algorithm: string;
    /** Whether it is a digest without a key. */
    readonly isPlain?: boolean;
  }>(
    "The signature was made with another algorithm.",
    ({ isHex, algorithm, isPlain }) =>
      isPlain === true
        ? `make the signature with HMAC-SHA1, whose key is the secret key: it is a plain ${algorithm}`
        : isHex
          ? `send the base64 of an HMAC-SHA1: the signature is an ${algorithm} in hexadecimal`
          : `sign with HMAC-SHA1: the signature is an ${algorithm}`,
    "Sign with HMAC-SHA1.",
    "GET /targets with an HMAC-SHA256",
  ),
  "signature.length": mistake<{ readonly characters: number }>(
    "The signature has the length of no HMAC.",
    ({ characters }) => `send the 28 characters of an HMAC-SHA1 in base64: the signature has ${characters}`,
    "Send the base64 of the HMAC's 20 bytes, which has 28 characters.",
    "GET /targets\nAuthorization: VWS <server access key>:c2lnbmF0dXJl",
  ),
  "signature.swapped": mistake(
    "The HMAC's key and its message are swapped.",
    () => "swap the HMAC's key and message: its key is the secret key, its message the string to sign",
    "Give the secret key as the HMAC's key, and the string to sign as its message.",
    "GET /targets with the string to sign as the key",
  ),
  "signature.method": mistake<{ readonly right?: string; readonly wrong?: string }>(
    "Another method was signed.",
    ({ right, wrong }) =>
      wrong === undefined
        ? "sign the method in upper case"
        : `sign the method that is sent (${right}, not ${wrong})`,
    "Sign the method that is sent, in upper case.",
    "GET /targets, signed as POST",
  ),
  "signature.digest": mistake<{
    /** The text that was digested, such as `base64`. */
    readonly of?: string | undefined;
    /** The text that was digested instead of the body, as JSON. */
    readonly text?: string | undefined;
    /** Whether it is the request's own Content-MD5. */
    readonly isHeader?: boolean | undefined;
    /** Whether only the form's file was digested. */
    readonly isPart?: boolean | undefined;
    /** What was signed instead, such as `SHA-1`. */
    readonly not?: string | undefined;
    /** Length of the body, if the digest of no body was signed. */
    readonly bytes?: number | undefined;
    /** Whether nothing was signed. */
    readonly isEmpty?: boolean | undefined;
  }>(
    "Another digest of the body was signed.",
    ({ of, text, isHeader, isPart, not, bytes, isEmpty }) => {
      const exact = "sign the lower-case hexadecimal MD5 of the body's exact bytes";
      if (text !== undefined) return `${exact}: the MD5 of the text ${text} was signed`;
      if (isHeader === true)
        return `${exact}: the MD5 of the Content-MD5 header was signed, which is that of other bytes`;
      if (isPart === true)
        return `${exact}: the MD5 of the form's file was signed, without the form around it`;
      if (of !== undefined) return `${exact}: the MD5 was computed over its text as ${of}`;
      if (bytes !== undefined)
        return `${exact}: a body of 0 bytes was signed, but a body of ${bytes} bytes was sent`;
      if (isEmpty === true) return `${exact}, also when there is no body`;
      return not === undefined ? exact : `${exact}, not its ${not}`;
    },
    "Compute the MD5 over exactly the bytes of the body that are sent, in lower-case hexadecimal.",
    "POST /targets, signed with the MD5 of no body",
  ),
  "signature.digest-form": mistake<{ readonly is: DigestForm }>(
    "The MD5 of the body is right, but written in another way.",
    ({ is }) =>
      `sign the lower-case hexadecimal MD5 of the body's exact bytes: it was written ${DIGEST_FORMS[is]}`,
    "Write the MD5 as 32 lower-case hexadecimal digits, two for each byte.",
    "POST /targets, signed with the MD5 in upper case",
  ),
  "signature.rewritten": mistake<{ readonly isReordered?: boolean }>(
    "The body was serialised again after it was signed.",
    ({ isReordered }) =>
      `serialise the body once, then sign and send those bytes: it was serialised again after it was signed${isReordered === true ? ", with its keys in another order" : ""}`,
    "Serialise the body once, then sign and send those bytes.",
    "POST /targets, signed with the MD5 of the same JSON with spaces",
  ),
  "signature.content-type": mistake<{
    readonly right: string;
    readonly wrong: string;
    readonly client?: string | undefined;
  }>(
    "Another Content-Type was signed.",
    ({ right, wrong, client }) =>
      `sign the Content-Type that is sent, up to its first semicolon (${right}, not ${wrong})${client === undefined ? "" : `: set the header, because ${client} sends ${right} by default`}`,
    "Sign the Content-Type that is sent, up to its first semicolon.",
    "POST /v1/query, signed with the Content-Type and its boundary",
  ),
  "signature.date": mistake<{
    /** By how many seconds the signed date is later than the Date header. */
    readonly seconds?: number | undefined;
    readonly right?: string;
    readonly wrong?: string;
    /** Whether the header was sent twice. */
    readonly isTwice?: boolean;
  }>(
    "Another date was signed.",
    ({ seconds, right, wrong, isTwice }) =>
      isTwice === true
        ? `send one Date header: the request has ${right}, and ${wrong} was signed`
        : seconds === undefined
          ? `sign the Date header's exact value${wrong === undefined ? ", not an empty line" : ` (${right}, not ${wrong})`}`
          : `read the clock once, then sign and send that text: the date that was signed is ${Math.abs(seconds)} s ${seconds < 0 ? "before" : "after"} the Date header's`,
    "Sign the Date header's exact value: compute it once, then sign and send it.",
    "GET /targets, signed with an empty date",
  ),
  "signature.path": mistake<{
    readonly is?: "part" | "ended";
    readonly right?: string;
    readonly wrong?: string;
  }>(
    "Another path was signed.",
    ({ is, right, wrong }) => {
      if (is === "ended") return "sign no line feed behind the path: the string to sign ends with it";
      const path =
        is === "part"
          ? "the whole path as it is sent"
          : "the path as it is sent, without the query string and without the base URL's own prefix";
      return `sign ${path} (${right}, not ${wrong})`;
    },
    "Sign the path as it is sent, without host, query string and the base URL's own prefix.",
    "GET /targets, signed with https://vws.vuforia.com/targets",
  ),
  "signature.lines": mistake<{
    /** The line that was left out. */
    readonly missing?: string;
    /** Two lines that are in the place of each other. */
    readonly swapped?: string;
  }>(
    "A line of the string to sign is missing, or in another place.",
    ({ missing, swapped }) =>
      missing === undefined
        ? `sign the lines in the order method, MD5 of the body, content type, date, path: ${swapped} are swapped`
        : `sign all five lines, also an empty one: the line of ${missing} is missing`,
    "Sign method, MD5 of the body, content type, date and path, in this order: a line without a value stays empty.",
    "GET /targets, signed without the empty line of the content type",
  ),
  "signature.separator": mistake<{ readonly separator: string }>(
    "The lines of the string to sign are joined in another way.",
    ({ separator }) => `join the five lines with a line feed ("\\n"), not ${separator}`,
    "Join the five lines of the string to sign with line feeds, and put none at its end.",
    "GET /targets, signed with the lines joined by spaces",
  ),
  "signature.cut-body": refusal<Compared>(
    "The signature does not match, and the body ends within its JSON.",
    () =>
      "send the whole body (a Content-Length counts bytes, not characters: Buffer.byteLength): it ends within its JSON; check the secret key",
    "Send the whole body: a Content-Length counts bytes.",
    'POST /targets with a body that ends after `{"name": "a`, and a wrong signature',
    unexplained,
  ),
  "signature.no-date": refusal<Compared & NoDate>(
    "The signature does not match, and the request has no Date header.",
    (facts) => `${noDate(facts)}; check the secret key`,
    "Send the Date header that was signed.",
    "GET /targets\nDate:\nAuthorization: VWS <server access key>:another signature=====",
    unexplained,
  ),
  "signature.unexplained": refusal<Compared & Left>(
    "The signature does not match, and no common mistake explains it.",
    ({ isForm }) =>
      `${isForm === true ? "build the form once, send the bytes that were signed, and " : ""}check the secret key`,
    "Check the secret key, compare the string that the client signs with the expected one, and look for what changes the body.",
    "GET /targets, signed with an unknown key",
    whatIsLeft,
  ),
};
