import { createHmac, hash } from "node:crypto";
import { percentDecoded } from "../http/route.ts";
import { header, type WireRequest } from "../http/wire-message.ts";
import { type SigningKeys, stringToSign } from "../signing.ts";

/** One way in which clients get the string to sign wrong. */
interface Mistake {
  readonly advice: string;
  readonly text: string;
}

const COMMON_TYPES = [
  "application/json",
  "multipart/form-data",
  "text/plain",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
];

/**
 * Says why a signature does not match: tries what clients commonly get wrong, and where one of these gives the very
 * signature that was sent, shows both strings to sign with their first difference marked. Shows no secret key.
 *
 * @param otherSecrets - secrets that a client may have taken by mistake, by the name to show.
 */
export function explainSignature(
  request: WireRequest,
  { accessKey, secretKey }: SigningKeys,
  otherSecrets: Readonly<Record<string, string>>,
): string {
  const given = header(request, "authorization") ?? "";
  const scheme = given.replace(/ .*$/, "");
  const signature = given.slice(given.indexOf(":") + 1);
  const expected = expectedText(request);
  const expectedShown = JSON.stringify(expected);

  if (signature === hmac(secretKey, expected, "base64")) {
    return `the signature is right, but the Authorization scheme is "${scheme}"; it must be exactly "VWS"`;
  }
  for (const [name, secret] of [...Object.entries(otherSecrets), ["access key", accessKey] as const]) {
    if (signature === hmac(secret, expected, "base64")) {
      return `the signature was made with the database's ${name}; sign with the secret key that belongs to the access key`;
    }
  }
  if (signature === createHmac("sha256", secretKey).update(expected).digest("base64")) {
    return "the signature is an HMAC-SHA256; it must be an HMAC-SHA1";
  }
  if (signature === hmac(secretKey, expected, "hex")) {
    return "the signature is the HMAC in hexadecimal; it must be its base64";
  }
  for (const { advice, text } of mistakesIn(request)) {
    if (text !== expected && signature === hmac(secretKey, text, "base64")) {
      return `the signature does not match: ${advice}. String to sign, expected: ${marked(expected, text)}; signed: ${marked(text, expected)}`;
    }
  }
  const advice =
    header(request, "date") === undefined
      ? "the signature does not match, and the request has no Date header: send the one that was signed"
      : "the signature does not match, and no common mistake explains it: check the secret key";
  return `${advice}, and that exactly this is signed (method, MD5 of the body, content type, date, path): ${expectedShown}`;
}

const hmac = (key: string, text: string, encoding: "base64" | "hex"): string =>
  createHmac("sha1", key).update(text).digest(encoding);

function expectedText(request: WireRequest): string {
  return stringToSign({
    method: request.method,
    path: request.path,
    body: request.body,
    contentType: header(request, "content-type"),
    date: header(request, "date"),
  });
}

function mistakesIn(request: WireRequest): readonly Mistake[] {
  const { method, path, query, body } = request;
  const contentType = header(request, "content-type") ?? "";
  const date = header(request, "date") ?? "";
  const digest = hash("md5", body);
  const lines = (changed: Partial<Record<"method" | "digest" | "type" | "date" | "path", string>>) => {
    const right = {
      method: method.toUpperCase(),
      digest,
      type: contentType.replace(/;.*$/, ""),
      date,
      path,
    };
    const all = { ...right, ...changed };
    return [all.method, all.digest, all.type, all.date, all.path].join("\n");
  };
  const typeAdvice = "sign the Content-Type that is sent, up to its first semicolon";
  const bodyAdvice = "sign the lower-case hexadecimal MD5 of the body's exact bytes";
  const pathAdvice =
    "sign the path as it is sent, without the query string and without the base URL's own prefix";
  return [
    ...[contentType, "", ...COMMON_TYPES].map((type) => ({
      advice: typeAdvice,
      text: lines({ type }),
    })),
    ...["", hash("md5", ""), hash("md5", body, "base64"), digest.toUpperCase()].map((wrong) => ({
      advice: bodyAdvice,
      text: lines({ digest: wrong }),
    })),
    { advice: "sign the Date header's exact value", text: lines({ date: "" }) },
    { advice: "sign the method in upper case", text: lines({ method: method.toLowerCase() }) },
    ...[
      `${path}?${query}`,
      `https://${header(request, "host")}${path}`,
      percentDecoded(path),
      `${path}/`,
      path.replace(/\/$/, ""),
      path.replace(/^\//, ""),
    ].map((wrong) => ({ advice: pathAdvice, text: lines({ path: wrong }) })),
  ];
}

/** `text` as JSON, with `▶` where it begins to differ from `other`. */
function marked(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same += 1;
  return JSON.stringify(`${text.slice(0, same)}▶${text.slice(same)}`);
}
