import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import { header, type WireRequest } from "../../emulator/message.ts";
import { parseJson } from "../../general/json.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { asciiOnly, percentDecoded } from "../../general/text.ts";

/** One of the five signed lines, or what separates them, with a mistake that clients make. */
export interface SignedVariant {
  readonly line: "method" | "digest" | "type" | "date" | "path" | "separator";
  readonly value: string;
  /** Whether it is also tried together with a second mistake. */
  readonly likely: boolean;
  readonly advice: string;
}

const variant = (
  line: SignedVariant["line"],
  value: string,
  advice: string,
  likely = false,
): SignedVariant => ({
  line,
  value,
  likely,
  advice,
});

export type SignedLines = Readonly<Record<SignedVariant["line"], string>>;

export const signedTextOf = ({ method, digest, type, date, path, separator }: SignedLines): string =>
  [method, digest, type, date, path].join(separator);

/** @param digest - the MD5 of the body. */
export function rightLines(request: WireRequest, digest: string): SignedLines {
  return {
    method: request.method.toUpperCase(),
    digest,
    type: (header(request, "content-type") ?? "").replace(/;.*$/s, ""),
    date: header(request, "date") ?? "",
    path: request.path,
    separator: "\n",
  };
}

const DIGEST_OF_NO_BODY = hash("md5", "");

const COMMON_TYPES = [
  "application/json",
  "multipart/form-data",
  "text/plain",
  "text/plain;charset=UTF-8",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
];

/** Sent by clients with a text body and no type. */
const TYPES_OF_CLIENTS = new Map([
  ["application/x-www-form-urlencoded", "axios"],
  ["text/plain", "fetch"],
]);

/** Added by HTTP clients, or only signed. */
const CHARSETS = ["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8"];
const METHODS = ["GET", "POST", "PUT", "DELETE"];

const SEPARATORS = [
  ["\r\n", 'a carriage return and a line feed ("\\r\\n")'],
  ["\\n", "a backslash and the letter n"],
  [" ", "a space"],
  ["", "nothing"],
] as const;

