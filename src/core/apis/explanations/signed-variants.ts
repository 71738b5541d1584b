import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import { header, type WireRequest } from "../../emulator/message.ts";
import { parseJson } from "../../general/json.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { asciiOnly, percentDecoded } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";

/** One of the five signed lines, or what separates them, with a mistake that clients make. */
export interface SignedVariant {
  readonly line: "method" | "digest" | "type" | "date" | "path" | "separator";
  readonly value: string;
  /** Whether it is also tried together with a second mistake. */
  readonly likely: boolean;
  readonly mistake: AnyCause;
}

const variant = (
  line: SignedVariant["line"],
  value: string,
  mistake: AnyCause,
  likely = false,
): SignedVariant => ({
  line,
  value,
  likely,
  mistake,
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
  const both = (line: "type" | "path" | "method", value: string) => ({
    right: JSON.stringify(right[line]),
    wrong: JSON.stringify(value),
  });
  const otherType = (likely: boolean, client?: string) => (value: string) =>
    variant("type", value, cause("signature.content-type", { ...both("type", value), client }), likely);
  const otherPath = (likely: boolean, part?: "part") => (value: string) =>
    variant(
      "path",
      value,
      cause("signature.path", { ...both("path", value), ...(part && { is: part }) }),
      likely,
    );
  const urls =
    host === undefined
      ? []
      : [`https://${host}${path}`, `http://${host}${path}`, `https://${host}${path}?${query}`];
  const variants: readonly SignedVariant[] = [
    ...[contentType, ""].map(otherType(true)),
    ...[...COMMON_TYPES, ...CHARSETS.map((charset) => right.type + charset)].map(
      otherType(false, TYPES_OF_CLIENTS.get(right.type)),
    ),
    ...(await bodyVariants(request.body, right.digest)),
    variant("date", "", cause("signature.date"), true),
    ...nearDates(right.date),
    variant("method", method.toLowerCase(), cause("signature.method"), true),
    ...METHODS.map((value) => variant("method", value, cause("signature.method", both("method", value)))),
    ...[`${path}?${query}`, ...urls].map(otherPath(true)),
    ...[percentDecoded(path), `${path}/`, path.replace(/\/$/, ""), path.replace(/^\//, ""), ""].map(
      otherPath(false),
    ),
    variant("path", `${path}\n`, cause("signature.path", { is: "ended" })),
    ...partsOf(path).map(otherPath(false, "part")),
    ...SEPARATORS.map(([value, separator]) =>
      variant("separator", value, cause("signature.separator", { separator })),
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
      const date = new Date(sent + seconds * 1000).toUTCString();
      return variant("date", date, cause("signature.date", { seconds }));
    });
}

/** Digesting larger bodies in each way takes too long. */
const MOST_DIGESTED_BYTES = 4_000_000;

/** @param md5 - that of the body. */
async function bodyVariants(body: Buffer, md5: string): Promise<readonly SignedVariant[]> {
  const digest = (
    facts: { readonly not?: string; readonly bytes?: number; readonly isEmpty?: boolean } = {},
  ) => cause("signature.digest", facts);
  const none = digest(body.length === 0 ? {} : { bytes: body.length });
  const wrong = [
    variant("digest", "", digest({ isEmpty: true })),
    variant("digest", DIGEST_OF_NO_BODY, none, true),
    variant("digest", Buffer.from(md5, "hex").toString("base64"), digest()),
    variant("digest", md5.toUpperCase(), digest()),
  ];
  if (body.length > MOST_DIGESTED_BYTES) return wrong;
  for (const [algorithm, name] of [
    ["sha1", "SHA-1"],
    ["sha256", "SHA-256"],
  ] as const) {
    wrong.push(variant("digest", await hashed(algorithm, body), digest({ not: name })));
  }
  for (const [make, mistake] of await otherTextsOf(body)) {
    await yieldToEventLoop();
    wrong.push(variant("digest", await hashed("md5", make()), mistake, true));
  }
  return wrong;
}

/** In its own turn of the event loop: the body may have megabytes. */
async function hashed(algorithm: "md5" | "sha1" | "sha256", bytes: Buffer | string): Promise<string> {
  await yieldToEventLoop();
  return hash(algorithm, bytes);
}

/** Bytes that clients sign instead of the body, each with the mistake. */
async function otherTextsOf(
  body: Buffer,
): Promise<readonly (readonly [make: () => Buffer | string, mistake: AnyCause])[]> {
  if (body.length === 0) return [];
  const text = body.toString();
  const as = (of: string) => cause("signature.digest", { of });
  const again = cause("signature.rewritten");
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
