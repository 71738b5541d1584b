import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { adding, image, md5, request, type Sent, type Situation, searching, send } from "./mistakes.ts";

type Make = (situation: Situation) => Sent | Promise<Sent>;
/** What a client gets wrong, how, and what the journal must say: the mistake, and the fix. */
type Mistake = readonly [what: string, make: Make, mistake: string, fix: string];

const changed = (sent: Sent, signed: Partial<Sent["signed"]>): Sent => ({
  ...sent,
  signed: { ...sent.signed, ...signed },
});
const listing = (situation: Situation) => request(situation, "GET", "/targets");
const dated = (situation: Situation, date: string): Sent => {
  const sent = changed(listing(situation), { date });
  return { ...sent, headers: { Date: date } };
};
const moved = ({ service }: Situation, hours: number) =>
  new Date(service.clock.now().getTime() + hours * 3_600_000).toUTCString();
const authorized = (sent: Sent, Authorization: string | undefined): Sent => ({
  ...sent,
  headers: { ...sent.headers, Authorization },
});
const token = (s: Situation, authorization?: string): Sent => ({
  ...authorized(request(s, "POST", "/oauth2/token"), authorization),
  api: "modelTarget",
});
const datasets = (s: Situation, authorization: string): Sent => ({
  ...authorized(request(s, "POST", "/modeltargets/datasets"), authorization),
  api: "modelTarget",
});
const typed = (sent: Sent, type: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "Content-Type": type },
});
const written = (s: Situation, text: string) =>
  request(s, "POST", "/targets", Buffer.from(text), "application/json");
const asText = (bytes: Buffer) => Buffer.from(bytes.toString("utf8"));

