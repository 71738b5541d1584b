import { createHash } from "node:crypto";
import {
  adding,
  changed,
  image,
  listing,
  md5,
  request,
  type Sent,
  type Situation,
  searching,
  send,
} from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

const base64 = image.toString("base64");

/** Lists targets with a secret key that a client altered. */
const altered = (what: string, write: (key: string) => string, is: string): Input => [
  `a secret key ${what}`,
  (s) => ({ ...listing(s), secretKey: write(s.keys.serverSecretKey) }),
  "signature.key-altered",
  { is },
];
const hashedBy = (algorithm: string) => (key: string) => createHash(algorithm).update(key).digest("hex");

const SECRETS: readonly Input[] = [
  altered("without its last character", (key) => key.slice(0, -1), "cut"),
  altered("without its first character", (key) => key.slice(1), "cut"),
  altered("twice in a row", (key) => key + key, "twice"),
  altered("as its SHA-1", hashedBy("sha1"), "hashed"),
  altered("as its MD5", hashedBy("md5"), "hashed"),
  altered("in base64", (key) => Buffer.from(key).toString("base64"), "encoded"),
  altered("in hexadecimal", (key) => Buffer.from(key).toString("hex"), "encoded"),
  altered("with an ampersand, as in OAuth 1.0", (key) => `${key}&`, "oauth"),
  altered("behind AWS4", (key) => `AWS4${key}`, "prefixed"),
  altered("behind VWS", (key) => `VWS${key}`, "prefixed"),
  altered("behind a byte-order mark", (key) => `\ufeff${key}`, "mark"),
  [
    "a secret key behind the access key",
    (s) => ({ ...listing(s), secretKey: `${s.keys.serverAccessKey}:${s.keys.serverSecretKey}` }),
    "signature.key-altered",
    { is: "pair" },
  ],
];

/** Lists targets with another Authorization header. */
const authorized = (what: string, value: string): Input => [
  what,
  (s) => {
    const sent = listing(s);
    return { ...sent, headers: { ...sent.headers, Authorization: value } };
  },
  "authorization.malformed",
  { problem: "scheme" },
];

const SCHEMES: readonly Input[] = [
  authorized(
    "Signature Version 4 of AWS",
    "AWS4-HMAC-SHA256 Credential=key/20261121/us-east-1/vws/aws4_request, SignedHeaders=host, Signature=ab",
  ),
  authorized("HTTP Digest", 'Digest username="user", realm="vws", uri="/targets", response="ab"'),
  authorized("a signature of HTTP messages", 'Signature keyId="key",algorithm="hmac-sha1",signature="YQ=="'),
  authorized("OAuth 1.0", 'OAuth oauth_consumer_key="key", oauth_signature="YQ%3D%3D"'),
  authorized("Hawk", 'Hawk id="key", ts="1795951317", mac="YQ=="'),
  authorized("an API key", "ApiKey 1234567890"),
  authorized("Negotiate", "Negotiate YIIJvwYGKwYBBQ=="),
];

const twice = (s: Situation) => `${listing(s).signed.date}, ${listing(s).signed.date}`;
/** Adds a target, signed as another text of the same JSON. */
const rewritten = (
  what: string,
  write: (fields: Readonly<Record<string, unknown>>) => string,
  code: Input[2],
  facts: object,
): Input => [
  what,
  (s) => {
    const sent = adding(s);
    return changed(sent, { digest: md5(write(JSON.parse(sent.body.toString()))) });
  },
  code,
  facts,
];
const spaced = (fields: object) =>
  JSON.stringify(fields, null, 1)
    .replace(/\n */g, " ")
    .replace(/^\{ | \}$/g, (part) => part.trim());

const SIGNED: readonly Input[] = [
  [
    "two Date headers",
    (s) => ({ ...listing(s), headers: { Date: twice(s) } }),
    "signature.date",
    { isTwice: true },
  ],
  [
    "a right request, then the same with two Date headers",
    async (s) => {
      await send(s, listing(s));
      return { ...listing(s), headers: { Date: twice(s) } };
    },
    "signature.date",
    { isTwice: true, also: [{ code: "signature.reused" }] },
  ],
  [
    "two Date headers, both of them signed",
    (s) => ({ ...changed(listing(s), { date: twice(s) }), headers: { Date: twice(s) } }),
    "date.malformed",
    { is: "twice" },
  ],
  rewritten(
    "keys in another order than they were signed in",
    ({ name, width, ...rest }) => JSON.stringify({ ...rest, width, name }),
    "signature.rewritten",
    { isReordered: true },
  ),
  rewritten(
    "keys in another order, signed with spaces",
    ({ name, width, image: picture }) => spaced({ image: picture, name, width }),
    "signature.rewritten",
    { isReordered: true },
  ),
  rewritten(
    "the MD5 of what Python prints of the fields",
    ({ name, width, image: picture }) => `{'name': '${name}', 'width': ${width}, 'image': '${picture}'}`,
    "signature.digest",
    { of: "Python's text of a dict" },
  ),
  [
    "two slashes that were signed before a proxy merged them",
    (s) => changed(listing(s), { path: "//targets" }),
    "signature.path",
    { wrong: '"//targets"' },
  ],
  [
    "a path that was signed in lower case",
    (s) => changed(request(s, "GET", "/targets/ABCDEF"), { path: "/targets/abcdef" }),
    "signature.path",
    { wrong: '"/targets/abcdef"' },
  ],
  [
    "the signature before the access key",
    (s) => {
      const sent = listing(s);
      return {
        ...sent,
        headers: { ...sent.headers, Authorization: `VWS c2lnbmF0dXJlIG9mIDIwIGJ5dGU=:${sent.accessKey}` },
      };
    },
    "key.unknown",
    { is: "signature" },
  ],
  [
    "a license key as the access key",
    (s) => ({ ...listing(s), accessKey: `AQ${"b3N4".repeat(95)}` }),
    "key.unknown",
    { is: "license" },
  ],
  ["a template in place of the date", (s) => dated(s, "{{$timestamp}}"), "date.malformed"],
];

