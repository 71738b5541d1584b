import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import { header, type WireRequest } from "../../emulator/message.ts";
import { parseMediaType, readForm } from "../../emulator/multipart.ts";
import { isJsonObject, parseJson } from "../../general/json.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { asciiOnly } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { DigestForm } from "../../schema/causes/signed-words.ts";
import { wasLatin1 } from "./reencoded.ts";

/** A digest that a client may have signed, with the mistake. */
export interface WrongDigest {
  readonly value: string;
  readonly mistake: AnyCause;
  /** Whether it is also tried together with a second mistake. */
  readonly likely: boolean;
}

const DIGEST_OF_NO_BODY = hash("md5", "");

/** Digesting larger bodies in each way takes too long. */
const MOST_DIGESTED_BYTES = 4_000_000;

const digest = (
  facts: {
    readonly not?: string;
    readonly of?: string;
    readonly text?: string;
    readonly bytes?: number;
    readonly isEmpty?: boolean;
    readonly isHeader?: boolean;
    readonly isPart?: boolean;
  } = {},
) => cause("signature.digest", facts);

/** @param md5 - that of the body. */
export async function wrongDigests(request: WireRequest, md5: string): Promise<readonly WrongDigest[]> {
  const { body } = request;
  const wrong: WrongDigest[] = [
    { value: "", mistake: digest({ isEmpty: true }), likely: false },
    {
      value: DIGEST_OF_NO_BODY,
      mistake: digest(body.length === 0 ? {} : { bytes: body.length }),
      likely: true,
    },
    ...writtenOtherwise(md5),
  ];
  if (body.length > 0) {
    for (const [text, bytes] of OTHER_TEXTS)
      wrong.push({ value: hash("md5", bytes), mistake: digest({ text }), likely: false });
  }
  if (body.length <= MOST_DIGESTED_BYTES) {
    for (const [algorithm, name] of [
      ["sha1", "SHA-1"],
      ["sha256", "SHA-256"],
    ] as const)
      wrong.push({ value: await hashed(algorithm, body), mistake: digest({ not: name }), likely: false });
    for (const [make, mistake, likely = true] of await otherTextsOf(request)) {
      await yieldToEventLoop();
      wrong.push({ value: await hashed("md5", make()), mistake, likely });
    }
  }
  return [...wrong, ...ofHeader(header(request, "content-md5"))];
}

/** What clients digest in place of a body that is a value of another type, or none. */
const OTHER_TEXTS = ["undefined", "null", "{}", "[object Object]", "[object Promise]", '""'].map(
  (text) => [JSON.stringify(text), text] as const,
);

/** The digest of the request's own `Content-MD5`, in hexadecimal and as it is. */
function ofHeader(given: string | undefined): readonly WrongDigest[] {
  if (given === undefined) return [];
  const mistake = digest({ isHeader: true });
  return [given, given.toLowerCase(), Buffer.from(given, "base64").toString("hex")].map((value) => ({
    value,
    mistake,
    likely: false,
  }));
}

/** The right digest, written as clients write it by hand. */
function writtenOtherwise(md5: string): readonly WrongDigest[] {
  const bytes = Buffer.from(md5, "hex");
  const all = [...bytes];
  const signed = all.map((byte) => (byte > 127 ? byte - 256 : byte));
  const joined = (of: (byte: number) => string, separator = "") => all.map(of).join(separator);
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  const bare = (byte: number) => byte.toString(16);
  const extended = (write: (byte: number) => string) => (byte: number) =>
    byte > 127 ? `ffffff${bare(byte)}` : write(byte);
  const number = BigInt(`0x${md5}`);
  const base64 = bytes.toString("base64");
  const forms: readonly (readonly [DigestForm, ...string[]])[] = [
    ["base64", base64],
    ["base64url", bytes.toString("base64url"), base64.replace(/=+$/, "")],
    ["hexBase64", Buffer.from(md5).toString("base64")],
    ["unpadded", joined(bare)],
    ["number", number.toString(16)],
    ["signedNumber", BigInt.asIntN(128, number).toString(16)],
    ["decimal", number.toString(), BigInt.asIntN(128, number).toString()],
    ["extended", joined(extended(hex)), joined(extended(bare))],
    ["separated", joined(hex, "-"), joined(hex, ":"), joined(hex, " ")],
    ["prefixed", `0x${md5}`],
    ["quoted", `"${md5}"`, `'${md5}'`],
    ["python", `b'${md5}'`, `b'${base64}'`],
    ["list", all.join(","), `[${all.join(", ")}]`, signed.join(","), `[${signed.join(", ")}]`],
    ["lineFeed", `${md5}\n`, `${md5}\r\n`, `${base64}\n`, `${md5}  -`, `${md5}  -\n`],
    ["bytes", bytes.toString("latin1"), bytes.toString("utf8")],
    ["half", md5.slice(8, 24), md5.slice(0, 16)],
    ["twice", hash("md5", md5), hash("md5", bytes)],
  ];
  const likely: readonly WrongDigest[] = [
    { value: md5.toUpperCase(), mistake: cause("signature.digest-form", { is: "upperCase" }), likely: true },
    {
      value: joined(hex, "-").toUpperCase(),
      mistake: cause("signature.digest-form", { is: "separated" }),
      likely: true,
    },
  ];
  const others = forms.flatMap(([is, ...values]) => {
    const mistake = cause("signature.digest-form", { is });
    const isHex = !["base64", "base64url", "hexBase64", "python", "bytes"].includes(is);
    return values
      .flatMap((value) => (isHex ? [value, value.toUpperCase().replace(/^0X/, "0x")] : [value]))
      .map((value) => ({ value, mistake, likely: false }));
  });
  return [...likely, ...others];
}

