import { gunzipSync } from "node:zlib";
import type { HeaderList } from "mock-cloud-reco";
import { header } from "../../support/values.ts";
import type { Expected, Received } from "./fact.ts";

/** What a placeholder stands for; `<same>` is the same id wherever it occurs. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  id: "[0-9a-f]{32}",
  integer: "-?\\d+",
  number: "-?\\d+(?:\\.\\d+)?",
  flag: "(?:true|false)",
  date: "\\w{3}, \\d{2} \\w{3} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT",
  moment: "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{3})?Z",
  key: "[0-9A-Z]{16}",
  connection: "(?:keep-alive|close)",
  base64: "[A-Za-z0-9+/]+={0,2}",
  text: '(?:[^"\\\\]|\\\\.)*',
  any: "[^]*",
};

const PLACEHOLDER = /<(id|integer|number|flag|date|moment|key|connection|base64|text|any|same)>/;

/** The pattern that a text with placeholders means. */
export function pattern(template: string): RegExp {
  let seen = false;
  const source = template.split(PLACEHOLDER).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    if (part !== "same") return PLACEHOLDERS[part] ?? "";
    if (seen) return "\\k<same>";
    seen = true;
    return `(?<same>${PLACEHOLDERS.id})`;
  });
  return new RegExp(`^${source.join("")}$`);
}

/** Where a text no longer follows a template: the places in both. */
export function divergence(template: string, text: string): readonly [inTemplate: number, inText: number] {
  let [inTemplate, inText] = [0, 0];
  const parts = template.split(/(<[a-z0-9]+>)/);
  for (const [index] of parts.entries()) {
    const start = parts.slice(0, index + 1).join("");
    const found = new RegExp(pattern(start).source.slice(0, -1)).exec(text);
    if (found === null) break;
    [inTemplate, inText] = [start.length, found[0].length];
  }
  while (inTemplate < template.length && template[inTemplate] === text[inText]) {
    inTemplate += 1;
    inText += 1;
  }
  return [inTemplate, inText];
}

/** One point in which a response is not the expected one. */
export interface Difference {
  /** `status`, `body`, `header` and its name, `protocol`, or `100 Continue`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
}

/** The body's bytes; decodes gzip. */
export function bytesOf({ headers, body }: Received): Buffer {
  const gzipped = header({ headers }, "content-encoding") === "gzip" && body.length > 1;
  if (!gzipped || body.readUInt16BE(0) !== 0x1f8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST_BODY });
  } catch {
    return Buffer.from("(damaged gzip)");
  }
}

/** Much from little is an attack. */
const LARGEST_BODY = 64 * 1024 * 1024;

export const textOf = (response: Received): string => bytesOf(response).toString();

const NONE = "(none)";

/** A header that a response may lack ends with a question mark. */
const OPTIONAL = /\?$/;

function headerDifferences(expected: HeaderList, got: HeaderList): Difference[] {
  const left = [...got];
  const missing = expected.filter(([named, value]) => {
    const name = named.replace(OPTIONAL, "");
    const at = left.findIndex(([other, given]) => other === name && pattern(value).test(given));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && name === named;
  });
  const differences = missing.map(([name, value]): Difference => {
    const at = left.findIndex(([other]) => other.toLowerCase() === name.toLowerCase());
    const [[otherName, otherValue] = [name, NONE]] = at < 0 ? [] : left.splice(at, 1);
    const isCase = otherName !== name;
    return {
      what: `header ${name}`,
      expected: isCase ? `${name}: ${value}` : value,
      got: isCase ? `${otherName}: ${otherValue}` : otherValue,
    };
  });
  return [
    ...differences,
    ...left.map(([name, value]) => ({ what: `header ${name}`, expected: NONE, got: value })),
  ];
}

const said = (isSent = false): string => (isSent ? "sent" : NONE);

/** Compares a response with what a fact expects. Empty: it is the same. */
export function differences(expected: Expected, received: Received): Difference[] {
  const found: Difference[] = [];
  const { status, headers, body, protocol } = expected;
  if (protocol !== undefined && protocol !== received.protocol)
    return [{ what: "protocol", expected: protocol, got: received.protocol ?? NONE }];
  if (received.status !== status)
    found.push({ what: "status", expected: String(status), got: String(received.status) });
  if (headers !== undefined) {
    const length = ["Content-Length", String(received.body.length)] as const;
    found.push(...headerDifferences([...headers, length], received.headers));
  }
  const { continued } = expected;
  if (continued !== undefined && continued !== received.continued)
    found.push({ what: "100 Continue", expected: said(continued), got: said(received.continued) });
  const text = textOf(received);
  if (!pattern(body).test(text)) found.push({ what: "body", expected: body, got: text });
  return found;
}

/** Both sides of a difference, from a little before where they part. */
export function sides({ expected, got }: Difference): readonly [expected: string, got: string] {
  const [inExpected, inGot] = divergence(expected, got);
  return [quoted(expected, inExpected), quoted(got, inGot)];
}

const LONGEST = 160;
/** How much of what is equal is shown before a difference. */
const LEAD = 40;

const quoted = (text: string, at = 0): string => {
  const start = at > LEAD && text.length > LONGEST ? at - LEAD : 0;
  const json = JSON.stringify(text.slice(start));
  const shown = `${start === 0 ? "" : "…"}${json.slice(0, LONGEST)}`;
  return json.length <= LONGEST ? shown : `${shown}… (${text.length} characters)`;
};
