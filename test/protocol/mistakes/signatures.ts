import {
  adding,
  changed,
  listing,
  type Mistake,
  md5,
  moved,
  request,
  type Sent,
  searching,
} from "./mistakes.ts";

const typed = (sent: Sent, type: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "Content-Type": type },
});

/** What clients sign wrongly. */
export const SIGNATURES: readonly Mistake[] = [
  [
    "the whole Content-Type is signed",
    (s) => changed(searching(s), { type: "multipart/form-data; boundary=b0undary" }),
    "does not match",
    "up to its first semicolon",
  ],
  [
    "no Content-Type is signed",
    (s) => changed(adding(s), { type: "" }),
    "does not match",
    'sign the Content-Type that is sent, up to its first semicolon ("application/json", not "")',
  ],
  [
    "the full URL is signed",
    (s) => changed(listing(s), { path: `https://${new URL(s.service.urls.target).host}/targets` }),
    "does not match",
    'without the base URL\'s own prefix ("/targets", not "https://',
  ],
  [
    "the query string is signed",
    (s) => ({ ...changed(listing(s), { path: "/targets?a=1" }), path: "/targets?a=1" }),
    '("/targets", not "/targets?a=1")',
    "without the query string",
  ],
  [
    "the method is signed in lower case",
    (s) => changed(listing(s), { method: "get" }),
    "does not match",
    "sign the method in upper case",
  ],
  [
    "the MD5 of no body is signed",
    (s) => changed(adding(s), { digest: md5("") }),
    "a body of 0 bytes was signed, but a body of",
    "sign the lower-case hexadecimal MD5 of the body's exact bytes",
  ],
  [
    "the signature is hexadecimal",
    (s) => ({ ...listing(s), encode: (hmac) => hmac.toString("hex") }),
    "is the HMAC in hexadecimal",
    "send the base64 of the HMAC's 20 bytes",
  ],
  [
    "the signature is an HMAC-SHA256",
    (s) => ({ ...listing(s), algorithm: "sha256" }),
    "is an HMAC-SHA256",
    "sign with HMAC-SHA1",
  ],
  [
    "the base64 of the hexadecimal digest",
    (s) => ({ ...listing(s), encode: (hmac) => Buffer.from(hmac.toString("hex")).toString("base64") }),
    "the base64 of the hexadecimal HMAC",
    "send the base64 of the HMAC's 20 bytes",
  ],
  [
    "the MD5 is made of Latin-1",
    (s) => {
      const sent = adding(s);
      return changed(sent, { digest: md5(Buffer.from(sent.body.toString(), "latin1")) });
    },
    "as Latin-1",
    "the body's exact bytes",
  ],
  [
    "the MD5 is made of a picture that was read as text",
    (s) => {
      const sent = searching(s);
      return changed(sent, { digest: md5(sent.body.toString("utf8")) });
    },
    "UTF-8, but the bytes are not UTF-8",
    "the body's exact bytes",
  ],
  [
    "the body is serialised again after it was signed",
    (s) => {
      const sent = adding(s);
      return changed(sent, { digest: md5(JSON.stringify(JSON.parse(sent.body.toString()), null, 2)) });
    },
    "serialised again after it was signed",
    "serialise the body once",
  ],
  [
    "two mistakes: hexadecimal, and the query string",
    (s) => ({
      ...changed(listing(s), { path: "/targets?a=1" }),
      path: "/targets?a=1",
      encode: (hmac) => hmac.toString("hex"),
    }),
    "without the query string",
    "send the base64 of the HMAC's 20 bytes",
  ],
  [
    "two mistakes: lower-case method, and no body",
    (s) => changed(adding(s), { digest: md5(""), method: "post" }),
    "sign the method in upper case",
    "a body of 0 bytes was signed",
  ],
  [
    "the Date is not signed",
    (s) => changed(listing(s), { date: "" }),
    "does not match",
    "sign the Date header's exact value",
  ],
  [
    "the date is read twice",
    (s) => changed(listing(s), { date: moved(s, -2 / 3600) }),
    "the date that was signed is 2 s before the Date header's",
    "read the clock once",
  ],
  [
    "another method is signed",
    (s) => changed(adding(s), { method: "PUT" }),
    "does not match",
    'sign the method that is sent ("POST", not "PUT")',
  ],
  [
    "the path is signed without its id",
    (s) => changed(request(s, "GET", "/targets/abc"), { path: "/targets" }),
    "does not match",
    'sign the whole path as it is sent ("/targets/abc", not "/targets")',
  ],
  [
    "the path is signed without its prefix",
    (s) => changed(searching(s), { path: "/query" }),
    "does not match",
    'sign the whole path as it is sent ("/v1/query", not "/query")',
  ],
  [
    "the lines are joined with CRLF",
    (s) => ({ ...listing(s), separator: "\r\n" }),
    'not a carriage return and a line feed ("\\r\\n")',
    'join the five lines with a line feed ("\\n")',
  ],
  [
    "a charset is signed that is not sent",
    (s) => changed(adding(s), { type: "application/json; charset=utf-8" }),
    "does not match",
    '("application/json", not "application/json; charset=utf-8")',
  ],
  [
    "the key and the message of the HMAC are swapped",
    (s) => ({ ...listing(s), isSwapped: true }),
    "swap the HMAC's key and message",
    "its key is the secret key, its message the string to sign",
  ],
  [
    "a line feed behind the signed string",
    (s) => changed(listing(s), { path: "/targets\n" }),
    "the string to sign ends with it",
    "sign no line feed behind the path",
  ],
  [
    "the MD5 is made of UTF-16",
    (s) => {
      const sent = adding(s);
      return changed(sent, { digest: md5(Buffer.from(sent.body.toString(), "utf16le")) });
    },
    "as UTF-16",
    "the body's exact bytes",
  ],
  [
    "the MD5 is made with a byte-order mark",
    (s) => {
      const sent = adding(s);
      return changed(sent, { digest: md5(`\ufeff${sent.body}`) });
    },
    "as UTF-8 with a byte-order mark",
    "the body's exact bytes",
  ],
  [
    "axios' default content type on text",
    (s) => typed(adding(s), "application/x-www-form-urlencoded"),
    '("application/x-www-form-urlencoded", not "application/json")',
    'Unity or axios sends "application/x-www-form-urlencoded" by default',
  ],
  [
    "fetch's default content type on text",
    (s) => typed(adding(s), "text/plain;charset=UTF-8"),
    '("text/plain", not "application/json")',
    "set the header, because .NET, fetch,",
  ],
];
