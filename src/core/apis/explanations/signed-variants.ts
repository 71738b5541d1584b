import { header, type WireRequest } from "../../emulator/message.ts";
import { percentDecoded } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import { sendersOf } from "./clients.ts";
import { readableText } from "./dates.ts";
import { wrongDigests } from "./digests.ts";

const LINES = ["method", "digest", "type", "date", "path"] as const;
type SignedLine = (typeof LINES)[number];
const RIGHT_ORDER = LINES.join();

/** One of the five signed lines, what separates them, or their order, with a mistake that clients make. */
export interface SignedVariant {
  readonly line: SignedLine | "separator" | "order";
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

export const signedTextOf = ({ separator, order, ...lines }: SignedLines): string =>
  order
    .split(",")
    .flatMap((name) => LINES.filter((line) => line === name))
    .map((line) => lines[line])
    .join(separator);

/** @param digest - the MD5 of the body. */
export function rightLines(request: WireRequest, digest: string): SignedLines {
  return {
    method: request.method.toUpperCase(),
    digest,
    type: (header(request, "content-type") ?? "").replace(/;.*$/s, ""),
    date: readableText(header(request, "date") ?? ""),
    path: request.path,
    separator: "\n",
    order: RIGHT_ORDER,
  };
}

const COMMON_TYPES = [
  "application/json",
  "multipart/form-data",
  "text/plain",
  "text/plain;charset=UTF-8",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
  "undefined",
  "null",
];

/** Added by HTTP clients, or only signed. */
const CHARSETS = ["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8"];
const METHODS = ["GET", "POST", "PUT", "DELETE"];

const SEPARATORS = [
  ["\r\n", 'a carriage return and a line feed ("\\r\\n")'],
  ["\\n", "a backslash and the letter n"],
  [" ", "a space"],
  ["", "nothing"],
] as const;

const bothOf = (line: keyof SignedLines, right: SignedLines, wrong: string) => ({
  right: JSON.stringify(right[line]),
  wrong: JSON.stringify(wrong),
});

/** The mistake of a client that signed another value of one line than it sent. */
export function wrongLine(
  line: SignedLine,
  request: WireRequest,
  right: SignedLines,
  wrong: string,
): AnyCause {
  const both = bothOf(line, right, wrong);
  if (line === "type")
    return cause("signature.content-type", { ...both, client: sendersOf(right.type, request) });
  if (line === "path") return cause("signature.path", both);
  if (line === "method") return cause("signature.method", both);
  if (line === "digest") return cause("signature.digest", {});
  if (datesIn(right.date).includes(wrong)) return cause("signature.date", { ...both, isTwice: true });
  const seconds = (Date.parse(wrong) - Date.parse(right.date)) / 1000;
  return cause("signature.date", Number.isNaN(seconds) || seconds === 0 ? both : { seconds });
}

/** Two `Date` headers arrive as one, with a comma between their values. */
const datesIn = (date: string): readonly string[] =>
  date.includes("GMT, ") ? [...new Set(date.split(/(?<=GMT), /))] : [];

/** Each line with the common mistakes of clients. */
export async function wrongVariants(
  request: WireRequest,
  right: SignedLines,
): Promise<readonly SignedVariant[]> {
  const { method } = request;
  const contentType = header(request, "content-type") ?? "";
  const otherType = (likely: boolean) => (value: string) =>
    variant("type", value, wrongLine("type", request, right, value), likely);
  const variants: readonly SignedVariant[] = [
    ...[contentType, ""].map(otherType(true)),
    ...[...COMMON_TYPES, ...CHARSETS.map((charset) => right.type + charset)].map(otherType(false)),
    ...(await wrongDigests(request, right.digest)).map(({ value, mistake, likely }) =>
      variant("digest", value, mistake, likely),
    ),
    ...wrongDates(request, right),
    variant("method", method.toLowerCase(), cause("signature.method"), true),
    variant("method", method.slice(0, 1) + method.slice(1).toLowerCase(), cause("signature.method")),
    ...METHODS.map((value) =>
      variant("method", value, cause("signature.method", bothOf("method", right, value))),
    ),
    ...wrongPaths(request, right),
    ...wrongOrders(),
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

function wrongDates(request: WireRequest, right: SignedLines): readonly SignedVariant[] {
  const other = (likely: boolean) => (value: string) =>
    variant("date", value, wrongLine("date", request, right, value), likely);
  return [
    ...datesIn(right.date).map(other(true)),
    variant("date", "", cause("signature.date"), true),
    ...nearDates(right.date),
    ...otherDates(right.date).map(other(false)),
  ];
}

function wrongPaths(request: WireRequest, right: SignedLines): readonly SignedVariant[] {
  const { path, query } = request;
  const host = header(request, "host");
  const other = (likely: boolean, part?: "part") => (value: string) =>
    variant(
      "path",
      value,
      cause("signature.path", { ...bothOf("path", right, value), ...(part && { is: part }) }),
      likely,
    );
  const urls =
    host === undefined
      ? []
      : [
          `${host}${path}`,
          `https://${host}${path}`,
          `http://${host}${path}`,
          `https://${host}${path}?${query}`,
        ];
  return [
    ...[`${path}?${query}`, ...urls].map(other(true)),
    ...[
      percentDecoded(path),
      `${path}/`,
      path.replace(/\/$/, ""),
      path.replace(/^\//, ""),
      `/${path}`,
      path.toLowerCase(),
      "",
    ].map(other(false)),
    variant("path", `${path}\n`, cause("signature.path", { is: "ended" })),
    ...partsOf(path).map(other(false, "part")),
  ];
}

const NAMES: Readonly<Record<SignedLine, string>> = {
  method: "the method",
  digest: "the MD5 of the body",
  type: "the content type",
  date: "the date",
  path: "the path",
};

/** The lines without one of them, which clients leave out if it is empty, and with two of them swapped. */
function wrongOrders(): readonly SignedVariant[] {
  const order = (lines: readonly SignedLine[], mistake: AnyCause) => variant("order", lines.join(), mistake);
  const missing = LINES.map((line) =>
    order(
      LINES.filter((each) => each !== line),
      cause("signature.lines", { missing: NAMES[line] }),
    ),
  );
  const swapped = LINES.flatMap((first, index) =>
    LINES.slice(index + 1).map((second) => {
      const lines = LINES.map((line) => (line === first ? second : line === second ? first : line));
      return order(lines, cause("signature.lines", { swapped: `${NAMES[first]} and ${NAMES[second]}` }));
    }),
  );
  return [...missing, ...swapped];
}

/** Paths that lack one or both of the last segments, or the first. */
function partsOf(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  return [segments.slice(0, -1), segments.slice(0, -2), segments.slice(1)]
    .filter((part) => part.length > 0)
    .map((part) => `/${part.join("/")}`);
}

const MOST_SECONDS_APART = 5;

/** The same time in other forms. */
function otherDates(date: string): readonly string[] {
  const sent = Date.parse(date);
  if (Number.isNaN(sent)) return [];
  const iso = new Date(sent).toISOString();
  const others = ["+0000", "-0000", "+00:00", "UTC", "Z"].map((zone) => date.replace(/GMT$/, zone));
  return [...others, iso, iso.replace(".000", ""), String(sent), String(sent / 1000), String(new Date(sent))];
}

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