const MISTAKES: readonly Mistake[] = [
  // Signatures
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
    "it must be its base64",
  ],
  [
    "the signature is an HMAC-SHA256",
    (s) => ({ ...listing(s), algorithm: "sha256" }),
    "is an HMAC-SHA256",
    "must be an HMAC-SHA1",
  ],
  [
    "the base64 of the hexadecimal digest",
    (s) => ({ ...listing(s), encode: (hmac) => Buffer.from(hmac.toString("hex")).toString("base64") }),
    "the base64 of the hexadecimal HMAC",
    "base64 of its bytes",
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
    "serialise it once",
  ],
  [
    "two mistakes: hexadecimal, and the query string",
    (s) => ({
      ...changed(listing(s), { path: "/targets?a=1" }),
      path: "/targets?a=1",
      encode: (hmac) => hmac.toString("hex"),
    }),
    "without the query string",
    "it must be its base64",
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
  // Keys
  [
    "a secret with a line feed",
    (s) => ({ ...listing(s), secretKey: `${s.keys.serverSecretKey}\n` }),
    "has white space around it",
    "trim it",
  ],
  [
    "a secret in quotation marks",
    (s) => ({ ...listing(s), secretKey: `"${s.keys.serverSecretKey}"` }),
    "quotation marks around it",
    "sign without them",
  ],
  [
    "access and secret key swapped",
    (s) => ({ ...listing(s), accessKey: s.keys.serverSecretKey, secretKey: s.keys.serverAccessKey }),
    "swap them",
    "the access key is sent, and the secret key only signs",
  ],
  [
    "client keys for the target API",
    (s) => ({ ...listing(s), accessKey: s.keys.clientAccessKey, secretKey: s.keys.clientSecretKey }),
    "is the client access key",
    "server keys sign target API requests",
  ],
  [
    "server keys for a query",
    (s) => ({ ...searching(s), accessKey: s.keys.serverAccessKey, secretKey: s.keys.serverSecretKey }),
    "is the server access key",
    "client keys sign queries",
  ],
  [
    "the client's secret with the server's access key",
    (s) => ({ ...listing(s), secretKey: s.keys.clientSecretKey }),
    "made with the database's client secret key",
    "sign with the secret key that belongs to the access key",
  ],
  [
    "keys of two databases mixed",
    (s) => ({ ...listing(s), secretKey: s.other.serverSecretKey }),
    "server secret key of another database",
    "take both keys from the same database",
  ],
  [
    "an unknown access key",
    (s) => ({ ...listing(s), accessKey: "of-the-real-service" }),
    'no database has the server access key "of-t…"',
    "server keys sign target API requests",
  ],
  [
    "an access key of one character",
    (s) => ({ ...listing(s), accessKey: "x" }),
    '"…" (1 character); server keys',
    "server keys sign target API requests",
  ],
  [
    "a key in another letter case",
    (s) => ({ ...listing(s), accessKey: s.keys.serverAccessKey.toUpperCase() }),
    "in a different case",
    "send it unchanged",
  ],
  ...["undefined", "null"].map(
    (text): Mistake => [
      `${text} as the access key`,
      (s) => ({ ...listing(s), accessKey: text }),
      `the access key is the text "${text}"`,
      "check the variable that holds it",
    ],
  ),
  ...["undefined", "null", "[object Promise]"].map(
    (text): Mistake => [
      `${text} as the secret key`,
      (s) => ({ ...listing(s), secretKey: text }),
      `the secret key that signed is the text "${text}"`,
      text.startsWith("[") ? "await it first" : "check the variable that holds it",
    ],
  ),
  [
    "an empty secret key",
    (s) => ({ ...searching(s), secretKey: "" }),
    "the secret key that signed is empty",
    "check the variable that holds it",
  ],
  [
    "undefined as the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}:undefined`),
    'the signature is the text "undefined"',
    "check the variable that holds it",
  ],
  [
    "a space before the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}: c2lnbmF0dXJl`),
    "there is a space after the colon",
    "send none",
  ],
  [
    "a Promise as the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}:[object Promise]`),
    'the signature is the text "[object Promise]"',
    "await it first",
  ],
  [
    "a Promise as the access key",
    (s) => ({ ...listing(s), accessKey: "[object Promise]" }),
    'it contains the text "[object Promise]"',
    "await the value first",
  ],
  // Authorization and Date
  [
    "no Authorization",
    (s) => authorized(listing(s), undefined),
    "no Authorization header",
    "expected VWS <server access key>:<signature>",
  ],
  [
    "Bearer where VWS belongs",
    (s) => authorized(listing(s), "Bearer abc.def.ghi"),
    "Bearer tokens belong to the Model Target API",
    "signed with the database's keys",
  ],
  [
    "VWS where Bearer belongs",
    (s) => ({ ...request(s, "GET", "/modeltargets/datasets/0000/status"), api: "modelTarget" }),
    "a signature (VWS) belongs to the target and query APIs",
    "a token from POST /oauth2/token",
  ],
  ["a scheme in lower case", (s) => ({ ...listing(s), scheme: "vws" }), 'scheme is "vws"', 'exactly "VWS"'],
  [
    "a Date in ISO 8601",
    (s) => dated(s, s.service.clock.now().toISOString()),
    "ISO 8601",
    "new Date().toUTCString()",
  ],
  [
    "local time labelled GMT",
    (s) => dated(s, moved(s, 2)),
    "2 h ahead, which looks like local time labelled GMT",
    "new Date().toUTCString()",
  ],
  [
    "a clock that is off",
    (s) => dated(s, moved(s, 0.2)),
    "expected less than 5 minutes between them",
    "correct the client's clock",
  ],
  [
    "no Date",
    (s) => {
      const sent = changed(listing(s), { date: "" });
      return { ...sent, headers: {} };
    },
    "no Date header",
    "expected a form like",
  ],
  // Bodies and pictures
  [
    "base64 that a form decoded",
    (s) => adding(s, { image: image.toString("base64").replace(/^.{76}/, "$& ") }),
    "at position 77",
    "probably a + that form encoding replaced",
  ],
  [
    "base64url",
    (s) =>
      adding(s, { image: `${image.toString("base64").slice(0, 8)}-_${image.toString("base64").slice(10)}` }),
    'the character "-" at position 9',
    'not "base64url"',
  ],
  [
    "a data URI",
    (s) => adding(s, { image: `data:image/png;base64,${image.toString("base64")}` }),
    "is a data URI",
    'send only what follows "data:image/png;base64,"',
  ],
  [
    "a picture that went through a text encoding",
    (s) => adding(s, { image: asText(image).toString("base64") }),
    "went through a text encoding",
    "as bytes (a Buffer)",
  ],
  [
    "a picture sent as text in a query",
    (s) => searching(s, asText(image)),
    "went through a text encoding",
    "as bytes (a Buffer)",
  ],
  [
    "base64 in a query",
    (s) => searching(s, Buffer.from(image.toString("base64"))),
    "base64 text of an image",
    "decode it once more",
  ],
  [
    "a WebP",
    (s) => adding(s, { image: Buffer.from("RIFF\0\0\0\0WEBPVP8 ").toString("base64") }),
    "it is a WebP",
    "convert it",
  ],
  ["a width of 0", (s) => adding(s, { width: 0 }), "width must be a number above 0", "got 0"],
  [
    "a field without filename",
    (s) => searching(s, image, 'name="image"'),
    "has no filename parameter",
    'filename="<any>"',
  ],
  ["camelCase keys", (s) => adding(s, { activeFlag: true }), "activeFlag", "is active_flag meant?"],
  // Paths and targets
  [
    "a target of another database",
    async (s) => {
      const added = adding({ ...s, keys: s.other });
      await send(s, added);
      const { response } = await s.service.latest();
      const id = Object(response?.body.json).target_id;
      return request(s, "GET", `/targets/${id}`);
    },
    "has no undeleted target",
    'the database "other" has it: sign with the keys of the database that the target was added to',
  ],
  [
    "undefined in place of an id",
    (s) => request(s, "GET", "/targets/undefined"),
    'no undeleted target with the id "undefined"',
    "await the call that returns it",
  ],
  [
    "a Promise in place of an id",
    (s) => changed(request(s, "GET", "/targets/[object%20Promise]"), { path: "/targets/[object Promise]" }),
    'the path has the text "[object Promise]" in place of an id',
    "await the call that returns it",
  ],
  ["a path of the other API", (s) => ({ ...searching(s), api: "target" }), "/v1/query", "query API"],
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
    "the secret key is decoded from hexadecimal",
    (s) => ({ ...listing(s), secretKey: Buffer.from(s.keys.serverSecretKey, "hex") }),
    "the secret key was decoded from hexadecimal",
    "sign with its characters as they are",
  ],
  [
    "a charset is signed that is not sent",
    (s) => changed(adding(s), { type: "application/json; charset=utf-8" }),
    "does not match",
    '("application/json", not "application/json; charset=utf-8")',
  ],
  [
    "an image in hexadecimal",
    (s) => adding(s, { image: image.toString("hex") }),
    "it was sent in hexadecimal",
    "encode the image's bytes as base64",
  ],
  [
    "metadata as plain text",
    (s) => adding(s, { application_metadata: "A beetle, seen from above." }),
    "application_metadata is not base64",
    'it is plain text; send Buffer.from(text).toString("base64")',
  ],
  [
    "metadata as JSON",
    (s) => adding(s, { application_metadata: '{"page":1}' }),
    "application_metadata is not base64",
    'it is plain text; send Buffer.from(text).toString("base64")',
  ],
  [
    "the client id and secret are swapped",
    (s) => token(s, `Basic ${Buffer.from("client-secret:client-id").toString("base64")}`),
    "the client id and the client secret are swapped",
    "the base64 of <client id>:<client secret>",
  ],
  [
    "JSON to the token route",
    (s) => ({ ...token(s), body: Buffer.from('{"grant_type":"client_credentials"}') }),
    "the body is JSON",
    "this route reads a form (application/x-www-form-urlencoded)",
  ],
  [
    "a token that was never set",
    (s) => datasets(s, "Bearer undefined"),
    'the bearer token is "undefined"',
    "expected the access_token of POST /oauth2/token",
  ],
  [
    "a key as a token",
    (s) => datasets(s, `Bearer ${s.keys.serverSecretKey}`),
    "characters)",
    "expected the access_token of POST /oauth2/token",
  ],
  [
    "the key and the message of the HMAC are swapped",
    (s) => ({ ...listing(s), isSwapped: true }),
    "the HMAC's key and message are swapped",
    "its key is the secret key, its message the string to sign",
  ],
  [
    "a line feed behind the signed string",
    (s) => changed(listing(s), { path: "/targets\n" }),
    "the string to sign ends with the path",
    "sign no line feed behind it",
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
    "axios sends this one with a text: set the header",
  ],
  [
    "fetch's default content type on text",
    (s) => typed(adding(s), "text/plain;charset=UTF-8"),
    '("text/plain", not "application/json")',
    "fetch sends this one with a text: set the header",
  ],
  [
    "a body that was cut within its JSON",
    (s) => {
      const sent = adding(s);
      return { ...sent, body: sent.body.subarray(0, -2) };
    },
    "the body ends within its JSON",
    "counts bytes, not characters",
  ],
  [
    "a Content-Length in characters",
    (s) => {
      const sent = adding(s);
      const length = String(sent.body.toString().length);
      return { ...sent, headers: { ...sent.headers, "Content-Length": length } };
    },
    "characters",
    "Buffer.byteLength",
  ],
  [
    "an access key with a blank behind it",
    (s) => ({ ...listing(s), accessKey: `${s.keys.serverAccessKey} ` }),
    "white space around the access key",
    "trim it",
  ],
  [
    "a long body that was cut within its JSON, signed as it arrives",
    (s) => written(s, `{"image":"${"A".repeat(300_000)}`),
    "the body ends within its JSON",
    "counts bytes, not characters",
  ],
  ...[
    ["[object Object]", "in place of what the object contains"],
    ["[object Promise]", "await the value first"],
    ["undefined", "check the variable that holds it"],
    ["null", "check the variable that holds it"],
  ].map(
    ([text = "", fix = ""]): Mistake => [
      `the text ${text} as the body`,
      (s) => written(s, text),
      text === "null" ? "got null" : `it is the text "${text}"`,
      fix,
    ],
  ),
  [
    "JSON that was written twice",
    (s) => written(s, JSON.stringify(JSON.stringify({ name: "twice" }))),
    "JSON that was written as JSON once more",
    "call JSON.stringify once",
  ],
  ...(
    [
      ["a Buffer", Buffer.from("bytes"), "image is a Buffer that JSON wrote", "send it as base64"],
      ["a Uint8Array", Uint8Array.of(1, 2, 3), "image is a Uint8Array that JSON", "send it as base64"],
      ["a Blob", new Blob(["bytes"]), "a Blob, File, ArrayBuffer", "await its bytes"],
      ["an array of bytes", [137, 80, 78, 71], "an array of bytes", "send them as base64"],
      ["a stream", new PassThrough(), "a stream that JSON wrote", "read it to its end"],
      [
        "a Uint8Array as text",
        String(Uint8Array.of(137, 80, 78)),
        "written as text",
        "send Buffer.from(bytes)",
      ],
      ["[object Blob]", "[object Blob]", 'the text "[object Blob]"', "in place of what the object contains"],
      ["undefined as text", "undefined", 'the text "undefined"', "check the variable that holds it"],
    ] as const
  ).map(
    ([what, lost, mistake, fix]): Mistake => [
      `${what} as the picture in JSON`,
      (s) => adding(s, { image: lost }),
      mistake,
      fix,
    ],
  ),
  [
    "a long Buffer in JSON",
    (s) => adding(s, { image: Buffer.alloc(600_000) }),
    "image is a Buffer that JSON wrote as an object",
    "send it as base64",
  ],
  [
    "a Buffer as metadata",
    (s) => adding(s, { application_metadata: Buffer.from("bytes") }),
    "application_metadata is a Buffer that JSON wrote as an object",
    "send it as base64",
  ],
  [
    "bytes that a form took for text",
    (s) => searching(s, Buffer.from(String(Uint8Array.of(137, 80, 78))), 'name="image"'),
    "it is bytes written as text",
    "append a Blob and a file name",
  ],
  [
    "an object that a form took for text",
    (s) => searching(s, Buffer.from("[object Object]"), 'name="image"'),
    'it is the text "[object Object]"',
    "append a Blob and a file name",
  ],
];