/** Each line with the common mistakes of clients. */
export async function wrongVariants(
  request: WireRequest,
  right: SignedLines,
): Promise<readonly SignedVariant[]> {
  const { method, path, query } = request;
  const contentType = header(request, "content-type") ?? "";
  const host = header(request, "host");
  const sent = (line: "type" | "path" | "method", what: string, likely = false) => {
    const shown = JSON.stringify(right[line]);
    return (value: string) =>
      variant(line, value, `sign ${what} (${shown}, not ${JSON.stringify(value)})`, likely);
  };
  const type = "the Content-Type that is sent, up to its first semicolon";
  const client = TYPES_OF_CLIENTS.get(right.type);
  const unsetType = client === undefined ? "" : ` (${client} sends this one with a text: set the header)`;
  const wholePath = "the path as it is sent, without the query string and without the base URL's own prefix";
  const urls =
    host === undefined
      ? []
      : [`https://${host}${path}`, `http://${host}${path}`, `https://${host}${path}?${query}`];
  const variants: readonly SignedVariant[] = [
    ...[contentType, ""].map(sent("type", type, true)),
    ...[...COMMON_TYPES, ...CHARSETS.map((charset) => right.type + charset)].map(
      sent("type", type + unsetType),
    ),
    ...(await bodyVariants(request.body, right.digest)),
    variant("date", "", "sign the Date header's exact value, not an empty line", true),
    ...nearDates(right.date),
    variant("method", method.toLowerCase(), "sign the method in upper case", true),
    ...METHODS.map(sent("method", "the method that is sent")),
    ...[`${path}?${query}`, ...urls].map(sent("path", wholePath, true)),
    ...[percentDecoded(path), `${path}/`, path.replace(/\/$/, ""), path.replace(/^\//, ""), ""].map(
      sent("path", wholePath),
    ),
    variant("path", `${path}\n`, "the string to sign ends with the path: sign no line feed behind it"),
    ...partsOf(path).map(sent("path", "the whole path as it is sent")),
    ...SEPARATORS.map(([value, what]) =>
      variant("separator", value, `join the five lines with a line feed ("\\n"), not ${what}`),
    ),
  ];
  const seen = new Set(Object.entries(right).map(([line, value]) => `${line} ${value}`));
  return variants.filter(({ line, value }) => {
    const key = `${line} ${value}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Paths that lack one or both of the last segments, or the first. */
function partsOf(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  return [segments.slice(0, -1), segments.slice(0, -2), segments.slice(1)]
    .filter((part) => part.length > 0)
    .map((part) => `/${part.join("/")}`);
}

const MOST_SECONDS_APART = 5;

/** Dates shortly before and after the one that was sent. */
function nearDates(date: string): readonly SignedVariant[] {
  const sent = Date.parse(date);
  if (Number.isNaN(sent)) return [];
  return Array.from({ length: MOST_SECONDS_APART }, (_, index) => [-(index + 1), index + 1])
    .flat()
    .map((seconds) => {
      const apart = `${Math.abs(seconds)} s ${seconds < 0 ? "before" : "after"}`;
      const advice = `the date that was signed is ${apart} the Date header's: read the clock once, then sign and send that text`;
      return variant("date", new Date(sent + seconds * 1000).toUTCString(), advice);
    });
}

/** Digesting larger bodies in each way takes too long. */
const MOST_DIGESTED_BYTES = 4_000_000;

/** @param md5 - that of the body. */
async function bodyVariants(body: Buffer, md5: string): Promise<readonly SignedVariant[]> {
  const exact = "sign the lower-case hexadecimal MD5 of the body's exact bytes";
  const none =
    body.length === 0
      ? exact
      : `a body of 0 bytes was signed, but a body of ${body.length} bytes was sent: ${exact}`;
  const wrong = [
    variant("digest", "", `${exact}, also when there is no body`),
    variant("digest", DIGEST_OF_NO_BODY, none, true),
    variant("digest", Buffer.from(md5, "hex").toString("base64"), exact),
    variant("digest", md5.toUpperCase(), exact),
  ];
  if (body.length > MOST_DIGESTED_BYTES) return wrong;
  for (const [algorithm, name] of [
    ["sha1", "SHA-1"],
    ["sha256", "SHA-256"],
  ] as const) {
    wrong.push(variant("digest", await hashed(algorithm, body), `${exact}, not its ${name}`));
  }
  for (const [make, mistake] of await otherTextsOf(body)) {
    await yieldToEventLoop();
    wrong.push(variant("digest", await hashed("md5", make()), mistake(exact), true));
  }
  return wrong;
}

/** In its own turn of the event loop: the body may have megabytes. */
async function hashed(algorithm: "md5" | "sha1" | "sha256", bytes: Buffer | string): Promise<string> {
  await yieldToEventLoop();
  return hash(algorithm, bytes);
}

type Mistake = (exact: string) => string;

/** Bytes that clients sign instead of the body, each with the mistake. */
async function otherTextsOf(
  body: Buffer,
): Promise<readonly (readonly [make: () => Buffer | string, mistake: Mistake])[]> {
  if (body.length === 0) return [];
  const text = body.toString();
  const as =
    (how: string): Mistake =>
    (exact) =>
      `the MD5 was computed over the body's text as ${how}: ${exact}`;
  const again: Mistake = () =>
    "the body was serialised again after it was signed: serialise it once, then sign and send those bytes";
  const rewritten = await rewritersOf(text);
  return [
    // The same bytes, if all of them are ASCII.
    ...(isAscii(body)
      ? []
      : ([
          [() => Buffer.from(text, "latin1"), as("Latin-1")],
          [() => text, as("UTF-8, but the bytes are not UTF-8")],
          [() => body.toString("latin1"), as("a binary string, encoded as UTF-8 again")],
        ] as const)),
    [() => Buffer.from(text, "utf16le"), as("UTF-16")],
    [() => `\ufeff${text}`, as("UTF-8 with a byte-order mark")],
    [() => body.toString("base64"), as("base64")],
    [() => `${text}\n`, as("text with a line feed appended")],
    ...rewritten.map((write) => [write, again] as const),
  ];
}

/** Each writes the same JSON as another serialiser or language does. */
async function rewritersOf(text: string): Promise<readonly (() => string)[]> {
  if (!/^\s*[{[]/.test(text)) return [];
  const parsed = parseJson(text);
  if (parsed.error !== undefined) return [];
  const { value } = parsed;
  const compact = () => JSON.stringify(value);
  const sorted = () =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
      : compact();
  const plain = [
    compact,
    sorted,
    () => JSON.stringify(value, null, 2),
    () => JSON.stringify(value, null, 4),
    () => spaced(value),
  ];
  return [...plain, () => JSON.stringify(compact()), ...plain.map((write) => () => asciiOnly(write()))];
}

/** As Python writes it: with a space after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return `{${members.join(", ")}}`;
}
