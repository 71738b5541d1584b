import { refusal } from "./row.ts";

export type JsonPlace = {
  /** The parser's problem, with the position. */
  readonly problem: string;
  /** The first invalid character, as JSON, or a byte that is not UTF-8. */
  readonly character?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** In characters, from 1. */
  readonly column?: number | undefined;
  /** The 20 characters before and after, with `▶` before the invalid one; absent if the body may contain secrets. */
  readonly around?: string | undefined;
};

/** Says what is there, in words behind the advice. */
function found({ problem, character, line, column, around }: JsonPlace): string {
  if (line === undefined) return `the body is not valid JSON: ${problem}`;
  const what = character === undefined ? "unexpected end" : `unexpected character ${character}`;
  return `the body is not valid JSON: ${what} at line ${line}, column ${column}${around === undefined ? "" : `: ${around}`}`;
}

const ENCODINGS = {
  mark: "write the body without a byte-order mark",
  utf16: "encode the body as UTF-8: it is UTF-16",
  latin1: "encode the body as UTF-8: this byte is not UTF-8, and probably Latin-1 (Windows-1252)",
  bytes: "encode the body as UTF-8 text: it has bytes that are not text",
  compressed: "send the body as it is: it is compressed (gzip)",
  nul: "remove the NUL: in C, it ends a text and is no part of it",
} as const;

const FORMATS = {
  form: "send JSON: the body is form-encoded (name=value)",
  percent: "send the JSON as it is: the body is percent-encoded",
  multipart: "send JSON: the body is a multipart form",
  picture: "send JSON with the base64 of the picture in the field image: the body is the picture itself",
  xml: "send JSON: the body is XML or HTML",
  base64: "send the JSON as it is: the body is its base64",
  yaml: "send JSON: the body is YAML",
  call: "send the JSON as it is: the body is JavaScript code around it",
  object: "write the object as JSON: the body is what the language prints of an object",
} as const;

const LITERALS = {
  python: "use json.dumps: True, False and None are Python's; JSON has true, false and null",
  notNumber: "write null or a number: JSON has no NaN and no Infinity",
  undefined: "use JSON.stringify, which leaves undefined out: JSON has no undefined",
  case: "write true, false and null in lower case",
  nil: "write null: JSON has no nil, nothing or NULL",
} as const;

const NUMBERS = {
  comma: "write the number with a decimal point: format it without the locale",
  zero: "write the number without leading zeros",
  sign: "write the number without a plus sign",
  point: "write a digit on both sides of the decimal point",
  other: "write the number in decimal digits, without a suffix, a prefix or separators",
} as const;

const QUOTES = {
  single: "write double quotes (JSON.stringify, json.dumps): JSON has no single quotes",
  shell:
    "escape the quotation marks for the shell: single quotes around the body are part of it (as in cmd.exe)",
  bare: "write double quotes around each name and text (a shell may have removed them)",
  curly: "write straight quotation marks: a word processor made these curly",
  escaped: "write the quotation marks without backslashes outside of texts",
  backtick: "write double quotes: JSON has no backticks",
} as const;

const TEXTS = {
  quote: "escape quotation marks within a text (JSON.stringify does)",
  lineFeed: "escape line feeds within a text as \\n (JSON.stringify does)",
  control: "escape control characters within a text (JSON.stringify does)",
  backslash: "double each backslash within a text, such as those of a Windows path (JSON.stringify does)",
} as const;

const PUNCTUATION = {
  trailingComma: "remove the comma before the closing bracket",
  comment: "remove the comment: JSON has none",
  missingComma: "write a comma between the fields",
  missingColon: "write a colon behind the name",
  arrow: "use to_json: => is Ruby's; JSON has a colon",
  equals: "write the object as JSON: = is how Java prints a map; JSON has a colon",
  semicolon: "write commas: JSON has no semicolons",
  rest: "send one JSON value: more text follows its end",
  space: "write plain spaces between the values: this one is none of JSON's",
  close: "close each bracket with its own kind",
} as const;

const looking = <Is extends string>(
  words: Readonly<Record<Is, string>>,
  happened: string,
  change: string,
  example: string,
) =>
  refusal<JsonPlace & { readonly is: Is }>(
    happened,
    (facts) => `${words[facts.is]}; ${found(facts)}`,
    change,
    example,
  );

/** Bodies that are not valid JSON, by what to change. */
export const jsonCauses = {
  "json.malformed": refusal<JsonPlace>(
    "The body is not valid JSON.",
    (facts) => `let a JSON library write the body: ${found(facts)}`,
    "Send the body as JSON in UTF-8, as `JSON.stringify` writes it.",
    'POST /targets\n\n{"name": ?}',
  ),
  "json.encoding": looking(
    ENCODINGS,
    "The body is JSON in another encoding than UTF-8.",
    "Encode the body as UTF-8, without a byte-order mark and a NUL at its end.",
    'POST /targets\n\n\ufeff{"width": 1}',
  ),
  "json.format": looking(
    FORMATS,
    "The body is in another format than JSON.",
    "Send JSON, as `JSON.stringify` writes it.",
    "POST /targets\n\nname=a&width=1",
  ),
  "json.literal": looking(
    LITERALS,
    "The JSON has a literal of another language.",
    "Write true, false, null or a number, as a JSON library does.",
    'POST /targets\n\n{"active_flag": True}',
  ),
  "json.number": looking(
    NUMBERS,
    "The JSON has a number in another form.",
    "Write numbers as a JSON library does: in decimal digits, with a point.",
    'POST /targets\n\n{"width": 0,5}',
  ),
  "json.quotes": looking(
    QUOTES,
    "Names or texts of the JSON are not in double quotes.",
    "Write names and texts in double quotes, as `JSON.stringify` does.",
    "POST /targets\n\n{'name': 'a'}",
  ),
  "json.text": looking(
    TEXTS,
    "A text of the JSON has a character that is not escaped.",
    "Let a JSON library write the body: it escapes what a text contains.",
    'POST /targets\n\n{"name": "a "b""}',
  ),
  "json.punctuation": looking(
    PUNCTUATION,
    "The JSON has a comma, colon, bracket, comment or space of another kind.",
    "Let a JSON library write the body.",
    'POST /targets\n\n{"width": 1,}',
  ),
};

export type JsonMistake = {
  "json.encoding": keyof typeof ENCODINGS;
  "json.format": keyof typeof FORMATS;
  "json.literal": keyof typeof LITERALS;
  "json.number": keyof typeof NUMBERS;
  "json.quotes": keyof typeof QUOTES;
  "json.text": keyof typeof TEXTS;
  "json.punctuation": keyof typeof PUNCTUATION;
};