describeBackends("the journal names a typical mistake and its fix", (backend) => {
  it("is one of 98", () => expect(MISTAKES).toHaveLength(98));

  it("the signature of another request", async () => {
    await using service = await backend.open(
      backend.overSockets ? {} : { targetUrl: "https://target.example" },
    );
    const keys = await service.addCloudDatabase({ databaseName: "shop" });
    const situation = { service, keys, other: keys };
    const added = adding(situation);
    await send(situation, added);
    await send(situation, changed(listing(situation), added.signed));
    const { reason = "" } = await service.latest();
    // Separate servers pass their entries on, and keep none: they do not know the numbers of others.
    expect(reason).toContain(
      backend.overSockets
        ? "no common mistake explains it"
        : "the signature does not match: it is the signature of request #1 (POST /targets); compute a new signature for each request",
    );
    // Those of a client that signs wrongly are equal too, and are no request's own.
    const wrong = changed(listing(situation), { method: "get" });
    await send(situation, wrong);
    await send(situation, wrong);
    expect((await service.latest()).reason).toContain("sign the method in upper case");
  });

  it.each(MISTAKES)("%s", async (_what, make, mistake, fix) => {
    await using service = await backend.open(
      backend.overSockets ? {} : { targetUrl: "https://target.example" },
    );
    const keys = await service.addCloudDatabase({ databaseName: "shop" });
    const other = await service.addCloudDatabase({ databaseName: "other" });
    const situation = { service, keys, other };
    await send(situation, await make(situation));
    const { reason = "", refusedBy } = await service.latest();
    expect(refusedBy).toBeDefined();
    expect(reason).toContain(mistake);
    expect(reason).toContain(fix);
    for (const { serverSecretKey, clientSecretKey } of [keys, other]) {
      expect(reason).not.toContain(serverSecretKey);
      expect(reason).not.toContain(clientSecretKey);
    }
  });
});