const dated = (s: Situation, date: string): Sent => ({
  ...changed(listing(s), { date }),
  headers: { Date: date },
});

const named = (text: string): Input => [
  `the name ${text}`,
  (s) => adding(s, { name: text }),
  "text.unset",
  { field: "name", text },
];
const idOf = (text: string): Input => [
  `the id ${text} in a path`,
  (s) => {
    const path = `/targets/${encodeURIComponent(text)}`;
    return request(s, "GET", path);
  },
  "id.unset",
  { text },
];

const UNSET: readonly Input[] = [
  ...["undefined", "null", "NaN", "[object Object]"].flatMap((text) => [named(text), idOf(text)]),
  [
    "a report of the database undefined",
    (s) =>
      request(
        s,
        "POST",
        "/imagetargets/databases/undefined/reports/recoCounts",
        Buffer.from('{"month":"2026-11"}'),
        "application/json",
      ),
    "database-id.wrong",
    { unset: "undefined" },
  ],
  [
    "a query string of a query",
    (s) => ({ ...searching(s), path: "/v1/query?max_num_results=2" }),
    "query-string.ignored",
    { given: '"max_num_results=2"' },
  ],
  [
    "a query string of the list",
    (s) => ({ ...listing(s), path: "/targets?page=2" }),
    "query-string.ignored",
    { given: '"page=2"' },
  ],
];

const adds = (what: string, fields: object, code: Input[2], facts: object = {}): Input => [
  what,
  (s) => adding(s, fields),
  code,
  facts,
];
/** A query with a further field. */
const searches = (what: string, name: string, value: string, code: Input[2], facts: object = {}): Input => [
  what,
  (s) => {
    const sent = searching(s);
    const part = Buffer.from(
      `--b0undary\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const body = Buffer.concat([part, sent.body]);
    return changed({ ...sent, body }, { digest: md5(body) });
  },
  code,
  facts,
];
const raw = (what: string, body: Buffer | string, code: Input[2], facts: object = {}): Input => [
  what,
  (s) => request(s, "POST", "/targets", Buffer.from(body), "application/json"),
  code,
  facts,
];

const FIELDS: readonly Input[] = [
  adds("a width as text with a decimal comma", { width: "0,5" }, "width.wrong", { given: '"0,5"' }),
  adds("a width as a flag", { width: true }, "width.wrong"),
  adds("a width in a list", { width: [1] }, "width.wrong"),
  raw("a width beyond all numbers", `{"name":"a","width":1e400,"image":"${base64}"}`, "width.wrong"),
  adds("a flag as a number above 1", { active_flag: 2 }, "flag.wrong"),
  adds("a flag as Python writes it", { active_flag: "True" }, "flag.wrong"),
  adds("metadata in base64url", { application_metadata: "SGVsbG8_d29ybGQ-" }, "base64.url", {
    field: "application_metadata",
  }),
  adds("a name in a list", { name: ["a"] }, "name.type"),
  adds("base64 with tabs", { image: base64.replace(/.{76}/, "$&\t") }, "base64.trim", { character: '"\\t"' }),
  adds("a picture in base32", { image: `${"NFXHI33EOVRXI2LP".repeat(20)}NY======` }, "base64.other", {
    is: "base32",
  }),
  adds("a picture in Ascii85", { image: `<~${'87cURD]i,"Ebo80'.repeat(10)}~>` }, "base64.other", {
    is: "Ascii85",
  }),
  raw("a picture as the body", image, "json.format", { is: "picture" }),
  raw(
    "the target in the field data",
    `{"data":{"name":"a","width":1,"image":"${base64}"}}`,
    "fields.missing",
    { within: '"data"' },
  ),
  searches("a number in quotation marks", "max_num_results", '"10"', "max-results.wrong"),
  searches("a number and a line feed", "max_num_results", "10\n", "max-results.wrong"),
  searches("a word in quotation marks", "include_target_data", '"all"', "target-data.wrong"),
  searches("a flag in place of a word", "include_target_data", "1", "target-data.wrong"),
  [
    "a request for headers only",
    (s) => request(s, "HEAD", "/summary"),
    "method.unknown",
    { accepted: "GET (databaseSummary)" },
  ],
];

/** What libraries, runtimes, proxies and templates make of requests. */
export const CLIENTS: readonly Input[] = [...SECRETS, ...SCHEMES, ...SIGNED, ...UNSET, ...FIELDS];