/** In its own turn of the event loop: the body may have megabytes. */
async function hashed(algorithm: "md5" | "sha1" | "sha256", bytes: Buffer | string): Promise<string> {
  await yieldToEventLoop();
  return hash(algorithm, bytes);
}

type OtherText = readonly [make: () => Buffer | string, mistake: AnyCause, likely?: boolean];

/** Bytes that clients sign instead of the body, each with the mistake. */
async function otherTextsOf({ body, headers }: WireRequest): Promise<readonly OtherText[]> {
  if (body.length === 0) return [];
  const text = body.toString();
  const as = (of: string) => digest({ of });
  const value = jsonIn(text);
  const again = cause("signature.rewritten");
  const reordered = cause("signature.rewritten", { isReordered: true });
  const rarely = (make: () => Buffer | string, of: string): OtherText => [make, as(of), false];
  return [
    // The same bytes, if all of them are ASCII.
    ...(isAscii(body)
      ? []
      : ([
          [
            () => Buffer.from(text, "latin1"),
            wasLatin1(body) ? cause("body.reencoded", { as: "latin1" }) : as("Latin-1"),
          ],
          [() => text, as("UTF-8, but the bytes are not UTF-8")],
          [() => body.toString("latin1"), as("a binary string, encoded as UTF-8 again")],
          rarely(() => text.replace(/[^\p{ASCII}]/gu, "?"), "ASCII"),
        ] satisfies OtherText[])),
    [() => Buffer.from(text, "utf16le"), as("UTF-16")],
    rarely(() => Buffer.from(text, "utf16le").swap16(), "UTF-16 in big-endian order"),
    [() => `\ufeff${text}`, as("UTF-8 with a byte-order mark")],
    [() => body.toString("base64"), as("base64")],
    rarely(() => body.toString("hex"), "hexadecimal"),
    rarely(() => encodeURIComponent(text), "percent-encoding"),
    [() => `${text}\n`, as("text with a line feed appended")],
    rarely(() => `${text}\0`, "text with a NUL appended"),
    rarely(() => text.trim(), "text without the white space around it"),
    rarely(() => text.replace(/\r?\n/g, "\r\n"), "text with CRLF line ends"),
    rarely(() => text.replace(/\r\n/g, "\n"), "text with LF line ends"),
    ...partsOf(body, headers).map((part): OtherText => [() => part, digest({ isPart: true }), false]),
    ...rewritersOf(value).map((write): OtherText => [write, again]),
    ...(isJsonObject(value) ? [rarely(() => pythonTextOf(value), "Python's text of a dict")] : []),
    ...ordersOf(value, body.length).map((write): OtherText => [write, reordered, false]),
  ];
}

/** The contents of a form's files. */
function partsOf(body: Buffer, headers: WireRequest["headers"]): readonly Buffer[] {
  const { parameters } = parseMediaType(header({ headers }, "content-type") ?? "");
  const { parts } = readForm(body, parameters.get("boundary") ?? "-");
  return parts.filter(({ filename }) => filename !== undefined).map(({ content }) => content);
}

/** The value of JSON; undefined if it is none. */
function jsonIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed.error === undefined ? parsed.value : undefined;
}

/** More bytes than these would take long to digest, in all orders of the keys. */
const MOST_REORDERED_BYTES = 20_000_000;

/** Each writes the keys of an object in another order. */
function ordersOf(value: unknown, bytes: number): readonly (() => string)[] {
  if (!isJsonObject(value)) return [];
  const members = Object.entries(value);
  if (members.length < 2 || members.length > 5) return [];
  const orders = permutationsOf(members).slice(1);
  if (2 * orders.length * bytes > MOST_REORDERED_BYTES) return [];
  return orders.flatMap((order) => {
    const reordered = Object.fromEntries(order);
    return [() => JSON.stringify(reordered), () => spaced(reordered)];
  });
}

const permutationsOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));

/** Each writes the same JSON as another serialiser or language does. */
function rewritersOf(value: unknown): readonly (() => string)[] {
  if (value === undefined) return [];
  const compact = () => JSON.stringify(value);
  const sorted = () =>
    isJsonObject(value)
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

/** What Python prints of a dict. */
function pythonTextOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonTextOf).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([name, each]) => `'${name}': ${pythonTextOf(each)}`)
      .join(", ")}}`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? `'${value}'` : value === null ? "None" : String(value);
}

/** As Python writes it: with a space after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return `{${members.join(", ")}}`;
}
