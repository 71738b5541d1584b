import { hash } from "node:crypto";
import { header, type WireRequest } from "../../core/message.ts";
import { percentDecoded } from "../../core/router.ts";

/** One of the five signed lines with a mistake that clients make. */
export interface Variant {
  readonly line: "method" | "digest" | "type" | "date" | "path";
  readonly value: string;
  readonly advice: string;
}

/** The five lines as they should have been signed. */
export type SignedLines = Readonly<Record<Variant["line"], string>>;

export const joined = ({ method, digest, type, date, path }: SignedLines): string =>
  [method, digest, type, date, path].join("\n");

export function rightLines(request: WireRequest): SignedLines {
  return {
    method: request.method.toUpperCase(),
    digest: hash("md5", request.body),
    type: (header(request, "content-type") ?? "").replace(/;.*$/s, ""),
    date: header(request, "date") ?? "",
    path: request.path,
  };
}

const COMMON_TYPES = [
  "application/json",
  "multipart/form-data",
  "text/plain",
  "text/plain;charset=UTF-8",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
];

/** Each line with the mistakes that clients commonly make. */
export function wrongVariants(request: WireRequest): readonly Variant[] {
  const right = rightLines(request);
  const { method, path, query } = request;
  const contentType = header(request, "content-type") ?? "";
  const host = header(request, "host");
  const type = (value: string): Variant => ({
    line: "type",
    value,
    advice: `sign the Content-Type that is sent, up to its first semicolon (${JSON.stringify(right.type)}, not ${JSON.stringify(value)})`,
  });
  const wrongPath = (value: string): Variant => ({
    line: "path",
    value,
    advice:
      `sign the path as it is sent, without the query string and without the base URL's own prefix ` +
      `(${JSON.stringify(path)}, not ${JSON.stringify(value)})`,
  });
  const variants: readonly Variant[] = [
    ...[contentType, "", ...COMMON_TYPES].map(type),
    ...bodyVariants(request.body),
    { line: "date", value: "", advice: "sign the Date header's exact value, not an empty line" },
    { line: "method", value: method.toLowerCase(), advice: "sign the method in upper case" },
    ...[
      `${path}?${query}`,
      ...(host === undefined
        ? []
        : [`https://${host}${path}`, `http://${host}${path}`, `https://${host}${path}?${query}`]),
      percentDecoded(path),
      `${path}/`,
      path.replace(/\/$/, ""),
      path.replace(/^\//, ""),
      "",
    ].map(wrongPath),
  ];
  const seen = new Set(Object.entries(right).map(([line, value]) => `${line} ${value}`));
  return variants.filter(({ line, value }) => {
    const key = `${line} ${value}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const MOST_RESERIALISED_BYTES = 4_000_000;

function bodyVariants(body: Buffer): readonly Variant[] {
  const digest = (value: string, advice: string): Variant => ({ line: "digest", value, advice });
  const exact = "sign the lower-case hexadecimal MD5 of the body's exact bytes";
  const md5 = hash("md5", body);
  const none =
    body.length === 0
      ? exact
      : `a body of 0 bytes was signed, but a body of ${body.length} bytes was sent: ${exact}`;
  const wrong = [
    digest("", `${exact}, also when there is no body`),
    digest(hash("md5", ""), none),
    digest(hash("md5", body, "base64"), exact),
    digest(md5.toUpperCase(), exact),
    digest(hash("sha1", body), `${exact}, not its SHA-1`),
    digest(hash("sha256", body), `${exact}, not its SHA-256`),
  ];
  if (body.length === 0) return wrong;
  const text = body.toString();
  const encoded = (bytes: Buffer | string, how: string) =>
    digest(hash("md5", bytes), `the MD5 was computed over the body's text as ${how}: ${exact}`);
  const texts = [
    encoded(Buffer.from(text, "latin1"), "Latin-1"),
    encoded(Buffer.from(text, "utf16le"), "UTF-16"),
    encoded(text, "UTF-8, but the bytes are not UTF-8"),
    encoded(body.toString("latin1"), "a binary string, encoded as UTF-8 again"),
    encoded(body.toString("base64"), "base64"),
    encoded(`${text}\n`, "text with a line feed appended"),
  ];
  return [
    ...wrong,
    ...texts,
    ...serialisedAgain(text).map((again) =>
      digest(
        hash("md5", again),
        `the body was serialised again after it was signed: serialise it once, then sign and send those bytes`,
      ),
    ),
  ];
}

/** The same JSON as other serialisers and languages write it. */
function serialisedAgain(text: string): readonly string[] {
  if (text.length > MOST_RESERIALISED_BYTES || !/^\s*[{[]/.test(text)) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const compact = JSON.stringify(value);
  const sorted =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
      : compact;
  const plain = [
    compact,
    sorted,
    JSON.stringify(value, null, 2),
    JSON.stringify(value, null, 4),
    spaced(value),
  ];
  return [...plain, JSON.stringify(compact), ...plain.map(asciiOnly)];
}

/** As Python writes it: with a space after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return `{${members.join(", ")}}`;
}

const asciiOnly = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
